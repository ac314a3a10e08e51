"""The expert's advice as numbers: its target for the tool, and its request to the gripper."""

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
    """Return (periods, 8): the tool pose and the gripper request that the expert last advised.

    Before the first advice about one of them, its initial value is used.

    Args:
        profile: robot profile.
        snapshots: one per control period, from the first.
        advice: commands, each with the control period for whose state it was given.

    Raises:
        BagError: an advice is given as joint positions, which hold no pose.
    """
    words: dict[int, list[Command]] = {}
    for seq, command in advice:
        words.setdefault(seq, []).append(command)
    pose, gripper, rows = snapshots[0].tool, gripper_number(profile, snapshots[0]), []
    for now in snapshots:
        for command in words.get(now.seq, ()):
            if isinstance(command, (Joints, Chunk)):
                raise BagError(f'Advice at control period {now.seq} must be a tool pose; found joint positions. Leave the bag out.')
            pose = command.pose if isinstance(command, ToolPose) else pose
            gripper = gripper_asked(profile, command, now, gripper)
        rows.append((*pose_numbers(pose), gripper))
    return np.asarray(rows)
