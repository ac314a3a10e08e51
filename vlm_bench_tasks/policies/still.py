"""A baseline that does nothing. It solves only episodes that were solved at the start."""

from vlm_bench_sim.core.command import Command, Stop, Wait
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player


class Still(Player):
    """Waits for one second, then stops."""

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        return Wait(1.0) if observation.seconds < 1.0 else Stop()
