"""Set points of the arm, one a control period, as closed-loop policies send them."""

from collections.abc import Sequence

import numpy as np

from vlm_bench_sim.core.command import Chunk, Joints, Point, check_points
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.core.trajectory import Trajectory

ASTRAY = 0.3
"""How far a joint may be from where it was sent before it is sent on from where it is, rad: more than a fast joint's way in a period."""


class Stream:
    """Turns set points into trajectories. It uses measured and sent positions only, so that runs in process and over ROS agree bit by bit.

    Args:
        profile: of the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._farthest: Floats = np.asarray(profile.velocity) * PERIOD_S
        self._way: tuple[Trajectory, int] | None = None

    def forget(self) -> None:
        """Forget what was sent: another command moves the arm, or a trajectory was refused."""
        self._way = None

    def chunk(self, joints: Joints, measured: Sequence[float] | Floats, *, seq: int) -> Chunk:
        """Return the trajectory to a set point, as fast as the velocity limits allow; the next may take over after a period.

        Args:
            joints: the set point.
            measured: positions of the arm, rad.
            seq: number of the control period after which the trajectory begins.

        Raises:
            CommandError: the set point has another count of joints, or a number that is not finite.
        """
        check_points((Point(PERIOD_NS, joints.positions),), len(measured))
        start = self._start(measured, seq)
        way = np.asarray(joints.positions) - start
        periods = float(np.max(np.abs(way) / self._farthest))
        last = Point(max(1, int(np.ceil(periods))) * PERIOD_NS, joints.positions)
        return Chunk((last,) if periods <= 1.0 else (Point(PERIOD_NS, tuple((start + way / periods).tolist())), last))

    def began(self, chunk: Chunk, measured: Sequence[float] | Floats, *, seq: int) -> None:
        """Note that a trajectory has begun; `measured` and `seq` as for `chunk`."""
        start = self._start(measured, seq)
        self._way = Trajectory((start, np.zeros(len(start))), chunk.points), seq

    def _start(self, measured: Sequence[float] | Floats, seq: int) -> Floats:
        """Return the set point at that control period; the measured positions before the first one, and where the arm is astray."""
        here = np.asarray(measured)
        if self._way is None:
            return here
        trajectory, since = self._way
        sent, _ = trajectory.sample((seq - since) * PERIOD_NS)
        return sent if np.abs(sent - here).max() < ASTRAY else here
