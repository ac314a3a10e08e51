"""Suction cups in MuJoCo."""

from collections.abc import Container

import mujoco
import numpy as np

from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.mujoco.engine import Engine
from vlm_bench_sim.mujoco.model import PROP, ROBOT_GROUP
from vlm_bench_sim.physics.cups import BEHIND, Cup, Cups

_SEEN = np.array([group != ROBOT_GROUP for group in range(6)], dtype=np.uint8)  # of shapes' groups, by rays


class SuctionGripper(Cups):
    """Suction cups on a head.

    Args:
        engine: the simulation.
        robot: the robot.
        profile: its gripper.
        bodies: names of what can be held; kept up to date by the owner.
    """

    def __init__(self, engine: Engine, profile: SuctionProfile, *, robot: RobotProfile, bodies: Container[str]) -> None:
        super().__init__(profile, bodies)
        self._engine, self._robot = engine, robot
        self._all = tuple(self._cup(name) for name in profile.links)

    @property
    def _cups(self) -> tuple[Cup, ...]:
        return self._all

    def drive(self) -> None:
        """Pull for one physics step at the held prop, and with the opposite force at the head."""
        self._engine.data.qfrc_applied[:] = 0.0
        super().drive()

    def _pull(self, name: str, force: Vector, point: Vector) -> None:
        model, data = self._engine.model, self._engine.data
        for body, sign in ((self._body(name), -1.0), (self._engine.body(self._robot.tool_link), 1.0)):
            mujoco.mj_applyFT(model, data, sign * np.array(force), np.zeros(3), np.array(point), body, data.qfrc_applied)

    def _mass(self, name: str) -> float:
        return float(self._engine.model.body(PROP + name).mass[0]) if '/' not in name else 0.0

    def _near(self, name: str) -> set[int]:
        return {cup.link for cup in self._all if self._distance(cup.link, self._body(name)) < self._profile.lip}

    def _touching(self, name: str, pushing: set[int]) -> set[int]:
        return self._near(name) if pushing else set()  # what one cup pushes aside may rest on others without any force

    def _closed(self, cup: Cup, name: str, at: Pose) -> bool:
        starts = at.apply(cup.tip + self._lips + (0.0, 0.0, -BEHIND))
        return all(self._hit(start, at.rotation[:, 2]) == self._body(name) for start in starts)

    def _hit(self, start: Floats, way: Floats) -> int:
        """Return the body that a ray meets within the travel of a lip, -1 for none."""
        model, data, shape = self._engine.model, self._engine.data, np.zeros(1, np.int32)
        far = mujoco.mj_ray(model, data, start, way, _SEEN, 1, -1, shape)
        return int(model.geom_bodyid[shape[0]]) if 0.0 <= far <= BEHIND + self._profile.lip else -1

    def _distance(self, cup: int, body: int) -> float:
        """Return the distance between the shapes of two bodies, m; at least the travel of a lip if they are farther apart."""
        model, data, lip = self._engine.model, self._engine.data, self._profile.lip
        pairs = ((a, b) for a in self._shapes(cup) for b in self._shapes(body))
        return min((mujoco.mj_geomDistance(model, data, a, b, lip, None) for a, b in pairs), default=lip)

    def _shapes(self, body: int) -> range:
        first, count = int(self._engine.model.body_geomadr[body]), int(self._engine.model.body_geomnum[body])
        return range(first, first + count)

    def _body(self, name: str) -> int:
        return self._engine.body(name if '/' in name else PROP + name)

    def _cup(self, name: str) -> Cup:
        x, y, _ = (self._place().inverse() @ self._engine.pose(name)).position
        return Cup(self._engine.body(name), np.array([x, y, 0.0]))

    def _place(self) -> Pose:
        return self._engine.pose(self._robot.tool_link) @ self._robot.tool
