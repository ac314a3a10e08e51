"""The parallel gripper: moves at its speed, holds with its force, and distinguishes a stall from an arrival."""

from collections.abc import Callable
from math import hypot

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import Pushes, roughen
from vlm_bench_sim.core.control import ARRIVED, FingerControl
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal

_OPPOSED = -0.5  # cosine between the summed contact normals of the two fingers


class ParallelGripper(FingerControl):
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

    def lose(self, _name: str) -> None:
        """Do nothing when a prop is removed: fingers hold by friction alone."""

    def drive(self) -> None:
        """Set the finger motors for one physics step."""
        self.advance()
        count = len(self._joints)
        self._client.setJointMotorControlArray(
            self._robot, self._joints, self._client.POSITION_CONTROL,
            targetPositions=[self._profile.travel(self.commanded)] * count, forces=[self.force / count] * count,
            positionGains=[0.3] * count, velocityGains=[1.0] * count,
        )  # fmt: skip

    def holds(self, pushes: Pushes, opening: Callable[[], float]) -> str:
        """Return the prop between the fingers, '' for none: both push it from opposite sides, and they are not wide open."""
        if not pushes or opening() > self._profile.max_opening - ARRIVED:
            return ''
        for name in sorted(pushes):
            sides = [push for push in pushes[name].values() if any(push)]
            if len(sides) == 2 and sum(a * b for a, b in zip(*sides, strict=True)) < _OPPOSED * hypot(*sides[0]) * hypot(*sides[1]):
                return name
        return ''
