"""The parallel gripper's motors in Bullet."""

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import roughen
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal
from vlm_bench_sim.physics.fingers import Fingers


class ParallelGripper(Fingers):
    """Drives the finger motors.

    Args:
        client: the simulator.
        robot: the robot's body number.
        joints: numbers of the finger joints.
        pads: numbers of the gripping links.
        profile: the gripper.
        opening: initial full width, m.
    """

    def __init__(self, client: Client, robot: int, *, joints: list[int], pads: list[int], profile: ParallelProfile, opening: float) -> None:
        super().__init__(profile, opening)
        self._client, self._robot, self._joints, self._pads = client, robot, joints, pads
        roughen(client, robot, pads, anchored=False)

    def begin(self, command: Grip | Seal) -> None:
        """Begin a gripper command at the next physics step.

        Raises:
            CommandError: the opening or the force is out of range, or the command is for suction cups.
        """
        super().begin(command)
        closing = isinstance(command, Grip) and command.opening < self.commanded
        roughen(self._client, self._robot, self._pads, anchored=closing)

    def drive(self) -> None:
        """Set the finger motors for one physics step."""
        self.advance()
        count = len(self._joints)
        self._client.setJointMotorControlArray(
            self._robot, self._joints, self._client.POSITION_CONTROL,
            targetPositions=[self._profile.travel(self.commanded)] * count, forces=[self.force / count] * count,
            positionGains=[0.3] * count, velocityGains=[1.0] * count,
        )  # fmt: skip
