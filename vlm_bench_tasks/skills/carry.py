"""Pick a prop up, carry it and put it down."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import pi

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.skills.hand import close_hand, open_hand, press, ready_hand, release
from vlm_bench_tasks.skills.skill import CommandFailed, Means, Skill, SkillFailed, skill_for

APPROACH = 0.08  # m back along the approach, before grasping (VLMbench: 8 cm)
LIFT = 0.10  # m up after grasping (VLMbench: 10 cm)
ABOVE = 0.10  # m over the place where a prop is put down
DROPS = (0.004, 0.02, 0.035)  # m between the prop and its support when the fingers open, the gentlest first
_STRAIGHT_DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))
YAWS = 8  # ways to turn a prop that is put down
LANDINGS = 2 * YAWS  # that a grasp is tried for before it is taken
TRIES = 6  # grasps tried before the skill gives up


@dataclass(frozen=True)
class Landing:
    """A tool pose at which a held prop is let go, with the one above it."""

    above: ToolPose
    down: ToolPose


@skill_for.register
def put_inside(goal: Inside, now: Snapshot, means: Means) -> Skill:
    """Bring the prop into the container and let it go there."""
    if now.held not in ('', goal.prop.name):
        now = yield from let_go(now, means)
    if now.held != goal.prop.name:
        now = yield from pick(goal.prop, goal.container, now, means)
    return (yield from place_inside(goal.prop, goal.container, now, means))


def pick(prop: Prop, container: Prop, now: Snapshot, means: Means) -> Skill:
    """Take a prop with a grasp from which it can also be put into the container, and lift it.

    Raises:
        SkillFailed: no grasp is feasible, or all that were tried lost the prop.
    """
    causes: list[str] = []
    for grasp in islice(_feasible(prop, container, now, means, causes), TRIES):
        try:
            now = yield from _take(prop, grasp, now, means)
            if now.held == prop.name:
                return now
            causes.append(f'lost the {prop.noun}')
        except CommandFailed as failed:
            causes.append(str(failed))
            now = yield open_hand(means.profile)
    why = '; '.join(cause.rstrip('.') for cause in causes[-3:]) or 'no grasp is known for its shape'
    raise SkillFailed(f'Cannot pick up {prop.name}: {why}.')


def place_inside(prop: Prop, container: Prop, now: Snapshot, means: Means) -> Skill:
    """Put the held prop down inside the container and withdraw.

    Raises:
        SkillFailed: no way to put it down is feasible, or all that were tried failed.
    """
    in_tool = now.tool.inverse() @ now.pose(prop.name)
    box = container.at(now.pose(container.name))
    feasible = (landing for landing in _landings(prop, box, in_tool) if means.check(now, (landing.above, landing.down)).feasible)
    tried = 0
    for landing in islice(feasible, TRIES):
        tried += 1
        try:
            now = yield landing.above
            if now.held != prop.name:
                raise SkillFailed(f'{prop.name} was lost on the way to {container.name}.')
            now = yield landing.down
            return (yield from let_go(now, means))
        except CommandFailed:
            continue
    raise SkillFailed(f'Cannot put {prop.name} down inside {container.name}: {tried} ways looked feasible, none was.')


def let_go(now: Snapshot, means: Means) -> Skill:
    """Open the fingers a little more than the prop is wide and withdraw along the approach."""
    held = now.held
    now = yield release(means.profile, now)
    away = now.tool @ Pose((0.0, 0.0, -APPROACH))
    return (yield ToolPose(away, straight=True, allowed=(held,) if held else ()))


def _take(prop: Prop, grasp: Grasp, now: Snapshot, means: Means) -> Skill:
    at = now.pose(prop.name) @ grasp.tool
    if now.opening < grasp.opening - 1e-3 or now.held:
        now = yield open_hand(means.profile)
    now = yield ToolPose(at @ Pose((0.0, 0.0, -APPROACH)))
    now = yield ready_hand(means.profile, grasp)
    now = yield ToolPose(at @ Pose((0.0, 0.0, press(means.profile))), straight=True, allowed=(prop.name,), speed=0.5)
    now = yield close_hand(means.profile)
    return (yield ToolPose(now.tool.shifted((0.0, 0.0, LIFT)), straight=True, allowed=(prop.name,), speed=0.5))


def _feasible(prop: Prop, container: Prop, now: Snapshot, means: Means, causes: list[str]) -> Iterator[Grasp]:
    """Yield the grasps of the prop, best first, that can be taken and lifted and let the prop be put down in the container."""
    box = container.at(now.pose(container.name))
    for grasp in means.planner.grasps(prop):
        at = now.pose(prop.name) @ grasp.tool
        reach = (ToolPose(at @ Pose((0.0, 0.0, -APPROACH))), ToolPose(at, straight=True, allowed=(prop.name,)))
        answer = means.check(now, reach, opening=grasp.opening)
        if not answer.feasible:
            causes.append(answer.reason)
            continue
        in_tool = grasp.tool.inverse()
        landings = islice(_landings(prop, box, in_tool), LANDINGS)
        holding = prop.at(in_tool)
        if any(means.check(now, (landing.above, landing.down), held=holding).feasible for landing in landings):
            yield grasp
        else:
            causes.append(f'this grasp leaves no way into {container.name}')


def _landings(prop: Prop, container: Prop, in_tool: Pose) -> Iterator[Landing]:
    """Yield tool poses that leave the prop on the container's floor, or let it drop a little, the gentlest first.

    The fingers open along the container's longer side where they can; the prop stands upright, or else as it hangs.

    Raises:
        SkillFailed: the container has no inside.
    """
    cavity = container.solid.cavity
    if cavity is None:
        raise SkillFailed(f'{container.name} has no inside.')
    x, y, z = container.pose.apply([(cavity.centre[0], cavity.centre[1], cavity.low[2])])[0].tolist()
    for drop in DROPS:
        for stance in (_upright(in_tool), Pose(orientation=(_STRAIGHT_DOWN @ in_tool).orientation)):
            lowest = float(stance.apply(prop.solid.vertices)[:, 2].min())
            turns = [Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, container.pose.yaw + k * 2 * pi / YAWS)) for k in range(YAWS)]
            tools = [Pose((x, y, z - lowest + drop), (turn @ stance).orientation) @ in_tool.inverse() for turn in turns]
            tools.sort(key=lambda tool: -round(abs(float(tool.rotation[:, 1] @ container.pose.rotation[:, 0])), 3))
            for tool in tools:
                down = ToolPose(tool, straight=True, allowed=(prop.name,), speed=0.5)
                yield Landing(ToolPose(tool.shifted((0.0, 0.0, ABOVE))), down)


def _upright(in_tool: Pose) -> Pose:
    """Return the orientation, with some axis of the prop exactly up, that is nearest to how it hangs in a tool pointing straight down."""
    hanging = (_STRAIGHT_DOWN @ in_tool).rotation
    axis = int(np.argmax(np.abs(hanging[2])))
    up = hanging[:, axis] * np.sign(hanging[2, axis])
    matrix = np.eye(4)
    matrix[:3, :3] = _turn_to_vertical(up) @ hanging
    return Pose.from_matrix(matrix)


def _turn_to_vertical(up: Floats) -> Floats:
    """Return the least rotation (3, 3) that takes the unit vector `up`, which has a positive z, to the vertical."""
    x, y, z = up
    tilt = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])
    turn: Floats = np.eye(3) + tilt + tilt @ tilt / (1 + z)
    return turn
