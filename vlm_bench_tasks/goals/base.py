"""Base classes of all goals."""

from abc import ABC, abstractmethod
from math import isfinite

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.rest import strayed
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.reaching import at_hand, gap, in_hand

POINTS = 0.10
"""ARNOLD's tolerance for shares: of a joint's range, of the beads in a cup, and of the beads that are spilt (its checkers)."""


class Goal(ABC):
    """A frozen description of what must become true. It has no memory: the monitor keeps track of time.

    Poses and boxes in its fields are in the world frame, on the table. A perturbation that raises the table raises them as well.
    """

    @property
    def parts(self) -> 'tuple[Goal, ...]':
        """The goals that this goal consists of."""
        return ()

    @abstractmethod
    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal is true now, as far as the two snapshots show."""

    def happened(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal was true at any physics step since the snapshot before `now`, as far as a snapshot shows."""
        return self.holds(now, start)

    @abstractmethod
    def words(self) -> str:
        """Return the goal as a clause, for example: the red cube is inside the blue container."""

    def leaves(self) -> 'tuple[Leaf, ...]':
        """Return the leaves, from left to right."""
        return tuple(leaf for part in self.parts for leaf in part.leaves())

    def props(self) -> tuple[Prop, ...]:
        """Return the props that the goal names, each once."""
        return tuple({prop.name: prop for part in self.parts for prop in part.props()}.values())

    def joints(self) -> tuple[str, ...]:
        """Return the joints of furniture that the goal names, by full name, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.joints()))

    def matter(self) -> tuple[str, ...]:
        """Return the groups of beads and patches of dirt that the goal names, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.matter()))


class Leaf(Goal):
    """A goal that is evaluated directly from the snapshots.

    Attributes:
        SCALE: least distance, in the leaf's own unit, that the dense reward takes for the whole way (`judging.shaping`).
        NEEDS_CONTACTS: True if it needs contacts or grasps, which a pose tracker does not see.
        PUSHED: True if a push makes it true, so that a touch is as good as a grasp.
    """

    SCALE = 0.1
    NEEDS_CONTACTS = False
    PUSHED = False

    @property
    def number(self) -> float | None:
        """The number that the leaf asks for, in the unit in which splits pool it: m, degrees, or a share; None if it asks for none."""
        return None

    @property
    def tolerance(self) -> float:
        """The greatest error of that number, which is too much, in the same unit; 0 if the leaf asks for none."""
        return 0.0

    @property
    def ends(self) -> tuple[float, ...]:
        """The numbers at which what the leaf names can go no farther."""
        return ()

    @property
    def end_stop(self) -> bool:
        """Whether the leaf holds at one of these ends."""
        number = self.number
        return number is not None and any(strictly(abs(number - end), self.tolerance) for end in self.ends)

    @abstractmethod
    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance from holding, in the leaf's own unit; 0 if only the release is missing."""

    @abstractmethod
    def props(self) -> tuple[Prop, ...]:
        """Return the props that the leaf names, each once."""

    def way(self, now: Snapshot, start: Snapshot) -> float:
        """Return the way that is left, for the dense reward: as a rule, the distance from holding."""
        return self.distance(now, start)

    def handled(self, _now: Snapshot) -> tuple[Prop, ...]:
        """Return the props of which the robot must take or push one, for the dense reward; none if it needs no prop in its hand."""
        return self.props()[:1]

    def reach(self, now: Snapshot) -> float:
        """Return how far the tool is from the nearest prop to take or push, m; 0 if there is none."""
        return min((gap(now.tool.position, now.pose(prop.name), prop.size) for prop in self.handled(now)), default=0.0)

    def taken(self, now: Snapshot) -> bool:
        """Return whether the robot has what it must take: it is held or flies, or is touched if it is to be pushed."""
        handled, has = self.handled(now), at_hand if self.PUSHED else in_hand
        return not handled or any(has(prop.name, now) for prop in handled)

    def strayed(self, now: Snapshot, since: Snapshot) -> bool:
        """Return whether something that the leaf names has not stood still since an earlier snapshot (`core.rest.STRAY`)."""
        return any(strayed(now.pose(prop.name), since.pose(prop.name)) for prop in self.props())

    def leaves(self) -> 'tuple[Leaf, ...]':
        """Return the leaf itself."""
        return (self,)


class Window(Leaf):
    """A leaf about a number, with an error below `within`.

    The window is open: an error of exactly `within` is too much (ARNOLD's checkers). A subclass has `within` as a field.

    Attributes:
        LENGTH: length that one unit of the error counts as in distances.
    """

    LENGTH = 1.0

    within: float

    @property
    @abstractmethod
    def number(self) -> float:
        """The number that the leaf asks for, in the unit in which splits pool it: m, degrees, or a share."""

    @property
    def tolerance(self) -> float:
        """The tolerance, in the unit of `number`."""
        return self.within

    @abstractmethod
    def error(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the number is off, in the unit of `within`, at least 0."""

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the error is below the tolerance."""
        return strictly(self.error(now, start), self.within)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the error beyond the tolerance, `LENGTH` per unit."""
        return self.LENGTH * max(0.0, self.error(now, start) - self.within)


def called(prop: Prop) -> str:
    """Return the prop's name in reports, for example: the red cube."""
    return f'the {prop.look.describe(prop.noun)}'


def strictly(off: float, within: float) -> bool:
    """Return whether an error is below a tolerance, not equal to it; the last digits of a number do not decide."""
    return off < within - 1e-9


def check_shares(subject: str, whole: str, *, ends: tuple[str, str], **shares: float) -> None:
    """Check that shares lie in 0…1.

    Args:
        subject: what was given the shares, for an error.
        whole: what they are shares of.
        ends: what the shares 0 and 1 mean.
        shares: the shares by what they are.

    Raises:
        SceneError: one is not a number from 0 to 1.
    """
    for what, value in shares.items():
        if not (isfinite(value) and 0.0 <= value <= 1.0):
            raise SceneError(f'{subject} was given the {what} {value:g} of {whole}. Give a number from 0 ({ends[0]}) to 1 ({ends[1]}).')
