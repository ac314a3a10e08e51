"""The numbers of ARNOLD's goals: which is asked for from which start, and in which words."""

from typing import NamedTuple

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks.authoring import AtEnd, Draw, Goal, Held, JointAt

HOLD = 2.0
"""Time for which a goal must hold at rest, s (ARNOLD's checker)."""

APART = JointAt.within + 0.10
"""A goal that is a share differs from the start by more than its tolerance and ten points."""


def at_rest(goal: Goal) -> AtEnd:
    """Return the goal that at the end `goal` has held for 2 s while what it names stood still."""
    return AtEnd(Held(goal, HOLD, still=True))


class StartAndGoal(NamedTuple):
    """The number at the start, the number of the goal, and those that other sentences could ask for."""

    start: float
    goal: float
    others: tuple[float, ...]


class Numbers(Draw):
    """Draws the numbers of goals."""

    def start_and_goal(self, task: str, starts: tuple[float, ...], *, apart: float, within: float, way: int = 0) -> StartAndGoal:
        """Return a start and a goal. Every pair of a start and a goal that fit is as likely, so the start does not tell the goal.

        Args:
            task: name of the task in the split's pools.
            starts: numbers at which an episode may begin.
            apart: a goal differs from the start by more than this.
            within: tolerance of the goal. Numbers nearer than this to the goal are not named as others.
            way: 1 for goals above the start, -1 for goals below it, 0 for both.

        Raises:
            TaskError: no goal of the split lies that far from a start.
        """

        def fits(start: float, goal: float) -> bool:
            return abs(goal - start) > apart + 1e-9 and way * (goal - start) >= 0

        pairs = [(start, goal) for start in starts for goal in self.pools.goals(task) if fits(start, goal)]
        if not pairs:
            side = {1: 'above', -1: 'below', 0: 'from'}[way]
            raise TaskError(
                f'No goal of {task} ({", ".join(f"{goal:g}" for goal in self.pools.goals(task))}) lies more than {apart:g} {side} a start '
                f'({", ".join(f"{start:g}" for start in starts)}). Add such a goal to the split.'
            )
        start, goal = pairs[int(self.values.integers(len(pairs)))]
        known = self.pools.seen.get(task, ())
        return StartAndGoal(start, goal, tuple(other for other in known if fits(start, other) and abs(other - goal) > within - 1e-9))

    def worded(self, sentences: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sentences with their blank `{state}` filled, each with the next of the words, from a random one on."""
        first = int(self.language.integers(len(words)))
        return tuple(text.replace('{state}', words[(first + i) % len(words)]) for i, text in enumerate(sentences))
