"""Measures the tool on its way against what it is to keep, on the joint states that a driver tells."""

import numpy as np

from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, worst
from vlm_bench_sim.motion.constrained import deviation
from vlm_bench_sim.motion.kinematics import Kinematics


class PathWatch:
    """Folds the arm positions of one motion into how far it has strayed.

    Args:
        kinematics: of the robot.
        constraint: what the tool is to keep.
    """

    def __init__(self, kinematics: Kinematics, constraint: MotionConstraint) -> None:
        self._kinematics, self._constraint = kinematics, constraint
        self._worst = Deviation()

    def see(self, arm: tuple[float, ...]) -> bool:
        """Take in measured arm positions, rad; return True where it is with them that the constraint breaks."""
        before = self.broken
        self._worst = worst((self._worst, deviation(self._kinematics, [np.asarray(arm)], self._constraint)))
        return self.broken and not before

    @property
    def broken(self) -> bool:
        """True once the tool was farther off than the constraint tolerates."""
        return not self._worst.within(self._constraint.tolerance)

    def words(self) -> str:
        """Say how far off the tool was and what it was to keep."""
        return f'The tool strayed by {self._worst.words()} on its way. It was to keep {self._constraint.words()}.'
