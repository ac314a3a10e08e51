"""What a skill is, and which skill makes which goal true."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Planner, PlanRequest, obstacles
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot

Skill = Generator[Command, Snapshot, Snapshot]
"""Yields commands, is sent the snapshot after each, and returns the last one."""


class CommandFailed(VlmBenchError):
    """The last command did not come to its end; thrown into the skill that yielded it."""


class SkillFailed(VlmBenchError):
    """A skill has no more ways to try from here."""


class Dropped(SkillFailed):
    """The hand let go by itself of what it carried, which no plan could have foreseen."""


@dataclass(frozen=True)
class SkillContext:
    """What a skill may use: the robot, the things in the scene, questions to a planner, and how the episode began (None: it begins now)."""

    profile: RobotProfile
    scene: Scene
    planner: Planner
    start: Snapshot | None = None

    def check(self, now: Snapshot, chain: tuple[ToolPose, ...], *, held: Prop | None = None, opening: float | None = None) -> Feasibility:
        """Return whether the chain of tool poses can be taken from here.

        Args:
            now: where everything is.
            chain: tool poses in the world; what one of them may touch, all may.
            held: a prop that is to count as held, with its pose in the tool frame; None: the one that is.
            opening: full width between the fingers on the way, m; None: as it is now.
        """
        props, holding = obstacles(self.scene, now)
        if held is not None:
            props, holding = tuple(p for p in props if p.name != held.name), held
        allowed = tuple(sorted({name for target in chain for name in target.allowed}))
        chain = tuple(replace(target, allowed=allowed) for target in chain)
        width = now.opening if opening is None else opening
        asked = PlanRequest(now.arm(self.profile.joints), chain[0], props, holding, opening=width, floor=self.scene.table.top)
        return self.planner.check(asked, chain)


@singledispatch
def skill_for(goal: Any, now: Snapshot, context: SkillContext) -> Skill:
    """Return the skill that makes `goal` true from the state `now`.

    Raises:
        SkillFailed: there is no skill for such a goal.
    """
    raise SkillFailed(f'No skill makes {type(goal).__name__} true. Register one with @skill_for.register in vlm_bench_tasks/skills.')
