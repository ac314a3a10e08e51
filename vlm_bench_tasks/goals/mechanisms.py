"""Goal words for furniture."""

from dataclasses import dataclass
from math import degrees

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.mechanisms import Joint, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_tasks.goals.base import Leaf

NOUNS = {'prismatic': 'drawer', 'revolute': 'door'}


@serialisable
@dataclass(frozen=True)
class Opened(Leaf):
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

    mechanism: Mechanism
    link: str
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
    def middle(self) -> float:
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
        noun, piece = NOUNS[self.joint.kind], self.mechanism.noun
        what = f'the {noun}' if self.link == noun else f'the {self.link} {noun}'
        whose = '' if piece == noun else f' of the {piece}'
        scale, unit = (100.0, ' cm') if self.joint.kind == 'prismatic' else (degrees(1.0), '°')
        low, high = f'{scale * max(0.0, self.low):.0f}', f'{scale * self.high:.0f}{unit}'
        if self.high >= self.joint.upper:
            return f'{what}{whose} is at least {low}{unit} open'
        if self.low <= self.joint.lower:
            return f'{what}{whose} is at most {high} open'
        return f'{what}{whose} is {low} to {high} open'

    def props(self) -> tuple[Prop, ...]:
        """Return no prop: furniture does not count as a prop."""
        return ()

    def joints(self) -> tuple[str, ...]:
        """Return the joint."""
        return (self.full,)


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
