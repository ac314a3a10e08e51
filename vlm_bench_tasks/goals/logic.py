"""Logic words. `All`, `Any` and `Not` concern the present; `Then`, `Once`, `Never`, `Held` and `AtEnd` concern time.

Only the monitor judges time.

For a word of time, `holds` returns what two snapshots can show. Its memory is in `judging.watch`.
"""

from dataclasses import dataclass
from math import inf

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal


@dataclass(frozen=True)
class _Many(Goal):
    goals: tuple[Goal, ...]

    def __post_init__(self) -> None:
        if not self.goals:
            raise TaskError(f'{type(self).__name__} was given no goals. Give it at least one.')
        for goal in self.goals:
            _check_inner(type(self), goal)

    @property
    def parts(self) -> tuple[Goal, ...]:
        return self.goals


@dataclass(frozen=True)
class _One(Goal):
    goal: Goal

    def __post_init__(self) -> None:
        if of_time(self.goal):
            word = type(self).__name__
            raise TaskError(f'{word} cannot contain {self.goal.words()!r}, which depends on time. Give {word} a goal about the present.')

    @property
    def parts(self) -> tuple[Goal, ...]:
        return (self.goal,)


@serialisable
@dataclass(frozen=True)
class All(_Many):
    """Each of the goals holds."""

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether all hold."""
        return all(goal.holds(now, start) for goal in self.goals)

    def happened(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether all were true since the previous snapshot."""
        return all(goal.happened(now, start) for goal in self.goals)

    def words(self) -> str:
        """Return the goal as a clause."""
        return ' and '.join(_clause(goal) for goal in self.goals)


@serialisable
@dataclass(frozen=True)
class Any(_Many):
    """At least one of the goals holds."""

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether one holds."""
        return any(goal.holds(now, start) for goal in self.goals)

    def happened(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether one was true since the previous snapshot."""
        return any(goal.happened(now, start) for goal in self.goals)

    def words(self) -> str:
        """Return the goal as a clause."""
        return ' or '.join(_clause(goal) for goal in self.goals)


@serialisable
@dataclass(frozen=True)
class Not(_One):
    """The goal does not hold."""

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal does not hold."""
        return not self.goal.holds(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'not ({self.goal.words()})'


@serialisable
@dataclass(frozen=True)
class Then(_Many):
    """The goals come true one after the other, each at a later snapshot than the previous one. The last must still hold at the end.

    If the last goal is momentary, such as a touch, write it as `Once(…)`.
    """

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the last holds. Two snapshots cannot show what came before."""
        return self.goals[-1].holds(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return ', then '.join(_clause(goal) for goal in self.goals)


@serialisable
@dataclass(frozen=True)
class Once(_One):
    """The goal was true at some physics step."""

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal was true since the previous snapshot."""
        return self.goal.happened(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'once {self.goal.words()}'


@serialisable
@dataclass(frozen=True)
class Never(_One):
    """The goal is true at no physics step. Once violated, the episode has failed."""

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal was false since the previous snapshot."""
        return not self.goal.happened(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'never {self.goal.words()}'


@serialisable
@dataclass(frozen=True)
class Held(_One):
    """The goal has been true without a break for `seconds` of simulated time.

    Attributes:
        goal: a goal about the present.
        seconds: simulated s.
        still: whether what the goal names, props and joints, must also have stood still all the while. Standing still is measured from
            where the time began (`core.rest.STRAY`), so that what creeps slowly through a tolerance does not pass.
    """

    seconds: float
    still: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.seconds < inf:
            raise TaskError(f'Held was given {self.seconds} s. Give a finite number, not negative.')

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal is true now. Two snapshots cannot show for how long."""
        return self.goal.holds(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{self.goal.words()} for {self.seconds:g} s{" at rest" if self.still else ""}'


@serialisable
@dataclass(frozen=True)
class AtEnd(Goal):
    """The goal holds when the episode ends: after the policy has stopped, or at a limit. That it held before counts nothing.

    A robot that tries one value after the other passes only at the one where it stops. This word is the outermost one of a goal.
    """

    goal: Goal

    def __post_init__(self) -> None:
        _check_inner(AtEnd, self.goal)

    @property
    def parts(self) -> tuple[Goal, ...]:
        """The goal that must hold at the end."""
        return (self.goal,)

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the goal is true now. Two snapshots cannot show whether this is the end."""
        return self.goal.holds(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'at the end, {self.goal.words()}'


def _check_inner(word: type, goal: Goal) -> None:
    if isinstance(goal, AtEnd):
        raise TaskError(f'{word.__name__} cannot contain {goal.words()!r}: only a whole goal can be AtEnd. Write AtEnd around the whole.')


def _clause(goal: Goal) -> str:
    return f'({goal.words()})' if isinstance(goal, _Many) else goal.words()


def of_time(goal: Goal) -> bool:
    """Return whether the goal, or a part of it, is a word of time."""
    return isinstance(goal, (Then, Once, Never, Held, AtEnd)) or any(of_time(part) for part in goal.parts)


def all_of(*goals: Goal) -> All:
    """Return the goal that all of these hold."""
    return All(goals)


def any_of(*goals: Goal) -> Any:
    """Return the goal that at least one of these holds."""
    return Any(goals)


def then(*goals: Goal) -> Then:
    """Return the goal that these come true in this order."""
    return Then(goals)
