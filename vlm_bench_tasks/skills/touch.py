"""Touch, hold or turn a prop, or bring the tool to a pose."""

from dataclasses import replace
from math import pi

from vlm_bench_sim.core.command import Both, ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Snapshot
from vlm_bench_tasks.goals.moving import Turned
from vlm_bench_tasks.goals.placing import highest
from vlm_bench_tasks.goals.touching import Grasped, Reached, Touching
from vlm_bench_tasks.skills.carry import calmed, carry, come_to_rest, let_go, pick
from vlm_bench_tasks.skills.place_poses import exactly
from vlm_bench_tasks.skills.push import push_off
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for

HOVER = 0.06  # m above a prop before it is touched
NEAR, STEP, DEEP = 0.015, 0.003, 0.006  # m: from where the tool feels its way, by how much at a time, and how far below the surface at most
AWAITED = 20  # control periods in which two props must touch: as long as a fall from 5 m
_WAYS = 8  # number of yaw angles of the hand that are tried
_CARE = 0.2


@skill_for.register
def touch(goal: Touching, now: Snapshot, context: SkillContext) -> Skill:
    """Touch the prop from above, with the hand closed, feeling the way: where fingertips end may be some millimetres from the tool.

    Two props touch by what else is done with them; what flies or rolls is only waited for. What does not lie on the table is pushed off
    what it lies on.

    Raises:
        SkillFailed: the prop cannot be reached, no contact was felt, or the two props did not touch.
    """
    if goal.other == TABLE:
        now = yield from push_off(goal.prop, now, context)
    if goal.other != ROBOT:
        return (yield from _awaited(goal, now))
    if now.held:
        now = yield from let_go(now, context)
    now = yield context.profile.gripper.fist()
    x, y, _ = now.pose(goal.prop.name).position
    top = highest(goal.prop, now.pose(goal.prop.name))
    for turn in range(_WAYS):
        tool = Pose.from_rpy((x, y, top), (pi, 0.0, turn * 2 * pi / _WAYS))
        above, down = ToolPose(tool.shifted((0.0, 0.0, HOVER))), ToolPose(tool, straight=True, allowed=(goal.prop.name,), speed=_CARE)
        if context.check(now, (above, replace(down, pose=tool.shifted((0.0, 0.0, -DEEP))))).feasible:
            now = yield above
            now = yield from _felt(goal, down, now)
            return (yield replace(above, straight=True, allowed=(goal.prop.name,)))
    raise SkillFailed(f'Cannot touch {goal.prop.name}: no way down to it was found.')


def _awaited(goal: Touching, now: Snapshot) -> Skill:
    """Wait until the two props touch, and then until they are at rest.

    Raises:
        SkillFailed: they did not touch.
    """
    for _ in range(AWAITED):
        if goal.happened(now, now):
            now, _ = yield from calmed(goal, now)
            return now
        now = yield Both()
    raise SkillFailed(f'It did not come about: {goal.words()}. No skill brings two things together; use a goal that says how, such as On.')


def _felt(goal: Touching, down: ToolPose, now: Snapshot) -> Skill:
    """Lower the tool step by step until it touches the prop.

    Args:
        goal: the touch.
        down: the pose at the prop's surface.
        now: the newest snapshot.

    Raises:
        SkillFailed: there was no contact.
    """
    for step in range(round((NEAR + DEEP) / STEP) + 1):
        try:
            now = yield replace(down, pose=down.pose.shifted((0.0, 0.0, NEAR - step * STEP)))
        except CommandFailed:
            now = yield Wait(0.05)  # the arm was stopped by the prop
        if goal.happened(now, now):
            return now
    raise SkillFailed(f'Cannot touch {goal.prop.name}: no contact was felt down to {1e3 * DEEP:.0f} mm below its highest point.')


@skill_for.register
def hold(goal: Grasped, now: Snapshot, context: SkillContext) -> Skill:
    """Grasp the prop and lift it."""
    if now.held not in ('', goal.prop.name):
        now = yield from let_go(now, context)
    if now.held != goal.prop.name:
        now = yield from pick(goal.prop, None, now, context)
    return now


@skill_for.register
def turn_over(goal: Turned, now: Snapshot, context: SkillContext) -> Skill:
    """Pick the prop up, turn it, and put it back."""
    where = exactly(goal.prop, goal.wanted(context.start or now))
    now = yield from carry(goal.prop, lambda _: where, now, context)
    return (yield from come_to_rest(goal, now, context))


@skill_for.register
def reach(goal: Reached, now: Snapshot, context: SkillContext) -> Skill:
    """Bring the tool to the pose."""
    return (yield ToolPose(goal.pose))
