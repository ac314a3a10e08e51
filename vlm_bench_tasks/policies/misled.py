"""Experts that do not listen: what they reach is what a score is worth that knows the scene and not the sentence."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import Briefing, Observation


class OracleBlind(Oracle):
    """Solves the scene by another sentence that is true of it, drawn from the episode's alternatives; without any it stops at once."""

    def reset(self, briefing: Briefing) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the briefing holds no episode or no planner.
        """
        secret = briefing.secret
        self._idle = secret is not None and not secret.alternatives
        if secret is not None and secret.alternatives:
            drawn = int(np.random.default_rng(briefing.seed).integers(len(secret.alternatives)))
            briefing = replace(briefing, secret=replace(secret, plan=secret.alternatives[drawn]))
        super().reset(briefing)

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        return Stop() if self._idle else super().act(observation)


class LanguageIgnored(Oracle):
    """Follows the first of all plans that a sentence could ask for in the scene, whatever the sentence says."""

    def reset(self, briefing: Briefing) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the briefing holds no episode or no planner.
        """
        if briefing.secret is not None:
            briefing = replace(briefing, secret=replace(briefing.secret, plan=first((briefing.secret.plan, *briefing.secret.alternatives))))
        super().reset(briefing)


def first(plans: Iterable[Goal]) -> Goal:
    """Return the first of all plans in the order of their JSON, in which names, that are drawn, stand before all else."""
    return min(plans, key=dumps)
