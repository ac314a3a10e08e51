"""From where a robot was sent to rows of numbers that send it there again."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.unsteady import KinematicsSolver
from vlm_bench_tasks.actions.decoding import Sent
from vlm_bench_tasks.actions.spaces import ActionSpace

_STOPPED = 1e-3  # m by which fingers stand wider than they are sent, where something is between them
_TOGETHER = 5e-3  # m of opening below which they close on nothing


def encode(
    space: ActionSpace, profile: RobotProfile, points: Floats, seen: Sequence[Snapshot], *, kinematics: KinematicsSolver
) -> npt.NDArray[np.float32]:
    """Return rows, (N, numbers) float32, that lead where a robot was sent.

    A change is counted from where the rows before it have led, so that what is cut off at a limit, or lost to rounding, is made up for
    by those that follow.

    Args:
        space: of the rows.
        profile: of the robot.
        points: (N, joints + 1): where the arm was sent by the end of each row, rad, and what was asked of the gripper last, in its unit.
        seen: the robot when each row begins, N.
        kinematics: of the robot.
    """
    rows = np.zeros((len(points), len(space.names(profile))), np.float32)
    arm, grippers = Sent(profile), _grippers(space, profile, points[:, -1], seen)
    low, high = space.limits(profile)
    for i, (point, now) in enumerate(zip(points, seen, strict=True)):
        positions, tool = arm.now(now)
        if space.tool is not None:
            numbers = space.tool.encode(kinematics.tool_pose(point[:-1]), tool) / space.tool.scale
        else:
            numbers = point[:-1] - positions if space.relative else point[:-1]
        rows[i] = np.clip([*numbers, grippers[i]], low, high)
        row = rows[i].astype(float)
        target = space.target(row, tool)
        arm.send(point[:-1] if target is not None or not space.relative else positions + row[:-1], target or tool)
    return rows


def _grippers(space: ActionSpace, profile: RobotProfile, asked: Floats, seen: Sequence[Snapshot]) -> list[float]:
    """Return the gripper's number of each row.

    Where a space knows open and closed alone, fingers close that are stopped by something, or come together. All others open,
    those that make ready for a grasp too.
    """
    if not space.normalised:
        return [float(one) for one in asked]
    if profile.gripper.suction:
        return [1.0 if one > 0.5 else -1.0 for one in asked]
    found: list[float] = []
    for opening, rows in groupby(range(len(asked)), key=lambda i: float(asked[i])):
        span = list(rows)
        closes = opening < max(_TOGETHER, seen[span[-1]].opening - _STOPPED)
        found += [1.0 if closes else -1.0] * len(span)
    return found
