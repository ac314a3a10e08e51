"""Grasping: come to a grasp from before it, take hold, lift, and go back."""

from collections.abc import Callable

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.skills.skill import Skill, SkillContext

APPROACH = 0.08
"""How far before a grasp the tool turns in, along its approach, m (VLMbench: 8 cm)."""

LIFT = 0.10
"""How far up what was taken is lifted, m (VLMbench: 10 cm)."""

SPEED = 0.5
"""Share of the arm's limits with which the tool moves near things."""


def back(tool: Pose, distance: float = APPROACH) -> Pose:
    """Return the pose of a tool that has gone back along its approach, by a distance in m."""
    return tool @ Pose((0.0, 0.0, -distance))


def lifted(tool: Pose) -> Pose:
    """Return the pose of a tool that has gone up by `LIFT`."""
    return tool.shifted((0.0, 0.0, LIFT))


def reach(at: Pose, *allowed: str, speed: float = SPEED) -> tuple[ToolPose, ToolPose]:
    """Return the way to a grasp: before it, and from there straight.

    Args:
        at: pose of the tool in the world when it takes hold.
        allowed: what the gripper may touch meanwhile.
        speed: share of the arm's limits on the straight part.
    """
    return ToolPose(back(at)), ToolPose(at, straight=True, allowed=allowed, speed=speed)


def take(
    at: Pose,
    grasp: Grasp,
    context: SkillContext,
    *,
    allowed: tuple[str, ...],
    speed: float = SPEED,
    yielding: bool = False,
    check: Callable[[Snapshot, ToolPose], None] | None = None,
) -> Skill:
    """Come to a grasp with an open gripper, and take hold.

    Args:
        at: pose of the tool in the world when it takes hold.
        grasp: which is taken; its opening is what the fingers need.
        context: of the skill.
        allowed: what the gripper may touch meanwhile.
        speed: share of the arm's limits on the straight part.
        yielding: whether what is taken gives way to a touch, as what moves on hinges does. Then cups suck as they come:
            they would push it away before they could seal on it.
        check: called before the straight part with what is seen and the command of it; raises what the skill shall end with.
    """
    gripper = context.profile.gripper
    early = yielding and gripper.suction
    before, _ = reach(at)
    _, touch = reach(at if early else back(at, -gripper.press), *allowed, speed=speed)
    yield before
    now = yield gripper.close() if early else gripper.ready(grasp.opening)
    if check is not None:
        check(now, touch)
    now = yield touch
    return now if early else (yield gripper.close())
