"""The parallel gripper: moves at its speed, holds with its force, and knows a stall from an arrival."""

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import Pushes
from vlm_bench_sim.core.command import Grip, Seal
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.robot import ParallelProfile
from vlm_bench_sim.core.timing import PHYSICS_HZ

_ARRIVED = 1e-3  # m of opening
_STILL = 2e-4  # m of opening in one control period
_STILL_PERIODS = 3
_OPPOSED = -0.5  # cosine between the summed contact normals of the two fingers


class ParallelGripper:
    """Drives the finger motors.

    Args:
        client: the simulator.
        robot: the robot's number there.
        joints: numbers of the finger joints there.
        profile: of the gripper.
        opening: full width at the start, m.
    """

    def __init__(self, client: Client, robot: int, *, joints: list[int], profile: ParallelProfile, opening: float) -> None:
        self._client, self._robot, self._joints, self._profile = client, robot, joints, profile
        self.state = MotionState.IDLE
        self._goal = self._commanded = self._last = opening
        self._force = profile.max_force
        self._still = 0

    def begin(self, grip: Grip | Seal) -> None:
        """Begin a gripper command at the next physics step.

        Raises:
            CommandError: the opening or the force is out of range, or it is a command to suction cups.
        """
        if isinstance(grip, Seal):
            raise CommandError('Seal needs suction cups, and this robot has fingers. Send Grip(opening).')
        if not 0.0 <= grip.opening <= self._profile.max_opening + 1e-9 or not 0.0 <= grip.force <= self._profile.max_force:
            raise CommandError(
                f'Grip(opening={grip.opening}, force={grip.force}) is out of range: '
                f'the opening lies in 0…{self._profile.max_opening} m, the force in 0…{self._profile.max_force} N.'
            )
        self._goal, self._force = grip.opening, grip.force or self._profile.max_force
        self._commanded, self._still = self._last, 0
        self.state = MotionState.RUNNING

    def hold(self) -> None:
        """Stop at the present opening, with the present force; what is held stays held."""
        if self.state is MotionState.RUNNING:
            self._goal = self._commanded
            self.state = MotionState.STOPPED

    def lose(self, _name: str) -> None:
        """Nothing to do where a prop is removed: fingers hold by friction alone."""

    def drive(self) -> None:
        """Set the finger motors for one physics step."""
        stride = self._profile.speed / PHYSICS_HZ
        self._commanded += max(-stride, min(stride, self._goal - self._commanded))
        count = len(self._joints)
        self._client.setJointMotorControlArray(
            self._robot, self._joints, self._client.POSITION_CONTROL,
            targetPositions=[self._commanded / count] * count, forces=[self._force / count] * count,
            positionGains=[0.3] * count, velocityGains=[1.0] * count,
        )  # fmt: skip

    def holds(self, pushes: Pushes, opening: float) -> str:
        """Return the prop between the fingers, '' for none: both push at it from opposite sides, and they are not wide open."""
        if opening > self._profile.max_opening - _ARRIVED:
            return ''
        for name in sorted(pushes):
            sides = [push / np.linalg.norm(push) for push in pushes[name].values() if np.linalg.norm(push) > 0]
            if len(sides) == 2 and float(sides[0] @ sides[1]) < _OPPOSED:
                return name
        return ''

    def judge(self, opening: float) -> None:
        """Compare with the measured opening (m) at the end of a control period."""
        moved, self._last = abs(opening - self._last), opening
        if self.state is not MotionState.RUNNING:
            return
        self._still = self._still + 1 if moved < _STILL else 0
        if abs(opening - self._goal) < _ARRIVED and self._still:
            self.state = MotionState.SUCCEEDED
        elif self._still >= _STILL_PERIODS:
            self.state = MotionState.STALLED
