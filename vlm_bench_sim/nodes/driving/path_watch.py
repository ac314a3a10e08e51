"""Checks the tool's deviation from its constraint during a motion, from the driver's joint states."""

import numpy as np

from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, worst
from vlm_bench_sim.motion.constrained import deviation
from vlm_bench_sim.motion.kinematics import Kinematics


class PathWatch:
    """Accumulates the largest deviation over the arm positions of one motion.

    Args:
        kinematics: of the robot.
        constraint: what the tool must keep.
    """

    def __init__(self, kinematics: Kinematics, constraint: MotionConstraint) -> None:
        self._kinematics, self._constraint = kinematics, constraint
        self._worst = Deviation()

    def see(self, arm: tuple[float, ...]) -> bool:
        """Add measured arm positions, rad; return True if these are the first to break the constraint."""
        before = self.broken
        self._worst = worst((self._worst, deviation(self._kinematics, [np.asarray(arm)], self._constraint)))
        return self.broken and not before

    @property
    def broken(self) -> bool:
        """True once the tool has deviated more than the constraint tolerates."""
        return not self._worst.within(self._constraint.tolerance)

    def words(self) -> str:
        """Describe how far off the tool was and what it had to keep."""
        return f'The tool strayed from its constraint by {self._worst.words()}. It had to keep {self._constraint.words()}.'
