"""Furniture by chance: which model, in which finish, and where before the robot it stands."""

from dataclasses import replace
from math import cos, radians, sin

from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import FINISHES, furniture
from vlm_bench_sim.core.scene import Light, Table
from vlm_bench_tasks.variation.draw import Draw

TABLE = Table(Box((0.60, 0.0, -0.02), (1.60, 1.80, 0.04)))
"""A table deep enough for furniture that stands where every robot can open it."""

LIGHT = Light((-0.45, -0.30, 0.85))
"""From behind the robot, where fronts look to."""

CHEST_AT, DOOR_AT = (0.76, 0.82), (0.66, 0.72)
"""How far the middle of a front is from the robot's axis, m."""

BEARING = radians(15.0)
"""How far to a side it may be, rad."""

CHEST_YAW, DOOR_YAW = radians(45.0), radians(22.5)
"""How far a piece may be turned from facing along -x (VLMbench), rad."""

ASKEW = (radians(12.0), radians(45.0))
"""How far a chest is turned from facing the robot, rad: an arm that reaches straight out of its own plane has little room to move."""


class Furnishing(Draw):
    """Draws furniture."""

    def chest(self, **opened: float) -> Mechanism:
        """Return a chest of three drawers, `LEVELS`; those that are named start open by a share of their range."""
        piece = self._drawn('chest', opened)
        while True:
            bearing = float(self.layout.uniform(-BEARING, BEARING))
            yaw = float(self.layout.uniform(-CHEST_YAW, CHEST_YAW))
            if ASKEW[0] <= abs(yaw - bearing) <= ASKEW[1]:
                return self._put(piece, float(self.layout.uniform(*CHEST_AT)), bearing, yaw)

    def door(self, **opened: float) -> Mechanism:
        """Return a door in its frame, whose handle unlatches it; `door=0.5` for one that starts half open."""
        piece = self._drawn('door', opened)
        bearing, yaw = (float(self.layout.uniform(-most, most)) for most in (BEARING, DOOR_YAW))
        return self._put(piece, float(self.layout.uniform(*DOOR_AT)), bearing, yaw)

    def _drawn(self, group: str, opened: dict[str, float]) -> Mechanism:
        pool, finishes = self.pools.kinds(group), tuple(FINISHES)
        model, finish = (names[int(self.looks.integers(len(names)))] for names in (pool, finishes))
        piece = furniture(model, group, finish)
        joints = {name: piece.joints[piece.full(name)] for name in opened}
        return piece.started(**{name: joint.lower + opened[name] * (joint.upper - joint.lower) for name, joint in joints.items()})

    def _put(self, piece: Mechanism, distance: float, bearing: float, yaw: float) -> Mechanism:
        """Return the piece on the table, the middle of its front at a distance (m) and a bearing (rad) from the robot."""
        front = min(part.pose.position[0] - part.size[0] / 2 for part in piece.links[0].parts)
        middle = Pose.from_rpy((distance * cos(bearing), distance * sin(bearing), 0.0), (0.0, 0.0, yaw))
        put = replace(piece, pose=middle @ Pose((-front, 0.0, 0.0)))
        self.mechanisms += (put,)
        self.stand, self.light = TABLE, LIGHT
        return put
