"""The robot's controllers, independent of what moves the joints: a physics engine, kinematics alone, or nothing at all.

A world asks each controller for its set point once per physics step and passes it the measured state once per control period.
"""

from collections.abc import Sequence

import numpy as np

from vlm_bench_sim.core.command import Chunk, check_chunk, check_limits
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal, SuctionProfile
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PHYSICS_HZ, steps_to_ns
from vlm_bench_sim.core.trajectory import Trajectory

ARRIVED = 1e-3  # m of opening
_STILL = 2e-4  # m of opening in one control period
_STILL_PERIODS = 3
_PATIENCE = 6  # control periods after which a suction command without a seal ends: the cups suck air


class ArmControl:
    """The arm's trajectory controller, as ros2_controllers' joint_trajectory_controller behaves.

    Args:
        profile: the robot.
        start: arm positions at the start, rad.

    Attributes:
        positions: commanded positions now, rad.
        velocities: commanded velocities now, rad/s.
        state: state of the last command.
    """

    def __init__(self, profile: RobotProfile, start: Sequence[float] | Floats) -> None:
        self._profile = profile
        self.positions: Floats = np.array(start)
        self.velocities: Floats = np.zeros(len(start))
        self.state = MotionState.IDLE
        self._chunk: Chunk | None = None
        self._trajectory: Trajectory | None = None
        self._steps = 0

    def follow(self, chunk: Chunk) -> None:
        """Begin a chunk at the next physics step.

        Raises:
            CommandError: the chunk is malformed, or exceeds the joint limits.
        """
        check_chunk(chunk, len(self._profile.joints))
        check_limits(chunk.points, self._profile)
        self._chunk, self._trajectory = chunk, Trajectory((self.positions, self.velocities), chunk.points)
        self._steps = 0
        self.state = MotionState.RUNNING

    def hold(self) -> None:
        """Stop at the currently commanded position."""
        self.velocities = np.zeros(len(self.positions))
        self._trajectory = None
        if self.state is MotionState.RUNNING:
            self.state = MotionState.STOPPED

    def advance(self) -> None:
        """Move the set point by one physics step."""
        if self._trajectory is None:
            self.velocities = np.zeros(len(self.positions))
        else:
            self._steps += 1
            self.positions, self.velocities = self._trajectory.sample(steps_to_ns(self._steps))

    def judge(self, actual: Floats) -> None:
        """Compare the set point with the measured positions (rad) at the end of a control period."""
        if self._trajectory is None or self._chunk is None:
            return
        error = np.abs(self.positions - actual)
        time = steps_to_ns(self._steps)
        if time < self._trajectory.end_ns:
            if self._chunk.path_tolerance and np.any(error > np.asarray(self._chunk.path_tolerance)):
                self._finish(MotionState.PATH_TOLERANCE, actual)
            return
        tolerance = np.asarray(self._chunk.goal_tolerance or (self._profile.goal_tolerance,) * len(actual))
        if np.all(np.abs(self._trajectory.goal - actual) <= tolerance):
            self._finish(MotionState.SUCCEEDED)
        elif time >= self._trajectory.end_ns + (self._chunk.goal_time_ns or round(self._profile.goal_time * 1e9)):
            self._finish(MotionState.GOAL_TOLERANCE, actual)

    def _finish(self, state: MotionState, hold_at: Floats | None = None) -> None:
        # A trajectory that ends in motion keeps its velocity until the next step, so that another one can continue it.
        self._trajectory, self.state = None, state
        if hold_at is not None:
            self.positions, self.velocities = hold_at, np.zeros(len(self.positions))


class FingerControl:
    """The controller of a parallel gripper. It moves the fingers at the profile's speed and tells a stall from an arrival.

    Args:
        profile: the gripper.
        opening: full width at the start, m.

    Attributes:
        commanded: commanded opening now, m.
        force: N, both fingers together.
        state: state of the last command.
    """

    def __init__(self, profile: ParallelProfile, opening: float) -> None:
        self._profile = profile
        self.commanded, self.force = opening, profile.max_force
        self.state = MotionState.IDLE
        self._goal = self._last = opening
        self._still = 0

    def begin(self, grip: Grip | Seal) -> None:
        """Begin a gripper command at the next physics step.

        Raises:
            CommandError: the opening or the force is out of range, or the command is for suction cups.
        """
        asked = self._profile.checked(grip)
        self._goal, self.force = asked.opening, asked.force or self._profile.max_force
        self.commanded, self._still = self._last, 0
        self.state = MotionState.RUNNING

    def hold(self) -> None:
        """Stop at the present opening with the present force. A held object stays held."""
        if self.state is MotionState.RUNNING:
            self._goal = self.commanded
            self.state = MotionState.STOPPED

    def advance(self) -> None:
        """Move the set point by one physics step."""
        stride = self._profile.speed / PHYSICS_HZ
        self.commanded += max(-stride, min(stride, self._goal - self.commanded))

    def judge(self, opening: float) -> None:
        """Compare the set point with the measured opening (m) at the end of a control period."""
        moved, self._last = abs(opening - self._last), opening
        if self.state is not MotionState.RUNNING:
            return
        self._still = self._still + 1 if moved < _STILL else 0
        if abs(opening - self._goal) < ARRIVED and self._still:
            self.state = MotionState.SUCCEEDED
        elif self._still >= _STILL_PERIODS:
            self.state = MotionState.STALLED


class CupControl:
    """The controller of a suction gripper.

    Attributes:
        on: whether suction is on.
        state: state of the last command.
    """

    def __init__(self) -> None:
        self.on, self.state = False, MotionState.IDLE
        self._periods = 0

    def begin(self, seal: Grip | Seal) -> None:
        """Switch suction on or off at the next physics step.

        Raises:
            CommandError: the command is for fingers.
        """
        self.on, self._periods = SuctionProfile.checked(seal).on, 0
        self.state = MotionState.RUNNING

    def hold(self) -> None:
        """Leave suction as it is. A held object stays held."""
        if self.state is MotionState.RUNNING:
            self.state = MotionState.STOPPED

    @property
    def sealed(self) -> bool:
        """Whether the cups hold something. Always False here, as this controller sees no contacts."""
        return False

    def advance(self) -> None:
        """Nothing moves."""

    def judge(self, _opening: float) -> None:
        """Update the state at the end of a control period: STALLED if the cups hold a prop, SUCCEEDED if nothing is at the cups."""
        self._periods += 1
        if self.state is not MotionState.RUNNING:
            return
        if self.sealed:
            self.state = MotionState.STALLED
        elif not self.on or self._periods >= _PATIENCE:
            self.state = MotionState.SUCCEEDED
