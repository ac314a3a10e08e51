"""Hold a prop in the air: at a height, or leaning by an angle. It is looked at there, and corrected after slips in the hand."""

from collections.abc import Callable, Iterator
from itertools import product
from math import cos, hypot, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.moving import Leaning, Raised, leaning
from vlm_bench_tasks.goals.placing import lowest
from vlm_bench_tasks.skills.carry import let_go, pick
from vlm_bench_tasks.skills.place_poses import EASY, PlacePose, PlacePoses
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for

SLOW = 0.3  # share of the arm's limits while a prop is raised or turned: it slips less
LOOKS = 4  # greatest number of corrections
NEAR = 0.003, radians(1.5)  # m and rad that a height or a lean may be off without a correction
TURNS = tuple(k * pi / 4 for k in (0, 1, -1, 2, -2, 3, -3, 4))  # turns about the vertical that are tried on the way
CLEAR = (0.25, 0.35)  # m between the table and the middle of a leaning prop


@skill_for.register
def lift(goal: Raised, now: Snapshot, context: SkillContext) -> Skill:
    """Grasp the prop and hold it at the required height: above where it is, or nearer to the robot if the arm cannot reach so high.

    Raises:
        SkillFailed: there is no grasp with which the prop can be held there, or it was lost.
    """
    foot = lowest(goal.prop, (context.start or now).pose(goal.prop.name))

    def risen(now: Snapshot) -> float:
        return lowest(goal.prop, now.pose(goal.prop.name)) - foot

    here = now.pose(goal.prop.name)
    spots = _spots(here, here.position[2] + goal.height - risen(now))
    now = yield from _brought(goal.prop, lambda: _about(here, spots), now, context)
    for _ in range(LOOKS):
        if abs(off := goal.height - risen(now)) < NEAR[0]:
            break
        now = yield ToolPose(now.tool.shifted((0.0, 0.0, off)), straight=True, speed=SLOW)
    return now


@skill_for.register
def incline(goal: Leaning, now: Snapshot, context: SkillContext) -> Skill:
    """Grasp the prop, lift it and lean it by the required angle.

    Raises:
        SkillFailed: there is no grasp with which the prop can be held so, or it was lost.
    """
    if context.profile.gripper.suction:
        raise SkillFailed(
            f'Suction cups cannot hold {goal.prop.name} while it leans: they seal on flat faces only. Use a robot with fingers.'
        )
    here = now.pose(goal.prop.name)
    tipped = _turned(here, here, goal.angle)
    spots = [spot for height in CLEAR for spot in _spots(here, context.scene.table.top + height)]
    now = yield from _brought(goal.prop, lambda: _about(tipped, spots), now, context)
    for _ in range(LOOKS):
        at = now.pose(goal.prop.name)
        if abs(leaning(at) - goal.angle) < NEAR[1]:
            break
        now = yield ToolPose(_turned(now.tool, at, goal.angle), straight=True, speed=SLOW)
    return now


def _brought(prop: Prop, poses: Callable[[], Iterator[Pose]], now: Snapshot, context: SkillContext) -> Skill:
    """Grasp a prop so that it can be brought to one of the poses, and bring it there.

    Raises:
        SkillFailed: no pose is feasible.
    """

    def where(in_tool: Pose) -> Iterator[PlacePose]:
        tools = (ToolPose(pose @ in_tool.inverse(), speed=SLOW) for pose in poses())
        return (PlacePose(tool, tool) for tool in tools)

    if now.held not in ('', prop.name):
        now = yield from let_go(now, context)
    if now.held != prop.name:
        now = yield from pick(prop, where, now, context)
    return (yield from _carried(prop, where, now, context))


def _carried(prop: Prop, where: PlacePoses, now: Snapshot, context: SkillContext) -> Skill:
    for one in where(now.tool.inverse() @ now.pose(prop.name)):
        if not context.check(now, (one.down,)).feasible:
            continue
        try:
            now = yield one.down
        except CommandFailed:
            continue
        if now.held != prop.name:
            raise SkillFailed(f'{prop.name} was lost on the way.')
        return now
    raise SkillFailed(f'{prop.name} cannot be held there with this grasp.')


def _spots(here: Pose, height: float) -> list[Pose]:
    """Return places at a height, m: over the present one, and nearer to the robot on the same bearing."""
    x, y, _ = here.position
    far = hypot(x, y)
    shares = [1.0, *(EASY / far for _ in range(far > EASY)), 0.38 / far]
    return [Pose((x * share, y * share, height)) for share in shares]


def _about(pose: Pose, spots: list[Pose]) -> Iterator[Pose]:
    """Yield poses with the pose's lean at each of the spots, each also turned about the vertical."""
    for spot, turn in product(spots, TURNS):
        yield Pose.from_rpy(spot.position, (0.0, 0.0, turn)) @ Pose(orientation=pose.orientation)


def _turned(tool: Pose, held: Pose, angle: float) -> Pose:
    """Return a tool pose turned in place until the z axis of what it holds at pose `held` leans by an angle, rad."""
    axis = np.cross(held.rotation[:, 2], (0.0, 0.0, 1.0))
    axis = held.rotation[:, 0] if norm(axis) < 1e-6 else axis / norm(axis)
    half = (leaning(held) - angle) / 2
    turn = Pose(orientation=(*vector(sin(half) * axis), cos(half)))
    return Pose(tool.position, (turn @ Pose(orientation=tool.orientation)).orientation)
