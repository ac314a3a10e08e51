"""The arm's joint motors, driven by its trajectory controller."""

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.control import ArmControl
from vlm_bench_sim.core.robot import RobotProfile


class Arm(ArmControl):
    """Drives the arm's joint motors along a chunk, and otherwise holds the position.

    Args:
        client: the simulator.
        robot: the robot's body number.
        joints: numbers of the arm joints, in the profile's order.
        efforts: maximum efforts, N m, one per joint.
        profile: the robot.
    """

    def __init__(self, client: Client, robot: int, *, joints: list[int], efforts: list[float], profile: RobotProfile) -> None:
        super().__init__(profile, [state[0] for state in client.getJointStates(robot, joints)])
        self._client, self._robot, self._joints, self._efforts = client, robot, joints, efforts

    def drive(self) -> None:
        """Set the motors for one physics step."""
        self.advance()
        self._client.setJointMotorControlArray(
            self._robot, self._joints, self._client.POSITION_CONTROL,
            targetPositions=self.positions.tolist(), targetVelocities=self.velocities.tolist(),
            forces=self._efforts, positionGains=[0.5] * len(self._joints), velocityGains=[1.0] * len(self._joints),
        )  # fmt: skip
