"""What the expert advised as numbers: where it would send the tool, and what it would ask of the gripper."""

from collections.abc import Sequence

import numpy as np

from vlm_bench_sim.core.command import Chunk, Command, Joints, ToolPose
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.numbers import gripper_number
from vlm_bench_tasks.dataset.exports.set_points import gripper_asked


def advised(profile: RobotProfile, snapshots: Sequence[Snapshot], advice: Sequence[tuple[int, Command]]) -> Floats:
    """Return (periods, 8): the pose to which the expert last said to move the tool, and what it last said to ask of the gripper.

    Before its first word about one of them, that is where it was at the beginning.

    Args:
        profile: of the robot.
        snapshots: one a control period, from the first.
        advice: each with the control period in whose state it was given.

    Raises:
        BagError: advice is in joint positions, which name no pose.
    """
    words: dict[int, list[Command]] = {}
    for seq, command in advice:
        words.setdefault(seq, []).append(command)
    pose, gripper, rows = snapshots[0].tool, gripper_number(profile, snapshots[0]), []
    for now in snapshots:
        for command in words.get(now.seq, ()):
            if isinstance(command, (Joints, Chunk)):
                raise BagError(f'Advice at the period {now.seq} is in joint positions, and not of where the tool goes. Leave the bag out.')
            pose = command.pose if isinstance(command, ToolPose) else pose
            gripper = gripper_asked(profile, command, now, gripper)
        rows.append((*pose_numbers(pose), gripper))
    return np.asarray(rows)
