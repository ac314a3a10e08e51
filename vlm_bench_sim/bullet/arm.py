"""The arm's trajectory controller, as ros2_controllers' joint_trajectory_controller behaves."""

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.command import Chunk, check_chunk
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import steps_to_ns
from vlm_bench_sim.core.trajectory import Trajectory


class Arm:
    """Drives the arm's joint motors along a chunk and holds it otherwise.

    Args:
        client: the simulator.
        robot: the robot's number there.
        joints: numbers of the arm joints there, in the profile's order.
        efforts: N m, one per joint.
        profile: of the robot.
    """

    def __init__(self, client: Client, robot: int, *, joints: list[int], efforts: list[float], profile: RobotProfile) -> None:
        self._client, self._robot, self._joints, self._efforts, self._profile = client, robot, joints, efforts, profile
        self.positions: Floats = np.array([state[0] for state in client.getJointStates(robot, joints)])
        self.velocities: Floats = np.zeros(len(joints))
        self.state = MotionState.IDLE
        self._chunk: Chunk | None = None
        self._trajectory: Trajectory | None = None
        self._steps = 0

    def follow(self, chunk: Chunk) -> None:
        """Begin a chunk at the next physics step.

        Raises:
            CommandError: it is malformed.
        """
        check_chunk(chunk, len(self._joints))
        self._chunk, self._trajectory = chunk, Trajectory((self.positions, self.velocities), chunk.points)
        self._steps = 0
        self.state = MotionState.RUNNING

    def hold(self) -> None:
        """Stop where the arm is commanded to be now."""
        self.velocities = np.zeros(len(self._joints))
        self._trajectory = None
        if self.state is MotionState.RUNNING:
            self.state = MotionState.STOPPED

    def drive(self) -> None:
        """Set the motors for one physics step."""
        if self._trajectory is not None:
            self._steps += 1
            self.positions, self.velocities = self._trajectory.sample(steps_to_ns(self._steps))
        self._client.setJointMotorControlArray(
            self._robot, self._joints, self._client.POSITION_CONTROL,
            targetPositions=self.positions.tolist(), targetVelocities=self.velocities.tolist(),
            forces=self._efforts, positionGains=[0.5] * len(self._joints), velocityGains=[1.0] * len(self._joints),
        )  # fmt: skip

    def judge(self, actual: Floats) -> None:
        """Compare with the measured positions (rad) at the end of a control period."""
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
        self._trajectory, self.state = None, state
        self.velocities = np.zeros(len(self._joints))
        if hold_at is not None:
            self.positions = hold_at
