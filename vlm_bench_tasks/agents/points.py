"""Pick and place between two points on surfaces, as a camera shows them. Nothing else is known of what is there."""

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
"""Greatest height of what is taken, m."""

_DEEP, _PRESS, _GAP = 0.02, 0.002, 0.002  # m: fingers below the point, cups into it, what is put down above the surface
_YAWS = (0.0, pi / 2, pi, -pi / 2)
_LOWEST = 0.002  # m that a thing is high at least

PointDeed = Generator[Command, Observation, Problem | None]
"""Yields commands, is sent what is seen after each, and returns what went wrong."""


@dataclass(frozen=True)
class Touch:
    """A point on a surface, and how the tool comes to it.

    Attributes:
        point: in the world, m.
        turn: orientation of the tool in the world; None: from above, turned as the arm likes.
    """

    point: Vector
    turn: Quaternion | None = None


def seen_at(column: int, row: int, depth: NDArray[Any], *, intrinsics: ArrayLike, camera: Pose) -> Vector:
    """Return the point in the world that a pixel shows, m.

    Args:
        column: of the pixel, from 0 at the left.
        row: of the pixel, from 0 at the top.
        depth: (height, width) m along the optical axis; 0 where nothing is seen.
        intrinsics: matrix K, (3, 3) or its nine numbers row by row.
        camera: pose of the optical frame in the world.

    Raises:
        CommandError: the pixel lies outside, or shows nothing.
    """
    height, width = depth.shape
    if not (0 <= row < height and 0 <= column < width):
        raise CommandError(f'The picture has {width} x {height} pixels; column {column}, row {row} lies outside.')
    far = float(depth[row, column])
    if not (np.isfinite(far) and far > 0.0):
        raise CommandError(f'The depth picture shows nothing at column {column}, row {row}. Name a pixel of a surface.')
    (fx, skew, cx), (_, fy, cy), _ = np.reshape(intrinsics, (3, 3)).tolist()
    y = (row - cy) / fy
    ray = np.array([(column - cx - skew * y) / fx, y, 1.0])
    return vector(camera.apply((ray * far)[None])[0])


def carry(pick: Touch, place: Touch, *, height: float, profile: RobotProfile) -> PointDeed:
    """Take hold at one point and let go where what is held stands on the other.

    Args:
        pick: the top of what is taken.
        place: the surface on which it shall stand.
        height: from its bottom to the point of pick, m.
        profile: of the robot.
    """
    if height < _LOWEST:
        return Problem(
            StepFault.ABSENT, f'Nothing stands out at the point of pick: it is {height:.3f} m high. Give the top of a thing, or its height.'
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
    return Problem(StepFault.PICK_FAILED, f'The arm does not come to the point of pick: {causes[-1]}')


def put_back(tool: Pose, now: Observation, profile: RobotProfile) -> PointDeed:
    """Put what is held still down where it was taken; nobody sees whether it is, but the gripper feels it.

    Args:
        tool: pose of the tool in which the gripper took hold.
        now: what is seen.
        profile: of the robot.
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
        return Problem(StepFault.PLACE_FAILED, f'What was held still could not be put back where it was taken. {failed}')
    return None


def after(first: PointDeed, then: PointDeed) -> PointDeed:
    """Do one and then the other, unless something went wrong with the first."""
    problem = yield from first
    return problem or (yield from then)


def _tools(touch: Touch, deep: float) -> Iterator[Pose]:
    """Yield where the tool may take hold at a point; `deep` is how far beyond it the tool goes along its approach, m."""
    turns = [touch.turn] if touch.turn else [Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, yaw)).orientation for yaw in _YAWS]
    for turn in turns:
        yield Pose(touch.point, turn) @ Pose((0.0, 0.0, deep))


def _carried(tool: Pose, down: Pose, profile: RobotProfile) -> PointDeed:
    """Take hold where the tool is above, carry `LIFT` above the higher of both points, and let go."""
    fault = StepFault.PICK_FAILED
    try:
        yield profile.gripper.open()
        yield ToolPose(tool, straight=True, speed=SPEED)
        now = yield profile.gripper.close()
        high = max(tool.position[2], down.position[2]) + LIFT
        yield ToolPose(_at_height(tool, high), straight=True, speed=SPEED)
        if not now.outcome.stalled:
            return Problem(fault, 'The gripper closed on nothing. Look whether something is at the point of pick, and how high it is.')
        fault = StepFault.PLACE_FAILED
        yield from _over(_at_height(down, high), profile)
        now = yield profile.gripper.close()  # nobody sees whether it is still there, but the gripper feels it
        if not now.outcome.stalled:
            yield profile.gripper.open()
            return Problem(StepFault.LOST, 'What was held slipped away on the way. Look where it lies now.')
        yield ToolPose(down, straight=True, speed=SPEED)
        yield profile.gripper.release(now.opening)
        yield ToolPose(back(down), straight=True)
    except CommandFailed as failed:
        return Problem(fault, str(failed))
    return None


def _at_height(pose: Pose, height: float) -> Pose:
    return pose.shifted((0.0, 0.0, height - pose.position[2]))


def _over(there: Pose, profile: RobotProfile) -> Generator[Command, Observation, None]:
    """Go there: straight where what is held would swing, and around where the arm cannot."""
    if profile.gripper.suction:
        try:
            yield ToolPose(there, straight=True)
            return
        except CommandFailed:
            pass
    yield ToolPose(there)
