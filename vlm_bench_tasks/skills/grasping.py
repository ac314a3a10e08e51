"""Grasping: approach, grasp, lift and retreat."""

from collections.abc import Callable

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.skills.skill import Skill, SkillContext

APPROACH = 0.08
"""Distance from the pre-grasp pose to the grasp along the approach, m (VLMbench: 8 cm)."""

LIFT = 0.10
"""Height that a grasped thing is lifted, m (VLMbench: 10 cm)."""

SPEED = 0.5
"""Speed of the tool near things, as a share of the arm's limits."""


def back(tool: Pose, distance: float = APPROACH) -> Pose:
    """Return the tool pose moved back along its approach by a distance in m."""
    return tool @ Pose((0.0, 0.0, -distance))


def lifted(tool: Pose) -> Pose:
    """Return the tool pose moved up by `LIFT`."""
    return tool.shifted((0.0, 0.0, LIFT))


def reach(at: Pose, *allowed: str, speed: float = SPEED) -> tuple[ToolPose, ToolPose]:
    """Return the tool poses to a grasp: the pre-grasp pose, and a straight approach from there.

    Args:
        at: pose of the tool in the world at the grasp.
        allowed: what the gripper may touch during the approach.
        speed: share of the arm's limits during the approach.
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
    """Approach with an open gripper and grasp.

    Args:
        at: pose of the tool in the world at the grasp.
        grasp: the grasp, with the opening that the fingers need.
        context: context of the skill.
        allowed: what the gripper may touch during the approach.
        speed: share of the arm's limits during the approach.
        yielding: whether the thing gives way to a touch, as a hinged part does. Cups then suck during the approach, because they would
            push it away before they could seal on it.
        check: called before the approach with the snapshot and the command of the approach. Its exception ends the skill.
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
