"""Words for what furniture has been brought to."""

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
    """A link of furniture stands between two positions of its joint, and the robot has let go of the piece; closed is a position, too.

    Distances are shares of the joint's range.

    Raises:
        SceneError: the mechanism has no such joint, or no position of it is between the two.

    Attributes:
        mechanism: the piece.
        link: whose joint is meant.
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
                f'and cannot be brought between {self.low:g} and {self.high:g}. Ask for less.'
            )

    @property
    def full(self) -> str:
        """The link as snapshots name it, `mechanism/link`."""
        return self.mechanism.full(self.link)

    @property
    def joint(self) -> Joint:
        """The joint that is meant.

        Raises:
            SceneError: the link stands fixed.
        """
        joint = self.mechanism.link(self.link).joint
        if joint is None:
            raise SceneError(f'{self.mechanism.full(self.link)} stands fixed. Name a link that moves.')
        return joint

    @property
    def middle(self) -> float:
        """The middle of the positions that fulfil the goal and that the joint can take, m or rad."""
        return (max(self.low, self.joint.lower) + min(self.high, self.joint.upper)) / 2

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether it stands there, released."""
        return self.distance(now, start) == 0.0 and not touched(self.mechanism, now)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far it is from there, as a share of the joint's range.

        Raises:
            SceneError: the snapshot does not hold the joint.
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
        """Return no prop: furniture is none."""
        return ()

    def joints(self) -> tuple[str, ...]:
        """Return the joint."""
        return (self.full,)


def moved_by(mechanism: Mechanism, link: str, shares: tuple[float, float], whole: float = 0.0) -> Opened:
    """Return the goal that a link has gone so far from where it starts: opened if it starts closed, and else closed.

    Args:
        mechanism: the piece.
        link: whose joint is meant.
        shares: least and greatest share of the whole.
        whole: m or rad; 0 for the joint's range.

    Raises:
        SceneError: the link stands fixed, or cannot go so far.
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
