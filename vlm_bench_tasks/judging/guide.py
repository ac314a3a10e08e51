"""What the aids subgoals and oracle_stop say to a policy: the next part of the plan, and whether the goal holds."""

from collections.abc import Collection

from vlm_bench_sim.core.aids import STOPPING, SUBGOALS
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.judging.watch import Watch, watch


class Guide:
    """Observes an episode, and advises the policy as far as its aids allow.

    Args:
        goal: goal of the episode.
        plan: goal whose parts are the subgoals.
        aids: names of the aids in use.
    """

    def __init__(self, goal: Goal, plan: Goal, *, aids: Collection[str]) -> None:
        self._goal, self._stops = goal, STOPPING in aids
        self._leaves = leaves_of(plan) if SUBGOALS in aids else ()
        self._watch: Watch | None = None
        self._start: Snapshot | None = None
        self._now: Snapshot | None = None

    def see(self, now: Snapshot) -> None:
        """Receive the snapshot of a control period; the first one is the start, and a repeated one changes nothing."""
        if self._now is not None and self._now.seq == now.seq:
            return
        self._start, self._now = self._start or now, now
        if self._stops:
            self._watch = self._watch or watch(self._goal, now)
            self._watch.see(now)

    @property
    def subgoal(self) -> str:
        """A sentence for the first part of the plan that does not hold yet, or for the last part if all hold; '' without that aid."""
        now, start = self._now, self._start
        if now is None or start is None or not self._leaves:
            return ''
        left = [leaf for leaf in self._leaves if not leaf.holds(now, start)] or list(self._leaves[-1:])
        return f'See to it that {left[0].words()}.'

    @property
    def stop(self) -> bool:
        """True if the policy is to be stopped, because the goal holds."""
        return self._watch is not None and self._watch.holds
