"""What the aids subgoals, steps and oracle_stop say to a policy: the next part of the plan, the next step, and whether the goal holds."""

from collections.abc import Callable, Collection

from vlm_bench_sim.core.aids import STEPS, STOPPING, SUBGOALS
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
        steps: for the aid steps: function from the first and the present state to the next step; '' after the last.
    """

    def __init__(self, goal: Goal, plan: Goal, *, aids: Collection[str], steps: Callable[[Snapshot, Snapshot], str] | None = None) -> None:
        self._goal, self._stops = goal, STOPPING in aids
        self._steps, self._step = steps if STEPS in aids else None, ''
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
        if self._steps and not now.held:  # what is in the hand has not come to its place yet
            self._step = self._steps(self._start, now)

    @property
    def subgoal(self) -> str:
        """The next step; or a sentence for the first part of the plan that does not hold yet, or for the last part if all hold.

        '' without these aids, and after the last step.
        """
        now, start = self._now, self._start
        if self._steps:
            return self._step
        if now is None or start is None or not self._leaves:
            return ''
        left = [leaf for leaf in self._leaves if not leaf.holds(now, start)] or list(self._leaves[-1:])
        return f'See to it that {left[0].words()}.'

    @property
    def stop(self) -> bool:
        """True if the policy is to be stopped: the goal holds, or the last step is done."""
        over = self._steps is not None and self._now is not None and not self._step
        return over or (self._watch is not None and self._watch.holds)
