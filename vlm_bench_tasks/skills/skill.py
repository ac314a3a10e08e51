"""Skills: their interface, and the registry from goals to skills."""

from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Planner, PlanRequest, obstacles
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.skills.progress import Progress
from vlm_bench_tasks.skills.trace import Steps, Trace

Skill = Steps
"""A generator that yields commands, receives the snapshot after each, and returns the last snapshot."""


class CommandFailed(VlmBenchError):
    """The last command was not completed. It is thrown into the skill that yielded the command."""


class SkillFailed(VlmBenchError):
    """A skill has nothing left to try in the present state."""


class Dropped(SkillFailed):
    """The gripper opened by itself and dropped what it carried. No plan could have foreseen it."""


@dataclass(frozen=True)
class SkillContext:
    """What a skill may use.

    Attributes:
        profile: the robot.
        scene: the scene as it began.
        planner: a planner.
        start: the first snapshot of the episode; None: the episode begins now.
        progress: how far the episode's plan has come.
        trace: notes the skills that are carried out.
    """

    profile: RobotProfile
    scene: Scene
    planner: Planner
    start: Snapshot | None = None
    progress: Progress = field(default_factory=Progress)
    trace: Trace = field(default_factory=Trace)

    def check(self, now: Snapshot, chain: tuple[ToolPose, ...], *, held: Prop | None = None, opening: float | None = None) -> Feasibility:
        """Return whether a chain of tool poses is feasible from the present state.

        Args:
            now: the newest snapshot.
            chain: tool poses in the world. What one of them may touch, all may.
            held: a prop to treat as held, with its pose in the tool frame; None: the prop that is held now.
            opening: full width between the fingers during the motion, m; None: the present one.
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
def _none(goal: Any, now: Snapshot, context: SkillContext) -> Skill:
    raise SkillFailed(f'No skill makes {type(goal).__name__} true. Register one with @skill_for.register in vlm_bench_tasks/skills.')


class SkillRegistry:
    """The skills by kind of goal.

    Attributes:
        register: decorator that registers a skill for the kind of its first argument, or for the kind that is given.
        dispatch: returns the skill that is registered for a kind of goal.
    """

    def __init__(self) -> None:
        self.register, self.dispatch = _none.register, _none.dispatch

    def __call__(self, goal: Any, now: Snapshot, context: SkillContext) -> Skill:
        """Return the skill that makes `goal` true from the state `now`.

        Raises:
            SkillFailed: there is no skill for this kind of goal.
        """
        skill = self.dispatch(type(goal))
        return context.trace.follow(skill.__name__, skill(goal, now, context), goal.words(), goal)


skill_for = SkillRegistry()
