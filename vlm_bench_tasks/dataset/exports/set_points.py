"""The robot's set point at each control period, from a bag's commands as its controllers execute them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from vlm_bench_sim.core.command import Chunk, Hold, Joints
from vlm_bench_sim.core.control import ArmControl
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.core.trajectory import direct
from vlm_bench_tasks.dataset.exports.numbers import gripper_number

ARM = 'arm'


def set_points(profile: RobotProfile, snapshots: Sequence[Snapshot], begun: Mapping[int, Sequence[Any]], *, judged: bool) -> Floats:
    """Return (periods, joints + 1): the arm's set point, rad, and the last gripper request, at the end of each period.

    Args:
        profile: robot profile.
        snapshots: one per control period, from the first.
        begun: commands by the control period after which they began; those that move no robot are skipped.
        judged: True if motions that left their tolerances end there, as in the controllers; False for the requested set points,
            whether or not the robot reached them.
    """
    arm, gripper = ArmControl(profile, snapshots[0].arm(profile.joints)), gripper_number(profile, snapshots[0])
    rows = [(*arm.positions, gripper)]
    for before, now in pairwise(snapshots):
        for command in begun.get(before.seq, ()):
            gripper = gripper_asked(profile, command, before, gripper)
            _move(profile, arm, command)
        for _ in range(STEPS_PER_PERIOD):
            arm.advance()
        if judged:
            arm.judge(np.asarray(now.arm(profile.joints)))
        rows.append((*arm.positions, gripper))
    return np.asarray(rows)


def _move(profile: RobotProfile, arm: ArmControl, command: Any) -> None:
    if isinstance(command, Chunk):
        arm.follow(command)
    elif isinstance(command, Joints):
        arm.follow(direct(arm.positions, command.positions, profile.velocity))
    elif isinstance(command, Hold) and command.part == ARM:
        arm.hold()


def gripper_asked(profile: RobotProfile, command: Any, now: Snapshot, last: float) -> float:
    """Return the gripper request in a command that is given now; `last`, the previous request, if the command is not for the gripper."""
    if isinstance(command, Grip):
        return command.opening
    if isinstance(command, Seal):
        return float(command.on)
    if isinstance(command, Hold) and command.part != ARM:
        return gripper_number(profile, now)
    return last
