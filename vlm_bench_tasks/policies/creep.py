"""Controls: experts that lead a thing through every value of a goal, slowly or with rests, until it can go no farther."""

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from math import ceil, pi
from typing import NamedTuple

import numpy as np

from vlm_bench_sim.core.command import Command, Stop, ToolPose
from vlm_bench_sim.core.matter import fill
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.filling import Filled
from vlm_bench_tasks.goals.logic import Held, then
from vlm_bench_tasks.goals.mechanisms import JointAt
from vlm_bench_tasks.goals.moving import Leaning, Raised, leaning
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation

SPEED = 0.02
"""Share of the arm's limits at which it moves what it holds."""

HIGH = 0.48
"""Height to which it raises a prop, m."""

RESTS = 2.0
"""Time for which `StopAndGo` rests at a value, s: as long as ARNOLD's goals must hold."""

APART = 1.5
"""Tolerances between two values at which it rests: below 2, so that none is passed over."""


class Creep(Oracle):
    """Takes hold as the expert does, and then leads the thing slowly past the goal, as far as it goes.

    It means no value, so a judge that asks for one must not let it pass: its score shows what slow passing earns.
    A goal at the end of the way, such as a drawer that shall be completely open, is no such value. Where a goal
    asks for no number, it stops at once.
    """

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        told = context.privileged_info
        leaves = [leaf for leaf in told.plan.leaves() if leaf.number is not None] if told is not None else []
        self._idle = not leaves
        if told is not None and leaves:
            context = replace(context, privileged_info=replace(told, plan=self._led(leaves[0])))
        super().reset(context)

    def _led(self, leaf: Leaf) -> Goal:
        """Return the goal at the far end of the way through a leaf's number; the leaf itself if there is no such end."""
        found = way(leaf)
        return found.at(found.end) if found else leaf

    def act(self, observation: Observation) -> Command:
        """Return the next command, slowed down once something is held."""
        if self._idle:
            return Stop()
        command = super().act(observation)
        held = observation.truth is not None and observation.truth.held
        return replace(command, speed=min(SPEED, command.speed)) if held and isinstance(command, ToolPose) else command


class StopAndGo(Creep):
    """Leads the thing as `Creep` does, but rests for 2 s at one value after the other, so that it is at rest at the goal, too.

    Only the end of the episode counts, so a rest at the goal on the way does not pass.
    """

    def _led(self, leaf: Leaf) -> Goal:
        found = way(leaf)
        if found is None:
            return leaf
        halts = np.linspace(found.begin, found.end, 1 + ceil(abs(found.end - found.begin) / (APART * found.within)))[1:].tolist()
        return then(*(Held(found.at(halt), RESTS) for halt in halts)) if halts else leaf


class Way(NamedTuple):
    """The way through a leaf's number: the leaf that asks for another number, where the way begins and ends, and the tolerance."""

    at: Callable[[float], Leaf]
    begin: float
    end: float
    within: float


@singledispatch
def way(leaf: Leaf) -> Way | None:
    """Return the way through a leaf's number to the far end; None if there is no such end."""
    return None


@way.register
def _joint(leaf: JointAt) -> Way:
    joint = leaf.joint
    begin = (joint.start - joint.lower) / (joint.upper - joint.lower)
    return Way(lambda share: replace(leaf, share=share), begin, 1.0 if leaf.share > begin else 0.0, leaf.within)


@way.register
def _filled(leaf: Filled) -> Way:
    begin = fill(leaf.vessel, leaf.beads.centres)
    return Way(lambda share: replace(leaf, share=share), begin, 0.0 if leaf.share < begin else 1.0, leaf.within)


@way.register
def _raised(leaf: Raised) -> Way:
    return Way(lambda height: replace(leaf, height=height), 0.0, HIGH, leaf.within)


@way.register
def _leaning(leaf: Leaning) -> Way:
    begin = leaning(leaf.prop.pose)
    return Way(lambda angle: replace(leaf, angle=angle), begin, pi if leaf.angle > begin else 0.0, leaf.within)
