"""Streams of arm set points, one per control period, as closed-loop policies send them."""

from collections.abc import Sequence

import numpy as np

from vlm_bench_sim.core.command import Chunk, Joints, Point, check_points
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.core.trajectory import Trajectory

ASTRAY = 0.3
"""Deviation from the set point above which a joint starts from its measured position, rad: more than a fast joint travels in a period."""


class Stream:
    """Converts set points to trajectories. It uses measured and sent positions only: runs in process and over ROS agree bit for bit.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._farthest: Floats = np.asarray(profile.velocity) * PERIOD_S
        self._way: tuple[Trajectory, int] | None = None

    def forget(self) -> None:
        """Discard the last set point: another command moves the arm, or a trajectory was refused."""
        self._way = None

    def chunk(self, joints: Joints, measured: Sequence[float] | Floats, *, seq: int) -> Chunk:
        """Return the trajectory to a set point, as fast as the velocity limits allow. The next one may replace it after one period.

        Args:
            joints: the set point.
            measured: measured arm positions, rad.
            seq: number of the control period after which the trajectory begins.

        Raises:
            CommandError: the set point has a wrong number of joints, or a number that is not finite.
        """
        check_points((Point(PERIOD_NS, joints.positions),), len(measured))
        start = self._start(measured, seq)
        way = np.asarray(joints.positions) - start
        periods = float(np.max(np.abs(way) / self._farthest))
        last = Point(max(1, int(np.ceil(periods))) * PERIOD_NS, joints.positions)
        return Chunk((last,) if periods <= 1.0 else (Point(PERIOD_NS, tuple((start + way / periods).tolist())), last))

    def began(self, chunk: Chunk, measured: Sequence[float] | Floats, *, seq: int) -> None:
        """Record that a trajectory has begun; `measured` and `seq` are as for `chunk`."""
        start = self._start(measured, seq)
        self._way = Trajectory((start, np.zeros(len(start))), chunk.points), seq

    def _start(self, measured: Sequence[float] | Floats, seq: int) -> Floats:
        """Return the set point at that period, or `measured` if there is none yet or if the arm deviates by `ASTRAY`."""
        here = np.asarray(measured)
        if self._way is None:
            return here
        trajectory, since = self._way
        sent, _ = trajectory.sample((seq - since) * PERIOD_NS)
        return sent if np.abs(sent - here).max() < ASTRAY else here
