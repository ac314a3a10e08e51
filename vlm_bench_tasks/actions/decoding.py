"""From a row of numbers to what arm and gripper do in a control period."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from vlm_bench_sim.core.command import Both, Joints
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.core.stream import ASTRAY
from vlm_bench_sim.core.unsteady import KinematicsSolver
from vlm_bench_tasks.actions.spaces import ActionSpace

_SAME = 0.002  # m by which openings differ that are the same to the fingers
_GIVEN_UP = 20  # rows after which fingers that stand open, though they were told to close, have let go by themselves


class RobotState(Protocol):
    """The robot as it is measured: an observation, or a snapshot."""

    @property
    def joints(self) -> Mapping[str, JointState]:
        """Arm and fingers, by name."""
        ...

    @property
    def tool(self) -> Pose:
        """Pose of the tool centre point in the world."""
        ...

    @property
    def opening(self) -> float:
        """Full width between the fingers, m."""
        ...


class Sent:
    """Where the arm is sent, which rows of changes count from.

    Args:
        profile: of the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._joints = profile.joints
        self._sent: tuple[Floats, Pose] | None = None

    def now(self, seen: RobotState) -> tuple[Floats, Pose]:
        """Return positions (rad) and tool pose: as sent last, or as measured at first and where the arm could not follow."""
        measured = np.array([seen.joints[name].position for name in self._joints])
        if self._sent is not None and np.abs(self._sent[0] - measured).max() < ASTRAY:
            return self._sent
        return measured, seen.tool

    def send(self, positions: Floats, tool: Pose) -> None:
        """Note where the arm is sent."""
        self._sent = positions, tool


class Decoder:
    """Turns rows into commands, one episode long.

    Args:
        space: of the rows.
        profile: of the robot.
        kinematics: of it.
    """

    def __init__(self, space: ActionSpace, profile: RobotProfile, *, kinematics: KinematicsSolver) -> None:
        self.space, self.profile, self._kinematics = space, profile, kinematics
        self._arm = Sent(profile)
        self._told: Grip | Seal | None = None
        self._rows = 0  # since the gripper was told something

    def command(self, row: object, seen: RobotState) -> Both:
        """Return what a row asks for. An arm that cannot reach what it asks for goes on to where it was sent before.

        Args:
            row: numbers of the space; those beyond its limits are cut off.
            seen: the robot as it is.

        Raises:
            CommandError: the row has another shape, holds what is no finite number, or a quaternion without a direction.
        """
        numbers = self.space.checked(row, self.profile)
        return Both(self._joints(numbers, seen), self._gripper(float(numbers[-1]), seen))

    def _joints(self, numbers: Floats, seen: RobotState) -> Joints | None:
        positions, tool = self._arm.now(seen)
        target = self.space.target(numbers, tool)
        if target is not None:
            found = self._kinematics.solve(target, positions)
            if found is None:
                return None
            self._arm.send(found, target)
            return Joints(tuple(found.tolist()))
        low, high = np.transpose(self.profile.limits)
        asked = np.clip(numbers[:-1] + positions, low, high) if self.space.relative else numbers[:-1]
        self._arm.send(asked, tool)
        return Joints(tuple(asked.tolist()))

    def _gripper(self, number: float, seen: RobotState) -> Grip | Seal | None:
        """Return what the gripper is told: once, and again when it is told otherwise."""
        asked, self._rows = self.space.gripper(number, self.profile), self._rows + 1
        if asked is None or self._is_told(asked, seen):
            return None
        self._told, self._rows = asked, 0
        return asked

    def _is_told(self, asked: Grip | Seal, seen: RobotState) -> bool:
        """Return whether the gripper does already what is asked; nobody knows of cups before they are told."""
        if isinstance(asked, Seal):
            return asked == self._told
        if not isinstance(self._told, Grip):
            return not self.space.normalised and abs(asked.opening - seen.opening) < _SAME
        opened = self._rows > _GIVEN_UP and self.profile.gripper.has_let_go(seen.opening) and asked.opening < seen.opening - _SAME
        return abs(asked.opening - self._told.opening) < _SAME and not opened
