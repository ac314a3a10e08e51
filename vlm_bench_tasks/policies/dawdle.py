"""A control: it begins as the expert does, and then hovers. It shows what being near earns, which must be little."""

from vlm_bench_sim.core.command import Command, Grip, Seal, Stop, Wait
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policies.random_policy import LASTS
from vlm_bench_tasks.policy import EpisodeContext, Observation


class Dawdle(Oracle):
    """Goes to the first thing as the expert does, then stays there without doing anything, as long as the random policy plays.

    Where nothing is to be taken, or it is in the hand from the start, going there would be the task, and it stays where it is.
    """

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        super().reset(context)
        self._there = False

    def act(self, observation: Observation) -> Command:
        """Return the expert's commands up to its first motion, and then pauses."""
        if observation.seconds >= LASTS:
            return Stop()
        now = observation.truth
        self._there = self._there or (now is not None and all(leaf.taken(now) for leaf in leaves_of(self._plan)))
        if self._there:
            return Wait(1.0)
        command = super().act(observation)
        self._there = not isinstance(command, (Grip, Seal))
        return command
