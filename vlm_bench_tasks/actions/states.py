"""The state of a robot as a row of numbers, as policies of other projects are shown it."""

from typing import Any

import numpy as np

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_tasks.actions.rotations import rotation_vector


def tool_state(tool: Pose, opening: float, profile: RobotProfile) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return (8,) float32: position (m) and rotation vector (rad) of the tool in the world, fingers' distances from the middle (m).

    openpi and vla-eval show LIBERO's robot so. Cups have no fingers: two zeros.
    """
    half = opening / 2 if profile.gripper.joints else 0.0
    return np.array([*tool.position, *rotation_vector(tool), half, -half], dtype=np.float32)
