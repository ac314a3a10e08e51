"""Pick and place between two points on surfaces, as seen by a camera. Nothing else is known about the scene."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose, Quaternion, Vector, vector
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_tasks.agents.roles import Problem, StepFault
from vlm_bench_tasks.policy import Observation
from vlm_bench_tasks.skills import CommandFailed
from vlm_bench_tasks.skills.grasping import LIFT, SPEED, back

TALLEST = 0.5
"""Greatest height of the picked thing, m."""

_DEEP, _PRESS, _GAP = 0.02, 0.002, 0.002  # m: depth of the fingers below the point, press of the cups, gap below a thing at release
_YAWS = (0.0, pi / 2, pi, -pi / 2)
_LOWEST = 0.002  # m: least height of a thing

PointDeed = Generator[Command, Observation, Problem | None]
"""A generator that yields commands, receives the observation after each, and returns the problem, if any."""


@dataclass(frozen=True)
class Touch:
    """A point on a surface, and the orientation of the tool there.

    Attributes:
        point: position in the world, m.
        turn: orientation of the tool in the world; None: from above, with any feasible yaw.
    """

    point: Vector
    turn: Quaternion | None = None


def seen_at(column: int, row: int, depth: NDArray[Any], *, intrinsics: ArrayLike, camera: Pose) -> Vector:
    """Return the world position of the surface point at a pixel, m.

    Args:
        column: column of the pixel, from 0 at the left.
        row: row of the pixel, from 0 at the top.
        depth: depth image, (height, width) m along the optical axis; 0 where nothing is seen.
        intrinsics: camera matrix K, (3, 3) or its nine numbers row by row.
        camera: pose of the optical frame in the world.

    Raises:
        CommandError: the pixel is outside the image, or has no depth.
    """
    height, width = depth.shape
    if not (0 <= row < height and 0 <= column < width):
        raise CommandError(f'The picture has {width} x {height} pixels; column {column}, row {row} is outside. Name a pixel inside.')
    far = float(depth[row, column])
    if not (np.isfinite(far) and far > 0.0):
        raise CommandError(f'The depth picture shows nothing at column {column}, row {row}. Name a pixel of a surface.')
    (fx, skew, cx), (_, fy, cy), _ = np.reshape(intrinsics, (3, 3)).tolist()
    y = (row - cy) / fy
    ray = np.array([(column - cx - skew * y) / fx, y, 1.0])
    return vector(camera.apply((ray * far)[None])[0])


def carry(pick: Touch, place: Touch, *, height: float, profile: RobotProfile) -> PointDeed:
    """Pick at one point, and place the thing so that it stands on the other.

    Args:
        pick: point on top of the thing.
        place: point of the surface on which it will stand.
        height: height of the pick point above the thing's bottom, m.
        profile: profile of the robot.
    """
    if height < _LOWEST:
        return Problem(
            StepFault.ABSENT, f'The thing at the pick point is only {height:.3f} m high. Give a point on top of a thing, or its height.'
        )
    deep = _PRESS if profile.gripper.suction else min(_DEEP, height / 2)
    causes: list[str] = []
    for tool in _tools(pick, deep):
        try:
            yield ToolPose(back(tool))
        except CommandFailed as failed:
            causes.append(str(failed))
            continue
        rise = height + _GAP - (0.0 if profile.gripper.suction else deep)
        down = Pose(place.point, place.turn or tool.orientation).shifted((0.0, 0.0, rise))
        return (yield from _carried(tool, down, profile))
    return Problem(StepFault.PICK_FAILED, f'The arm cannot reach the pick point: {causes[-1]}')


def put_back(tool: Pose, now: Observation, profile: RobotProfile) -> PointDeed:
    """Put a thing that is still held back where it was picked. Only the gripper can sense whether it is held.

    Args:
        tool: tool pose at which the gripper grasped it.
        now: the newest observation.
        profile: profile of the robot.
    """
    try:
        felt = yield profile.gripper.close()
        if not felt.outcome.stalled:
            return None
        high = max(now.tool.position[2], tool.position[2] + LIFT)
        yield from _over(_at_height(tool, high), profile)
        yield ToolPose(tool.shifted((0.0, 0.0, _GAP)), straight=True, speed=SPEED)
        yield profile.gripper.release(felt.opening)
        yield ToolPose(back(tool), straight=True)
    except CommandFailed as failed:
        return Problem(StepFault.PLACE_FAILED, f'The thing still in the gripper could not be put back where it was picked. {failed}')
    return None


def after(first: PointDeed, then: PointDeed) -> PointDeed:
    """Execute one deed and then the other, unless the first has a problem."""
    problem = yield from first
    return problem or (yield from then)


def _tools(touch: Touch, deep: float) -> Iterator[Pose]:
    """Yield tool poses for a grasp at a point. The tool goes `deep` m beyond the point along its approach."""
    turns = [touch.turn] if touch.turn else [Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, yaw)).orientation for yaw in _YAWS]
    for turn in turns:
        yield Pose(touch.point, turn) @ Pose((0.0, 0.0, deep))


def _carried(tool: Pose, down: Pose, profile: RobotProfile) -> PointDeed:
    """Grasp from the pre-grasp pose above `tool`, carry at `LIFT` above the higher of both poses, and release."""
    fault = StepFault.PICK_FAILED
    try:
        yield profile.gripper.open()
        yield ToolPose(tool, straight=True, speed=SPEED)
        now = yield profile.gripper.close()
        high = max(tool.position[2], down.position[2]) + LIFT
        yield ToolPose(_at_height(tool, high), straight=True, speed=SPEED)
        if not now.outcome.stalled:
            return Problem(fault, 'The gripper closed on nothing. Check whether a thing is at the pick point, and its height.')
        fault = StepFault.PLACE_FAILED
        yield from _over(_at_height(down, high), profile)
        now = yield profile.gripper.close()  # only the gripper can sense whether the thing is still held
        if not now.outcome.stalled:
            yield profile.gripper.open()
            return Problem(StepFault.LOST, 'The thing slipped out of the gripper on the way. Look where it is now.')
        yield ToolPose(down, straight=True, speed=SPEED)
        yield profile.gripper.release(now.opening)
        yield ToolPose(back(down), straight=True)
    except CommandFailed as failed:
        return Problem(fault, str(failed))
    return None


def _at_height(pose: Pose, height: float) -> Pose:
    return pose.shifted((0.0, 0.0, height - pose.position[2]))


def _over(there: Pose, profile: RobotProfile) -> Generator[Command, Observation, None]:
    """Move to a pose. With suction cups the motion is straight if possible, because the held thing would swing."""
    if profile.gripper.suction:
        try:
            yield ToolPose(there, straight=True)
            return
        except CommandFailed:
            pass
    yield ToolPose(there)
