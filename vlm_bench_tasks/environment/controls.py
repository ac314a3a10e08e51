"""What an action means: an array of numbers as commands for one control period."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from vlm_bench_sim.core.command import Command, Joints
from vlm_bench_sim.core.errors import CommandError, ConfigError, near
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.servo import Servo, ServoPath, State, Twist

DELTA, POSE, JOINTS = 'delta_pose', 'absolute_pose', 'joint_positions'
CONTROLS = (DELTA, POSE, JOINTS)
"""How an action moves the arm. In all of them the last number is the gripper's: 0 closed or sucking … 1 open or not sucking."""

STRIDE_M, STRIDE_RAD = 0.05, 0.25
"""What a 1 asks of the tool in one control period."""

REACH = 1.5  # m from the robot's base, farther than any robot's
_ASTRAY = 0.05  # rad between arm and course, beyond which it is taken up where it is
_SAME = 1e-3  # share of the opening
_LETTING_GO = 0.5


def action_space(control: str, profile: RobotProfile) -> Box:
    """Return the space of the actions of one way of control.

    Raises:
        ConfigError: there is no such way.
    """
    low: tuple[float, ...]
    high: tuple[float, ...]
    if control == DELTA:
        low, high = (-1.0,) * 6, (1.0,) * 6
    elif control == POSE:
        low, high = (-REACH,) * 3 + (-1.0,) * 4, (REACH,) * 3 + (1.0,) * 4
    elif control == JOINTS:
        low, high = tuple(a for a, _ in profile.limits), tuple(b for _, b in profile.limits)
    else:
        raise ConfigError(f'There is no control called {control!r}. {near(control, CONTROLS)}')
    return Box(np.array([*low, 0.0], np.float32), np.array([*high, 1.0], np.float32))


class Hand:
    """The gripper's part of actions: it is told once, and again when it is told otherwise.

    Args:
        profile: of the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._gripper = profile.gripper
        self._told: float | None = None

    def commands(self, share: float) -> list[Command]:
        """Return what leads to that share of the whole opening."""
        told = share if isinstance(self._gripper, ParallelProfile) else float(share >= _LETTING_GO)
        if self._told is not None and abs(told - self._told) < _SAME:
            return []
        self._told = told
        return [Grip(told * self._gripper.max_opening) if isinstance(self._gripper, ParallelProfile) else Seal(on=not told)]


class Arm(Protocol):
    """The arm's part of actions."""

    def commands(self, numbers: Floats, now: Snapshot) -> list[Command]:
        """Return what one control period's numbers ask of the arm.

        Raises:
            CommandError: they mean nothing.
        """
        ...


class JointArm:
    """Goes to joint positions, rad, as fast as the joints can."""

    def commands(self, numbers: Floats, now: Snapshot) -> list[Command]:
        """Return the positions as a command."""
        return [Joints(tuple(map(float, numbers)))]


class ServoArm:
    """Moves the tool by MoveIt Servo's rules, as `/arm/delta_twist_cmds` and `/arm/pose_target_cmds` do in lockstep.

    Args:
        servo: makes courses.
        floor: height of the table's top, m.
        relative: True for strides of the tool along and about the world's axes, False for poses in the world.
    """

    def __init__(self, servo: Servo, *, floor: float, relative: bool) -> None:
        self._servo, self._relative = servo, relative
        self._course: ServoPath | None = None
        servo.stand_at(floor)

    def commands(self, numbers: Floats, now: Snapshot) -> list[Command]:
        """Return the next period's part of a course."""
        course = self._servo.course(self._start(now), self._aim(numbers), opening=now.opening)
        self._course = course.first()
        return [self._course.chunk()] if self._course.states else []

    def _aim(self, numbers: Floats) -> Twist | Pose:
        if not self._relative:
            return Pose.of(numbers[:3].tolist(), numbers[3:].tolist())
        x, y, z, rx, ry, rz = numbers * np.repeat((STRIDE_M, STRIDE_RAD), 3) / PERIOD_S
        return Twist((float(x), float(y), float(z)), (float(rx), float(ry), float(rz)))

    def _start(self, now: Snapshot) -> State:
        """Return where the arm is commanded to be; where something else has moved it, where it is."""
        profile = self._servo.kinematics.profile
        joints = [now.joints[name] for name in profile.joints]
        positions, limits = np.array([joint.position for joint in joints]), np.asarray(profile.velocity)
        if self._course is not None and self._course.states:
            commanded = self._course.at(PERIOD_NS)
            if np.abs(commanded.positions - positions).max() < _ASTRAY:
                return commanded
        return State(positions, np.clip([joint.velocity for joint in joints], -limits, limits))


def checked(action: Any, space: Box, control: str) -> npt.NDArray[np.float64]:
    """Return an action within its space: what lies beyond it is cut off.

    Raises:
        CommandError: it has another shape, or holds what is no finite number.
    """
    try:
        numbers = np.asarray(action, np.float64)
    except (TypeError, ValueError) as error:
        raise CommandError(f'An action of {control} holds {space.shape[0]} numbers; found {action!r:.80}. Send an array.') from error
    if numbers.shape != space.shape:
        raise CommandError(f'An action of {control} has the shape {space.shape}; found {numbers.shape}. Send one for each control period.')
    if not np.isfinite(numbers).all():
        raise CommandError(f'An action of {control} needs finite numbers; found {numbers.tolist()}. Check the policy for NaN.')
    return np.clip(numbers, space.low, space.high)


def arm(control: str, servo: Servo, *, floor: float) -> Arm:
    """Return the arm's part of a way of control."""
    return JointArm() if control == JOINTS else ServoArm(servo, floor=floor, relative=control == DELTA)


MEANING: Mapping[str, str] = {
    DELTA: f'x, y, z ({STRIDE_M} m) and turns about them ({STRIDE_RAD} rad) along the axes of the world, a control period; gripper',
    POSE: 'x, y, z (m) and quaternion xyzw of the tool in the world; gripper',
    JOINTS: 'position of each joint (rad), in the order of the profile; gripper',
}
"""The numbers of each way of control, in words."""
