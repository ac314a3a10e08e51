"""What the columns of a policy server's actions mean: each way of reading them has a name. One row lasts one control period."""

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2, cos, sin
from typing import Any

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.command import Command, Joints, Wait
from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.geometry import Floats, Pose, Quaternion, Vector, vector
from vlm_bench_sim.core.gripper import Grip, Seal, SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.core.unsteady import KinematicsSolver
from vlm_bench_tasks.evaluation.faults import SHAPE, PolicyFault
from vlm_bench_tasks.policy import Observation

STEP, TURN = 0.05, 0.5
"""What ±1 stands for in normalised actions, m and rad, as in LIBERO's controller."""
_SAME = 0.002  # m by which openings differ that are the same to the hand
_STRAY = 0.05  # m by which the arm may lag behind where rows aim, before they count from where it is


@dataclass(frozen=True)
class Reading:
    """One way of reading a row.

    Attributes:
        name: of it.
        meaning: of its columns, for people.
        closed: the last column above which the hand closes, or sucks.
        pose: where the tool shall go, from the columns before the last and from where the tool was to be; None: they are joint positions.
        width: how many columns a pose takes.
        opening: True where the last column is the opening between fingers, m, instead; cups suck above `closed` all the same.
    """

    name: str
    meaning: str
    closed: float
    pose: Callable[[Floats, Pose], Pose] | None
    width: int = 6
    opening: bool = False

    def columns(self, profile: RobotProfile) -> int:
        """Return how many numbers a row holds for a robot."""
        return (self.width if self.pose else len(profile.joints)) + 1


def rotation_vector(pose: Pose) -> Vector:
    """Return a pose's orientation as axis times angle, rad, the angle at most π."""
    x, y, z, w = pose.orientation if pose.orientation[3] >= 0.0 else tuple(-v for v in pose.orientation)
    length = norm((x, y, z))
    share = 2.0 * atan2(length, w) / length if length > 1e-12 else 2.0
    return (share * x, share * y, share * z)


def turned(by: Floats) -> Quaternion:
    """Return the quaternion of a rotation vector, (3,) rad."""
    angle = norm(by)
    share = sin(angle / 2) / angle if angle > 1e-12 else 0.5
    x, y, z = (share * by).tolist()
    return (x, y, z, cos(angle / 2))


def _delta(row: Floats, tool: Pose) -> Pose:
    turn = Pose((0.0, 0.0, 0.0), turned(row[3:6])) @ Pose((0.0, 0.0, 0.0), tool.orientation)
    return Pose.of(vector(np.asarray(tool.position) + row[:3]), turn.orientation)


def _normalised(row: Floats, tool: Pose) -> Pose:
    return _delta(np.clip(row, -1.0, 1.0) * ([STEP] * 3 + [TURN] * 3), tool)


def _absolute(row: Floats, _tool: Pose) -> Pose:
    return Pose.of(vector(row[:3]), turned(row[3:6]))


def _exported(row: Floats, tool: Pose) -> Pose:
    length = norm(row[3:7])
    return Pose.of(vector(row[:3]), (row[3:7] / length).tolist() if length > 1e-6 else tool.orientation)


_EXPORTED_HAND = 'opening (m), or for cups 1 to suck and 0 to let go'
READINGS = {
    reading.name: reading
    for reading in (
        Reading('delta_pose', 'dx dy dz (m), rotation vector (rad), both along the axes of the world; hand 0 open … 1 closed', 0.5, _delta),
        Reading('normalised_delta_pose', 'the same as shares of 0.05 m and 0.5 rad, cut to ±1; hand −1 open … 1 closed', 0.0, _normalised),
        Reading('pose', 'x y z (m), rotation vector (rad) of the tool in the world; hand 0 open … 1 closed', 0.5, _absolute),
        Reading('joints', "arm positions in the profile's order (rad); hand 0 open … 1 closed", 0.5, None),
        Reading('exported_joints', f"arm positions in the profile's order (rad); {_EXPORTED_HAND}", 0.5, None, opening=True),
        Reading('exported_tool', f'x y z (m), quaternion xyzw of the tool; {_EXPORTED_HAND}', 0.5, _exported, width=7, opening=True),
    )
}


def reading(name: str) -> Reading:
    """Return the way of reading rows that has this name.

    Raises:
        ConfigError: there is none.
    """
    if name not in READINGS:
        raise ConfigError(f'There is no way of reading actions called {name!r}. {near(name, READINGS)}')
    return READINGS[name]


class Reader:
    """Turns rows into commands, one episode long.

    Args:
        reading: of the columns.
        profile: of the robot.
        kinematics: by which poses become joint positions.
    """

    def __init__(self, reading: Reading, profile: RobotProfile, *, kinematics: KinematicsSolver) -> None:
        self._reading, self._profile, self._kinematics = reading, profile, kinematics
        self._aim: Pose | None = None
        self._closed: bool | None = None
        self._opening: float | None = None

    def rows(self, actions: Any) -> Floats:
        """Return an answer's actions as rows of numbers; a single row does as well.

        Raises:
            Fault: they are none, or of another width.
        """
        try:
            found = np.atleast_2d(np.asarray(actions, dtype=float))
        except (TypeError, ValueError) as error:
            raise PolicyFault(SHAPE, f'Its actions are no rows of numbers: {error}') from error
        columns = self._reading.columns(self._profile)
        if found.ndim != 2 or found.shape[1] != columns or not len(found):
            asked = f'{self._reading.name} takes rows of {columns} numbers for {self._profile.name}'
            raise PolicyFault(SHAPE, f'{asked}; found an array of shape {np.shape(actions)}.')
        return found

    def commands(self, row: Floats, seen: Observation) -> list[Command]:
        """Return what a row asks for: a change of the hand, if it is one, and where the arm goes in one period."""
        arm = self._joints(row[:-1], seen)
        move: Command = Wait(PERIOD_S) if arm is None else Joints(tuple(arm.tolist()))
        return [*self._hand(float(row[-1]), seen), move]

    def _joints(self, row: Floats, seen: Observation) -> Floats | None:
        if self._reading.pose is None:
            return row
        here = seen.tool if self._aim is None or self._aim.distance(seen.tool) > _STRAY else self._aim
        target = self._reading.pose(row, here)
        near_to = np.array([seen.joints[name].position for name in self._profile.joints])
        arm = self._kinematics.solve(target, near_to)
        self._aim = here if arm is None else target  # what is out of reach is not gone to
        return arm

    def _hand(self, number: float, seen: Observation) -> list[Command]:
        gripper = self._profile.gripper
        if self._reading.opening and not isinstance(gripper, SuctionProfile):
            asked = float(np.clip(number, 0.0, gripper.max_opening))
            if abs(asked - (seen.opening if self._opening is None else self._opening)) < _SAME:
                return []
            self._opening = asked
            return [Grip(asked)]
        first, before, self._closed = self._closed is None, self._closed, number > self._reading.closed
        if self._closed is before or (first and not self._closed):
            return []
        if isinstance(gripper, SuctionProfile):
            return [Seal(on=self._closed)]
        return [Grip(0.0 if self._closed else gripper.max_opening)]
