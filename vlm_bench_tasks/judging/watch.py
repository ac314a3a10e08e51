"""Memory over time: each goal has one watch, which receives every snapshot in order. Only the monitor owns watches."""

from abc import ABC, abstractmethod
from functools import singledispatch

from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.logic import All, Any, AtEnd, Held, Never, Not, Once, Then
from vlm_bench_tasks.goals.units import reported
from vlm_bench_tasks.judging.shaping import Shaping

MISSING = 0.1
"""Least share of an achievement that the dense reward leaves out as long as the goal does not hold."""


class Watch(ABC):
    """State of a goal after the snapshots processed so far.

    Attributes:
        holds: True if the goal is true now, its past included.
        broken: text of the `Never` that was violated, which is final; '' if none was.
        pending: True while an inner `Held` counts time.
        total: number of achievements that the goal asks for. Gates and what was true when it began do not count.
        made: number of achievements reached.
        lacks: number of steps missing now: achievements that do not hold, and violated gates. Only words of time latch, so the steps of
            a fallen tower are missing again.
        done: number of achievements that hold now, or are latched.
        nearing: dense reward of the achievement that is nearest to its end of those that do not hold, 0…0.9.
    """

    def __init__(self, goal: Goal, start: Snapshot, *, begin: Snapshot) -> None:
        self.goal = goal
        self.start = start
        self.holds = False
        self.broken = ''
        self.pending = False
        self.total = 0
        self.made = 0
        self.lacks = 0
        self.done = 0.0
        self.nearing = 0.0

    @abstractmethod
    def see(self, now: Snapshot) -> None:
        """Process the next snapshot."""

    @property
    def reward(self) -> float:
        """Dense reward, 0…1: the share of the achievements that hold, with that of the nearest one. It is 1 only if the goal holds."""
        if self.holds:
            return 1.0
        return max(0.0, min(self.done + self.nearing, self.total - MISSING)) / self.total if self.total else 0.0

    def clauses(self, now: Snapshot) -> list[tuple[Goal, bool]]:
        """Return what a report lists of the goal, each with whether it holds; what a word of time has latched holds."""
        return [(clause, clause.holds(now, self.start)) for clause in reported(self.goal)]


def watch(goal: Goal, start: Snapshot, begin: Snapshot | None = None) -> Watch:
    """Return the watch of a goal.

    Args:
        goal: the goal.
        start: the first snapshot of the episode, against which the goal is judged.
        begin: the snapshot from which on the goal is to be reached, for the dense reward; the first one if None.
    """
    return _watch(goal, start, begin=start if begin is None else begin)


@singledispatch
def _watch(goal: Goal, start: Snapshot, *, begin: Snapshot) -> Watch:
    """Return the watch of a goal. Each logic word has its own class; leaves share one."""
    return _Now(goal, start, begin=begin)


class _Now(Watch):
    """A leaf, or a `Not`, which is a gate."""

    def __init__(self, goal: Goal, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.shaping = Shaping(goal, start, begin=begin) if isinstance(goal, Leaf) and not goal.holds(begin, start) else None
        self.total = int(self.shaping is not None)

    def see(self, now: Snapshot) -> None:
        self.holds = self.goal.holds(now, self.start)
        self.made = self.done = int(self.holds) * self.total
        self.lacks = int(not self.holds)
        self.nearing = self.shaping(now) if self.shaping and not self.holds else 0.0


class _All(Watch):
    def __init__(self, goal: Goal, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.parts = [watch(part, start, begin) for part in goal.parts]
        self.total = sum(part.total for part in self.parts)

    def see(self, now: Snapshot) -> None:
        for part in self.parts:
            part.see(now)
        self.holds = all(part.holds for part in self.parts)
        self.broken = next((part.broken for part in self.parts if part.broken), '')
        self.pending = any(part.pending for part in self.parts)
        self.made = sum(part.made for part in self.parts)
        self.lacks = sum(part.lacks for part in self.parts)
        self.done = sum(part.done for part in self.parts)
        self.nearing = max(part.nearing for part in self.parts)

    def clauses(self, now: Snapshot) -> list[tuple[Goal, bool]]:
        return [clause for part in self.parts for clause in part.clauses(now)]


class _Any(Watch):
    def __init__(self, goal: Goal, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.parts = [watch(part, start, begin) for part in goal.parts]
        self.total = int(_achieves(goal) and not goal.holds(begin, start))

    def see(self, now: Snapshot) -> None:
        for part in self.parts:
            part.see(now)
        self.holds = any(part.holds for part in self.parts)
        self.broken = self.parts[0].broken if all(part.broken for part in self.parts) else ''
        self.pending = any(part.pending for part in self.parts)
        self.made = self.done = int(self.holds) * self.total
        self.lacks = int(not self.holds)
        self.nearing = 0.0 if self.holds else max(part.reward for part in self.parts) * self.total

    def clauses(self, now: Snapshot) -> list[tuple[Goal, bool]]:
        return [clause for part in self.parts for clause in part.clauses(now)]


class _Then(Watch):
    """Only the active part receives snapshots. Once it holds it is latched, and the next part becomes active at the next snapshot.

    What is then to do for that part is told from the snapshot in which the one before held: things that are to come back to where they
    were at the start are elsewhere by then.
    """

    def __init__(self, goal: Goal, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.parts = [watch(part, start, begin) for part in goal.parts]
        self.weights = [int(_achieves(part)) for part in goal.parts]
        self.total = sum(self.weights)
        self.active = 0

    def see(self, now: Snapshot) -> None:
        part, last = self.parts[self.active], self.active == len(self.parts) - 1
        part.see(now)
        self.broken, self.pending = part.broken, part.pending
        self.holds = last and part.holds
        latched = sum(self.weights[: self.active])
        weight = self.weights[self.active]
        self.made = max(self.made, latched + int(part.holds) * weight)
        self.lacks = max(self.total - latched - int(part.holds) * weight, int(not self.holds))
        self.done = latched + int(part.holds) * weight
        self.nearing = 0.0 if part.holds else part.reward * weight
        if part.holds and not last:
            self.active += 1
            self.parts[self.active] = watch(self.goal.parts[self.active], self.start, begin=now)

    def clauses(self, now: Snapshot) -> list[tuple[Goal, bool]]:
        passed = [(clause, True) for part in self.goal.parts[: self.active] for clause in reported(part)]
        return passed + [clause for part in self.parts[self.active :] for clause in part.clauses(now)]


class _Once(Watch):
    def __init__(self, goal: Once, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.inner = goal.goal
        self.inside = watch(self.inner, start, begin)
        self.total = int(not self.inner.holds(begin, start))

    def see(self, now: Snapshot) -> None:
        self.inside.see(now)
        self.holds = self.holds or self.inner.happened(now, self.start)
        self.made = self.done = int(self.holds) * self.total
        self.lacks = int(not self.holds)
        self.nearing = _unfinished(self.inside, self.total) if not self.holds else 0.0

    def clauses(self, now: Snapshot) -> list[tuple[Goal, bool]]:
        return [(clause, self.holds or holds) for clause, holds in super().clauses(now)]


class _Never(Watch):
    def __init__(self, goal: Never, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.inner = goal.goal

    def see(self, now: Snapshot) -> None:
        if self.inner.happened(now, self.start):
            self.broken = self.goal.words()
        self.holds = not self.broken
        self.lacks = int(not self.holds)

    def clauses(self, now: Snapshot) -> list[tuple[Goal, bool]]:
        return [(self.goal, not self.broken)]


class _Held(Watch):
    def __init__(self, goal: Held, start: Snapshot, *, begin: Snapshot) -> None:
        super().__init__(goal, start, begin=begin)
        self.inner = goal.goal
        self.inside = watch(self.inner, start, begin)
        self.still = goal.still
        self.timer = Timer(goal.seconds)
        self.rest: list[Snapshot] = []  # the latest of a hold, in which nothing has strayed from the first
        self.total = int(not self.inner.holds(begin, start))

    def see(self, now: Snapshot) -> None:
        self.inside.see(now)
        inner = self.inside.holds
        if self.still:
            self._rest(now, on=inner)
            self.timer.since = self.rest[0].step if inner else None
        self.holds = self.timer.run(now, on=inner)
        self.pending = inner and not self.holds
        self.made = self.done = int(self.holds) * self.total
        self.lacks = int(not self.holds)
        self.nearing = _unfinished(self.inside, self.total) if not self.holds else 0.0

    def _rest(self, now: Snapshot, *, on: bool) -> None:
        """Add a snapshot. Where something has strayed, the rest begins at the earliest later one from which nothing has."""
        self.rest = [*self.rest, now] if on else []
        leaves = self.inner.leaves()
        last = self.rest[-1:]
        while any(leaf.strayed(later, self.rest[0]) for later in last for leaf in leaves):
            self.rest.pop(0)
            last = self.rest[:0:-1]  # where it began anew, all count; the newest is the farthest


for _word, _kind in ((All, _All), (Any, _Any), (Then, _Then), (Once, _Once), (Never, _Never), (Held, _Held)):
    _watch.register(_word, _kind)


@_watch.register
def _at_end(goal: AtEnd, start: Snapshot, *, begin: Snapshot) -> Watch:
    """Return the watch of what must hold at the end: the monitor knows when that is."""
    return watch(goal.goal, start, begin)


class Timer:
    """Measures whether a condition has been true for `seconds` of simulated time without a break.

    Attributes:
        since: the physics step from which it counts; None if the condition was not true.
    """

    def __init__(self, seconds: float) -> None:
        self._steps = round(seconds * PHYSICS_HZ)
        self.since: int | None = None

    def run(self, now: Snapshot, *, on: bool) -> bool:
        """Process the condition at the next snapshot, and return whether it has been true for long enough."""
        if not on:
            self.since = None
            return False
        self.since = now.step if self.since is None else self.since
        return now.step - self.since >= self._steps


def _achieves(goal: Goal) -> bool:
    """Return whether the goal contains something to achieve, rather than only gates."""
    if isinstance(goal, (Not, Never)):
        return False
    return isinstance(goal, (Leaf, Once, Held)) or any(_achieves(part) for part in goal.parts)


def _unfinished(inner: Watch, total: int) -> float:
    """Return the dense reward of a word of time that does not hold, from that of the goal in it."""
    return min(inner.reward, 1.0 - MISSING) * total
