"""The box around the robot in its present pose."""

from functools import cached_property

import numpy as np

from vlm_bench_sim.core.geometry import Box, Floats, Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.render.visuals import robot_meshes
from vlm_bench_sim.ros.entities import around


class RobotBox:
    """An axis-aligned box in the world around all visible parts of the robot."""

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile

    @cached_property
    def _corners(self) -> dict[str, Floats]:
        return {link: mesh.vertices for link, mesh in robot_meshes(self._profile.urdf).items()}

    def now(self, links: dict[str, Pose]) -> Box:
        """Return the box; `links` are link poses in the world."""
        return around(np.concatenate([links[link].apply(corners) for link, corners in self._corners.items()]))
