"""Decoding of a row of numbers into a command for arm and gripper for one control period."""

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

_SAME = 0.002  # m: openings with a smaller difference count as equal
_GIVEN_UP = 20  # rows after which fingers that are open despite a command to close have opened by themselves


class RobotState(Protocol):
    """Interface of the measured state of the robot: an observation or a snapshot."""

    @property
    def joints(self) -> Mapping[str, JointState]:
        """States of the arm and finger joints, by name."""
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
    """The arm's set point, which relative rows count from.

    Args:
        profile: profile of the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._joints = profile.joints
        self._sent: tuple[Floats, Pose] | None = None

    def now(self, seen: RobotState) -> tuple[Floats, Pose]:
        """Return positions (rad) and tool pose: the last set point, or the measured state at first and if the arm could not follow."""
        measured = np.array([seen.joints[name].position for name in self._joints])
        if self._sent is not None and np.abs(self._sent[0] - measured).max() < ASTRAY:
            return self._sent
        return measured, seen.tool

    def send(self, positions: Floats, tool: Pose) -> None:
        """Record the arm's new set point."""
        self._sent = positions, tool


class Decoder:
    """Turns rows into commands during one episode.

    Args:
        space: action space of the rows.
        profile: profile of the robot.
        kinematics: kinematics of the robot.
    """

    def __init__(self, space: ActionSpace, profile: RobotProfile, *, kinematics: KinematicsSolver) -> None:
        self.space, self.profile, self._kinematics = space, profile, kinematics
        self._arm = Sent(profile)
        self._told: Grip | Seal | None = None
        self._rows = 0  # since the last gripper command

    def command(self, row: object, seen: RobotState) -> Both:
        """Return the command of a row. If the arm cannot reach its target, the arm continues to the last set point.

        Args:
            row: numbers of the action space. Values beyond its limits are clipped.
            seen: measured state of the robot.

        Raises:
            CommandError: the row has the wrong shape, a value that is not finite, or a quaternion of length zero.
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
        """Return the gripper command if it differs from the last one, otherwise None."""
        asked, self._rows = self.space.gripper(number, self.profile), self._rows + 1
        if asked is None or self._is_told(asked, seen):
            return None
        self._told, self._rows = asked, 0
        return asked

    def _is_told(self, asked: Grip | Seal, seen: RobotState) -> bool:
        """Return whether the gripper already does what is asked. The state of cups is unknown before their first command."""
        if isinstance(asked, Seal):
            return asked == self._told
        if not isinstance(self._told, Grip):
            return not self.space.normalised and abs(asked.opening - seen.opening) < _SAME
        opened = self._rows > _GIVEN_UP and self.profile.gripper.has_let_go(seen.opening) and asked.opening < seen.opening - _SAME
        return abs(asked.opening - self._told.opening) < _SAME and not opened
