"""How far a plan has come. A plan that is begun again goes on from there, also where its last part is true at the start: put it back."""

from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.logic import All, Once, Then, of_time
from vlm_bench_tasks.goals.units import numbered_leaves


class Progress:
    """The part that is due of each `Then` in a plan, and what happened once.

    As in judging, parts latch one after the other, and the last one never does.
    """

    def __init__(self) -> None:
        self._due: dict[Then, int] = {}
        self._passed: set[Once] = set()

    @property
    def latched(self) -> int:
        """The number of parts that are behind the plan."""
        return sum(self._due.values())

    def due(self, goal: Then) -> int:
        """Return the index of the part that is due."""
        return self._due.get(goal, 0)

    def see(self, goal: Goal, now: Snapshot, start: Snapshot) -> None:
        """Latch the parts of a plan that are due and that a snapshot shows to be true. It cannot show that a thing has lasted."""
        parts = goal.parts
        if isinstance(goal, Once) and goal.holds(now, start):
            self._passed.add(goal)
        if isinstance(goal, Then):
            while shown(parts[self.due(goal)], now, start) and self.latch(goal, self.due(goal)):
                pass
            parts = (parts[self.due(goal)],)
        for part in parts:
            self.see(part, now, start)

    def latch(self, goal: Then, index: int) -> bool:
        """Put a part and those before it behind the plan, except the last. Return whether it was not yet there."""
        more = self.due(goal) <= index < len(goal.parts) - 1
        if more:
            self._due[goal] = index + 1
        return more

    def done(self, goal: Goal, now: Snapshot, start: Snapshot) -> bool:
        """Return whether a plan holds, counting what happened once at an earlier snapshot."""
        if isinstance(goal, Once):
            return goal in self._passed or goal.holds(now, start)
        if isinstance(goal, Then):
            return self.due(goal) == len(goal.parts) - 1 and self.done(goal.parts[-1], now, start)
        if isinstance(goal, All):
            return all(self.done(part, now, start) for part in goal.parts)
        return goal.holds(now, start)

    def leaves(self, plan: Goal) -> tuple[tuple[int, Leaf], ...]:
        """Return the leaves that a plan must still make true, from left to right, without those of gates, each with its index."""
        return numbered_leaves(plan, self.due)


def shown(goal: Goal, now: Snapshot, start: Snapshot) -> bool:
    """Return whether a snapshot shows that a goal is true. A goal that must last, or come in an order, shows only to those who watch it."""
    return (isinstance(goal, Once) or not of_time(goal)) and goal.holds(now, start)
