"""Language-ablation baselines: experts that ignore the instruction or its pictures. They show the score reachable from the scene alone."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation


class OracleBlind(Oracle):
    """Follows a random one of the episode's alternatives, the goals of other valid instructions. Without any it stops at once."""

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        privileged_info = context.privileged_info
        self._idle = privileged_info is not None and not privileged_info.alternatives
        if privileged_info is not None and privileged_info.alternatives:
            drawn = int(np.random.default_rng(context.seed).integers(len(privileged_info.alternatives)))
            context = replace(context, privileged_info=replace(privileged_info, plan=privileged_info.alternatives[drawn]))
        super().reset(context)

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        return Stop() if self._idle else super().act(observation)


class LanguageIgnored(Oracle):
    """Follows the first of all plans that an instruction could ask for in the scene, whatever the instruction says."""

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        if context.privileged_info is not None:
            context = replace(
                context,
                privileged_info=replace(
                    context.privileged_info, plan=first((context.privileged_info.plan, *context.privileged_info.alternatives))
                ),
            )
        super().reset(context)


class PictureBlind(Oracle):
    """Follows a random one of all plans that the pictures of a prompt could ask for in the scene, as if it had not seen them."""

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        known = context.privileged_info
        if known is not None:
            plans = sorted((known.plan, *known.alternatives), key=dumps)
            drawn = plans[int(np.random.default_rng(context.seed).integers(len(plans)))]
            context = replace(context, privileged_info=replace(known, plan=drawn))
        super().reset(context)


def first(plans: Iterable[Goal]) -> Goal:
    """Return the first plan in the order of their JSON. The order depends mainly on the names of props, which are random."""
    return min(plans, key=dumps)
