"""Goal words for furniture."""

from abc import abstractmethod
from dataclasses import dataclass
from math import degrees

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.mechanisms import KINDS, Joint, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.rest import STRAY
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_tasks.goals.base import POINTS, Leaf, Window, check_shares
from vlm_bench_tasks.goals.reaching import at_hand, gap

NOUNS = {'prismatic': 'drawer', 'revolute': 'door'}


@dataclass(frozen=True)
class JointLeaf(Leaf):
    """A leaf about one joint of furniture.

    Attributes:
        mechanism: the piece of furniture.
        link: the link that the joint moves.
        RELEASED: whether the robot must have released the piece.
    """

    RELEASED = False

    mechanism: Mechanism
    link: str

    @property
    def full(self) -> str:
        """The full name of the link in snapshots, `mechanism/link`."""
        return self.mechanism.full(self.link)

    @property
    def joint(self) -> Joint:
        """The joint of the link.

        Raises:
            SceneError: the link is fixed.
        """
        joint = self.mechanism.link(self.link).joint
        if joint is None:
            raise SceneError(f'{self.mechanism.full(self.link)} is fixed. Name a link that moves.')
        return joint

    @property
    @abstractmethod
    def target(self) -> float:
        """The position that an expert aims at, m or rad."""

    def props(self) -> tuple[Prop, ...]:
        """Return no prop: furniture does not count as a prop."""
        return ()

    def joints(self) -> tuple[str, ...]:
        """Return the joint."""
        return (self.full,)

    def reach(self, now: Snapshot) -> float:
        """Return how far the tool is from the nearest part to take: of the handle, or of the link if it has none, m."""
        frames = self.mechanism.placed(now.mechanisms)
        parts = [
            (frames[self.mechanism.full(link.name)] @ part.pose, part.size)
            for link in self._taken_by
            for part in link.parts
            if not link.handle or part.name in link.handle
        ]
        return min(gap(now.tool.position, pose, size) for pose, size in parts)

    def taken(self, now: Snapshot) -> bool:
        """Return whether the robot touches or holds the handle, or the link."""
        names = dict.fromkeys((self.full, *(self.mechanism.full(link.name) for link in self._taken_by)))
        return any(at_hand(name, now) for name in names)

    @property
    def _taken_by(self) -> tuple[Link, ...]:
        """The link that has the handle, which may be a handle that turns on this link; without one the link itself."""
        link = self.mechanism.link(self.link)
        return tuple(one for one in self.mechanism.links if one.handle and link.name in (one.name, one.parent)) or (link,)

    def strayed(self, now: Snapshot, since: Snapshot) -> bool:
        """Return whether the joint has not stood still since an earlier snapshot."""
        most = dict(zip(KINDS, STRAY, strict=True))[self.joint.kind]
        return abs(now.joint(self.full).position - since.joint(self.full).position) > most

    def named(self) -> str:
        """Return the link's name in reports, for example: the top drawer of the cabinet."""
        noun, piece = NOUNS[self.joint.kind], self.mechanism.noun
        link = self.link.replace('_', ' ')
        what = f'the {noun}' if link == noun else f'the {link} {noun}'
        return what if piece == noun else f'{what} of the {piece}'


@serialisable
@dataclass(frozen=True)
class Opened(JointLeaf):
    """A joint of furniture is between two positions, and the robot has released the piece. Also used for closing.

    Distances are shares of the joint's range.

    Raises:
        SceneError: the mechanism has no such joint, or the joint has no position between the two.

    Attributes:
        mechanism: the piece of furniture.
        link: the link that the joint moves.
        low, high: least and greatest position, m or rad.
    """

    NEEDS_CONTACTS = True
    RELEASED = True

    low: float
    high: float

    def __post_init__(self) -> None:
        joint = self.joint
        if not max(self.low, joint.lower) <= min(self.high, joint.upper):
            raise SceneError(
                f'{self.mechanism.full(self.link)} moves from {joint.lower:g} to {joint.upper:g}, '
                f'and cannot reach {self.low:g} to {self.high:g}. Choose a range that overlaps.'
            )

    @property
    def target(self) -> float:
        """The middle of the positions that fulfil the goal within the joint's range, m or rad."""
        return (max(self.low, self.joint.lower) + min(self.high, self.joint.upper)) / 2

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the joint is there and the piece released."""
        return self.distance(now, start) == 0.0 and not touched(self.mechanism, now)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance of the joint from these positions, as a share of its range.

        Raises:
            SceneError: the joint is not in the snapshot.
        """
        at, joint = now.joint(self.full).position, self.joint
        return max(0.0, self.low - at, at - self.high) / (joint.upper - joint.lower)

    def words(self) -> str:
        """Return the goal as a clause."""
        what = self.named()
        scale, unit = (100.0, ' cm') if self.joint.kind == 'prismatic' else (degrees(1.0), '°')
        low, high = f'{scale * max(0.0, self.low):.0f}', f'{scale * self.high:.0f}{unit}'
        if self.high >= self.joint.upper:
            return f'{what} is at least {low}{unit} open'
        if self.low <= self.joint.lower:
            return f'{what} is at most {high} open'
        return f'{what} is {low} to {high} open'


@serialisable
@dataclass(frozen=True)
class JointAt(Window, JointLeaf):
    """A joint of furniture stands at a share of its range, with an error below `within`. The robot may still hold the piece.

    Errors and distances are shares of the joint's range.

    Raises:
        SceneError: the mechanism has no such joint, the share is outside 0…1, or the tolerance is outside 0…1.

    Attributes:
        mechanism: the piece of furniture.
        link: the link that the joint moves.
        share: position as a share of the joint's range: 0 at its lower limit, 1 at its upper limit.
        within: tolerance, as a share of the range.
    """

    share: float
    within: float = POINTS

    def __post_init__(self) -> None:
        check_shares(self.mechanism.full(self.link), 'its range', ends=('closed', 'open'), share=self.share, tolerance=self.within)
        _ = self.joint

    @property
    def target(self) -> float:
        """The position in the middle of the window, m or rad; at most at a limit of the joint."""
        return self.joint.lower + self.share * (self.joint.upper - self.joint.lower)

    @property
    def number(self) -> float:
        """The share."""
        return self.share

    @property
    def ends(self) -> tuple[float, ...]:
        """Closed and open."""
        return (0.0, 1.0)

    def error(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance of the joint from the share, as a share of its range.

        Raises:
            SceneError: the joint is not in the snapshot.
        """
        at, joint = now.joint(self.full).position, self.joint
        return abs(min(1.0, max(0.0, (at - joint.lower) / (joint.upper - joint.lower))) - self.share)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{self.named()} is {100 * self.share:.0f} % open, less than {100 * self.within:.0f} points off'


def led_to(mechanism: Mechanism, link: str, share: float, within: float = POINTS) -> JointAt:
    """Return the goal that a link is led to a share of its range, for a start from which it has to move.

    Raises:
        SceneError: the link is fixed, the share is outside its range, or the link starts within the tolerance.
    """
    goal = JointAt(mechanism, link, share, within)
    joint = goal.joint
    begun = (joint.start - joint.lower) / (joint.upper - joint.lower)
    if abs(begun - share) <= within:
        raise SceneError(
            f'{goal.full} starts {100 * begun:.0f} % open, and the goal is {100 * share:.0f} % with a tolerance of {100 * within:.0f} '
            'points: nothing would be left to do. Choose another start or goal.'
        )
    return goal


def moved_by(mechanism: Mechanism, link: str, shares: tuple[float, float], whole: float = 0.0) -> Opened:
    """Return the goal that a link has moved by a given amount: opened if it starts closed, otherwise closed.

    Args:
        mechanism: the piece of furniture.
        link: the link to move.
        shares: least and greatest share of `whole`.
        whole: reference amount, m or rad; 0 for the joint's range.

    Raises:
        SceneError: the link is fixed, or cannot move that far.
    """
    joint = mechanism.joints.get(mechanism.full(link))
    if joint is None:
        raise SceneError(f'{mechanism.full(link)} does not move. {near(mechanism.full(link), mechanism.joints)}')
    least, most = ((whole or joint.upper - joint.lower) * share for share in shares)
    if joint.start == joint.lower:
        return Opened(mechanism, link, joint.start + least, joint.start + most)
    return Opened(mechanism, link, joint.start - most, joint.start - least)


def touched(mechanism: Mechanism, now: Snapshot) -> bool:
    """Return whether the robot touches or holds any link of a piece of furniture."""
    links = [mechanism.full(link.name) for link in mechanism.links]
    return now.held in links or any(now.touches(link, ROBOT) for link in links)
