"""Encoding of a robot's past set points as rows of numbers that reproduce them."""

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

_STOPPED = 1e-3  # m: fingers that stay wider than commanded by more than this hold something
_TOGETHER = 5e-3  # m: opening below which the fingers close on nothing


def encode(
    space: ActionSpace, profile: RobotProfile, points: Floats, seen: Sequence[Snapshot], *, kinematics: KinematicsSolver
) -> npt.NDArray[np.float32]:
    """Return rows, (N, numbers) float32, that reproduce a robot's set points.

    A relative row counts from where the previous rows lead. Later rows thus make up for clipping at limits and for rounding.

    Args:
        space: action space of the rows.
        profile: profile of the robot.
        points: (N, joints + 1): the arm's set point at the end of each row, rad, and the last gripper command, in its unit.
        seen: the N snapshots at the start of each row.
        kinematics: kinematics of the robot.
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

    In a space with only open and close, a command means close if the fingers are stopped by something or come together. Any other means
    open, including the opening before a grasp.
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
