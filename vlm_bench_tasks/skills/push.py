"""Push a prop along the table, or topple it."""

from collections.abc import Iterator
from math import atan2, cos, pi, sin

import numpy as np

from vlm_bench_sim.core.algebra import matmul, norm
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.moving import Moved, Toppled, Toward
from vlm_bench_tasks.goals.placing import highest
from vlm_bench_tasks.skills.carry import let_go
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for

SHY = 0.03  # m between the fingertips and the prop before contact
FARTHER = 0.02  # m pushed beyond the requested distance
LOW, HIGH = 0.4, 0.9  # share of a prop's height at which it is pushed along the table, and toppled
WAYS = 16  # number of directions that are tried
_RISE = 0.10
_CARE = 0.3
_LOWEST = 0.012  # least height of the tool above the table, m


@skill_for.register
def push_away(goal: Moved, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop by the required distance, in any direction with room."""
    headings = (np.array([cos(a), sin(a)]) for a in (2 * pi * k / WAYS for k in range(WAYS)))
    return (yield from push(goal.prop, headings, goal.distance(now, context.start or now) + FARTHER, now=now, context=context))


@skill_for.register
def push_towards(goal: Toward, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop straight towards the target, as far as required."""
    ahead, first = goal.ahead(now), norm(goal.ahead(context.start or now))
    left = norm(ahead)
    far = left - (1 - goal.share) * first + FARTHER
    return (yield from push(goal.prop, iter([ahead / left]), far, now=now, context=context))


@skill_for.register
def push_over(goal: Toppled, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop near its top until it falls."""
    headings = (np.array([cos(a), sin(a)]) for a in (2 * pi * k / WAYS for k in range(WAYS)))
    return (yield from push(goal.prop, headings, max(goal.prop.size[:2]), now=now, context=context, share=HIGH))


def push(prop: Prop, headings: Iterator[Floats], far: float, *, now: Snapshot, context: SkillContext, share: float = LOW) -> Skill:
    """Lower the closed fingers behind the prop, push it, and rise.

    Args:
        prop: the prop to push.
        headings: directions, unit vectors (2,) in the plane, the best first.
        far: distance to push, m.
        now: the newest snapshot.
        context: context of the skill.
        share: share of the prop's height at which it is pushed.

    Raises:
        SkillFailed: no direction leaves enough room for the hand.
    """
    if now.held:
        now = yield from let_go(now, context)
    now = yield context.profile.gripper.fist()
    for heading in headings:
        for behind, end in _strokes(prop, now.pose(prop.name), heading, far, share):
            above = ToolPose(behind.shifted((0.0, 0.0, _RISE)))
            down = ToolPose(behind, straight=True)
            stroke = ToolPose(end, straight=True, allowed=(prop.name,), speed=_CARE)
            if not context.check(now, (above, down, stroke)).feasible:
                continue
            try:
                now = yield above
                now = yield down
                now = yield stroke
            except CommandFailed:
                continue
            return (yield ToolPose(now.tool.shifted((0.0, 0.0, _RISE)), straight=True, allowed=(prop.name,)))
    raise SkillFailed(f'Cannot push {prop.name}: no direction leaves enough room for the hand.')


def _strokes(prop: Prop, pose: Pose, heading: Floats, far: float, share: float) -> Iterator[tuple[Pose, Pose]]:
    """Yield the first and last tool pose of a push, with the fingers side by side or one behind the other."""
    reach = float(matmul(pose.apply(prop.solid.vertices)[:, :2] - np.asarray(pose.position[:2]), heading).min())
    begin = np.asarray(pose.position[:2]) + (reach - SHY) * heading
    end = begin + (SHY + far) * heading
    height = max(_LOWEST, share * highest(prop, pose))
    yaw = atan2(heading[1], heading[0])
    for turn in (pi / 2, -pi / 2, 0.0, pi):
        rpy = (pi, 0.0, yaw + turn)
        yield Pose.from_rpy((*begin.tolist(), height), rpy), Pose.from_rpy((*end.tolist(), height), rpy)
