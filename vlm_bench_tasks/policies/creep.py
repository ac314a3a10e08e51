"""A control: an expert that moves slowly through every value of a goal, and stops nowhere until the thing can go no farther."""

from dataclasses import replace
from functools import singledispatch
from math import pi

from vlm_bench_sim.core.command import Command, Stop, ToolPose
from vlm_bench_sim.core.matter import fill
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.filling import Filled
from vlm_bench_tasks.goals.mechanisms import JointAt
from vlm_bench_tasks.goals.moving import Leaning, Raised, leaning
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation

SPEED = 0.02
"""Share of the arm's limits at which it moves what it holds."""

HIGH = 0.48
"""Height to which it raises a prop, m."""


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
            context = replace(context, privileged_info=replace(told, plan=past(leaves[0])))
        super().reset(context)

    def act(self, observation: Observation) -> Command:
        """Return the next command, slowed down once something is held."""
        if self._idle:
            return Stop()
        command = super().act(observation)
        held = observation.truth is not None and observation.truth.held
        return replace(command, speed=min(SPEED, command.speed)) if held and isinstance(command, ToolPose) else command


@singledispatch
def past(leaf: Leaf) -> Goal:
    """Return the goal at the far end of the way through a leaf's number; the leaf itself if there is no such end."""
    return leaf


@past.register
def _joint(leaf: JointAt) -> Goal:
    return replace(leaf, share=1.0 if leaf.target > leaf.joint.start else 0.0)


@past.register
def _filled(leaf: Filled) -> Goal:
    return replace(leaf, share=0.0 if leaf.share < fill(leaf.vessel, leaf.beads.centres) else 1.0)


@past.register
def _raised(leaf: Raised) -> Goal:
    return replace(leaf, height=HIGH)


@past.register
def _leaning(leaf: Leaning) -> Goal:
    return replace(leaf, angle=pi if leaf.angle > leaning(leaf.prop.pose) else 0.0)
