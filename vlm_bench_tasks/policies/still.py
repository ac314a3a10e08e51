"""A policy that does nothing: what it solves was solved before it began."""

from typing import ClassVar

from vlm_bench_sim.core.command import Command, Stop, Wait
from vlm_bench_tasks.policy import EpisodeContext, Observation


class Still:
    """Waits for a second, then says that it is done."""

    privileged: ClassVar[bool] = False

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        return Wait(1.0) if observation.seconds < 1.0 else Stop()
