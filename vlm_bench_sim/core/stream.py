"""Arm set points of which each lasts one control period, as a policy sends them that looks at each period."""

from collections.abc import Sequence

import numpy as np

from vlm_bench_sim.core.command import Chunk, Joints, Point, check_points
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.core.trajectory import Trajectory

ASTRAY = 0.25
"""How far a joint may be from where it was sent before it is sent on from where it is, rad; a fast joint trails by one period's way."""


class Stream:
    """Makes trajectories of set points. By every route it makes the same of the same, as it knows nothing but what is measured and sent.

    Args:
        profile: of the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._farthest: Floats = np.asarray(profile.velocity) * PERIOD_S
        self._sent: Floats | None = None

    def forget(self) -> None:
        """Take note that something else moves the arm, or that it was not sent where it should have been."""
        self._sent = None

    def chunk(self, joints: Joints, measured: Sequence[float] | Floats) -> Chunk:
        """Return the trajectory to a set point, as fast as the velocity limits allow; the next may take over after a period.

        Args:
            joints: the set point.
            measured: positions of the arm, rad.

        Raises:
            CommandError: the set point has another count of joints, or a number that is not finite.
        """
        check_points((Point(PERIOD_NS, joints.positions),), len(measured))
        start = np.asarray(measured)
        if self._sent is not None and np.abs(self._sent - start).max() < ASTRAY:
            start = self._sent
        way = np.asarray(joints.positions) - start
        periods = float(np.max(np.abs(way) / self._farthest))
        last = Point(max(1, int(np.ceil(periods))) * PERIOD_NS, joints.positions)
        points = (last,) if periods <= 1.0 else (Point(PERIOD_NS, tuple((start + way / periods).tolist())), last)
        self._sent, _ = Trajectory((start, np.zeros(len(start))), points).sample(PERIOD_NS)
        return Chunk(points)
