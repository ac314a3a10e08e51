"""Measure where each robot can point its tool straight down, and write the table `config/reach.yaml`.

Run `python -m vlm_bench_sim.motion.reach` to rewrite it (a minute per robot).
For each robot and tool height z, m, the table gives an annulus around the robot's axis, radii r_min to r_max, m. Inside it the tool can
point straight down at any yaw, with the arm clear of itself and the table, for azimuths within 75° of straight ahead.
"""

from math import cos, pi, sin
from typing import Any

import numpy as np
import yaml

from vlm_bench_sim.assets import share
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.motion.collision import CollisionModel, CollisionScene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import owners, robot, robots

HEIGHTS = (0.02, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)
RADII = tuple(round(0.20 + 0.01 * i, 2) for i in range(81))
YAWS = tuple(i * pi / 4 for i in range(8))
AZIMUTHS = tuple(i * pi / 12 for i in (-5, 0, 5))

_HEAD = '# Written by `python -m vlm_bench_sim.motion.reach`; its docstring says what the numbers mean. Do not edit.\n'


class Reach:
    """Reachability of one robot with its gripper fully open."""

    def __init__(self, profile: RobotProfile) -> None:
        self._kinematics = Kinematics(profile)
        self._scene: CollisionScene = CollisionModel(self._kinematics).scene(opening=profile.gripper.max_opening)

    def down(self, radius: float, azimuth: float, height: float, yaw: float) -> bool:
        """Return whether the tool can point straight down there; lengths in m, angles in rad, `yaw` in the world."""
        pose = Pose.from_rpy((radius * cos(azimuth), radius * sin(azimuth), height), (pi, 0.0, yaw))
        found = self._kinematics.inverse(pose, np.asarray(self._kinematics.profile.home), np.random.default_rng(0))
        return any(not self._scene.contacts(q, 0.0) for q in found)

    def annulus(self, height: float) -> tuple[float, float]:
        """Return the widest unbroken range of radii, m, in which the tool reaches every yaw at that height; (0, 0) if there is none."""
        good = [all(self.down(r, azimuth, height, yaw) for yaw in YAWS for azimuth in AZIMUTHS) for r in RADII]
        best, begin = (0.0, 0.0), 0
        for i, reached in enumerate([*good, False]):
            if not reached:
                if i > begin and RADII[i - 1] - RADII[begin] > best[1] - best[0]:
                    best = (RADII[begin], RADII[i - 1])
                begin = i + 1
        return best


def measure(profile: RobotProfile) -> list[dict[str, float]]:
    """Return one row {z, r_min, r_max} per height, m."""
    reach = Reach(profile)
    return [dict(zip(('z', 'r_min', 'r_max'), (z, *reach.annulus(z)), strict=True)) for z in HEIGHTS]


def text(table: dict[str, Any]) -> str:
    """Return the table, rows by robot, as the file's text."""
    rows: str = yaml.safe_dump(table, default_flow_style=None, sort_keys=False)
    return _HEAD + rows


if __name__ == '__main__':
    (share() / 'config' / 'reach.yaml').write_text(text({name: measure(robot(name)) for name in robots() if not owners([name], [])}))
