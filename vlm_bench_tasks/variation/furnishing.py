"""Where furniture stands: on a deep table, its front to the robot, at a distance, a bearing and a yaw."""

from dataclasses import replace
from math import cos, radians, sin

from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.scene import Light, Table
from vlm_bench_tasks.variation.draw import Draw

TABLE = Table(Box((0.60, 0.0, -0.02), (1.60, 1.80, 0.04)))
"""A table deep enough for furniture that stands where every robot can open it."""

LIGHT = Light((-0.45, -0.30, 0.85))
"""From behind the robot, where fronts look to."""

BEARING = radians(15.0)
"""How far to a side a piece may be, rad."""

ASKEW = (radians(12.0), radians(45.0))
"""How far a chest is turned from facing the robot, rad: an arm that reaches straight out of its own plane has little room to move."""


class Furnishing(Draw):
    """Places furniture."""

    def faced(self, piece: Mechanism, distance: tuple[float, float], yaw: float) -> Mechanism:
        """Return a piece on the table, turned from facing the robot by an angle of `ASKEW`.

        Args:
            piece: the piece.
            distance: least and greatest distance of the middle of its front from the robot's axis, m.
            yaw: greatest angle by which it is turned from facing along -x, rad.
        """
        while True:
            bearing = float(self.layout.uniform(-BEARING, BEARING))
            turned = float(self.layout.uniform(-yaw, yaw))
            if ASKEW[0] <= abs(turned - bearing) <= ASKEW[1]:
                return self.stood(piece, float(self.layout.uniform(*distance)), bearing, turned)

    def stood(self, piece: Mechanism, distance: float, bearing: float, yaw: float) -> Mechanism:
        """Return the piece on the table, the middle of its front at a distance (m) and a bearing (rad) from the robot."""
        front = min(part.pose.position[0] - part.size[0] / 2 for part in piece.links[0].parts)
        middle = Pose.from_rpy((distance * cos(bearing), distance * sin(bearing), 0.0), (0.0, 0.0, yaw))
        put = replace(piece, pose=middle @ Pose((-front, 0.0, 0.0)))
        self.mechanisms += (put,)
        self.stand, self.light = TABLE, LIGHT
        return put


def started(piece: Mechanism, **shares: float) -> Mechanism:
    """Return the piece with some of its joints at a share of their range, by link."""
    joints = {name: piece.joints[piece.full(name)] for name in shares}
    return piece.started(**{name: joint.lower + shares[name] * (joint.upper - joint.lower) for name, joint in joints.items()})
