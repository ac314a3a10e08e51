"""Action spaces: meaning, units and limits of the numbers of a row. A row lasts one control period.

Gymnasium environments, policy servers and exports use the same spaces, so a policy acts in the space of its training data.
The last number of a row is for the gripper.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vlm_bench_sim.core.errors import CommandError, ConfigError, near
from vlm_bench_sim.core.geometry import Floats, Pose, vector
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.actions.rotations import rotation_vector, steady_vector, turned

STEP_M, STEP_RAD = 0.05, 0.5
"""Tool motion for ±1 in one control period, m and rad, as in LIBERO's and robosuite's controllers (robosuite, OSC_POSE)."""

TENTH_M, TENTH_RAD = 0.1, 0.1
"""Tool motion for ±1 in one control period, m and rad, as in ClevrSkills' data set and controller."""

REACH = 1.5
"""Greatest tool coordinate along each axis of the world, whose origin is the robot's base, m. It exceeds the reach of every robot."""

_SHARE = 0.999  # greatest share of a joint's velocity limit: rounding must not extend a change into a second period


@dataclass(frozen=True)
class ToolNumbers:
    """Encoding of a tool pose as numbers.

    Attributes:
        names: names of the numbers.
        limits: greatest absolute value of each number.
        scale: scale of each number in m or rad; 1 if it is in m or rad already.
        decode: returns the pose for scaled numbers and the tool's present set point.
        encode: returns the scaled numbers for a pose and the tool's present set point.
        unit: slice of the numbers that form a unit vector; None: none.
    """

    names: tuple[str, ...]
    limits: tuple[float, ...]
    scale: tuple[float, ...]
    decode: Callable[[Floats, Pose], Pose]
    encode: Callable[[Pose, Pose], Floats]
    unit: slice | None = None


@dataclass(frozen=True)
class ActionSpace:
    """One action space.

    Attributes:
        name: name of the space.
        meaning: meaning of its numbers, for people.
        tool: encoding of the tool pose; None: the numbers are joint positions, rad.
        relative: True if the numbers are changes relative to the arm's present set point.
        normalised: True if all numbers lie within ±1. The gripper's number is then −1 to open, +1 to close or suck, and 0 for no change.
            Otherwise it is the opening (full width, m), or for cups 1 to suck and 0 to release.
    """

    name: str
    meaning: str
    tool: ToolNumbers | None = None
    relative: bool = False
    normalised: bool = False

    def names(self, profile: RobotProfile) -> tuple[str, ...]:
        """Return the names of the numbers for a robot."""
        joints = tuple(f'{joint}.delta' for joint in profile.joints) if self.relative else profile.joints
        gripper = 'gripper.close' if self.normalised else gripper_name(profile)
        return (*(self.tool.names if self.tool else joints), gripper)

    def limits(self, profile: RobotProfile) -> tuple[Floats, Floats]:
        """Return the least and greatest value of each number for a robot. Values beyond are clipped."""
        if self.tool:
            low, high = [-limit for limit in self.tool.limits], list(self.tool.limits)
        elif self.relative:
            high = [_SHARE * v * PERIOD_S for v in profile.velocity]
            low = [-v for v in high]
        else:
            low, high = [a for a, _ in profile.limits], [b for _, b in profile.limits]
        gripper = (-1.0, 1.0) if self.normalised else (0.0, 1.0 if profile.gripper.suction else profile.gripper.max_opening)
        return np.array([*low, gripper[0]]), np.array([*high, gripper[1]])

    def checked(self, row: object, profile: RobotProfile) -> Floats:
        """Return a row clipped to its limits.

        Raises:
            CommandError: it has the wrong shape, or a value that is not finite.
        """
        low, high = self.limits(profile)
        numbers = as_numbers(row)
        if numbers is None:
            raise CommandError(f'An action of {self.name} holds {len(low)} numbers; found {row!r:.80}. Send an array.')
        if numbers.shape != low.shape:
            asked = f'An action of {self.name} has the shape {low.shape} for {profile.name}'
            raise CommandError(f'{asked}; found {numbers.shape}. Send {self.meaning}, and the gripper.')
        if not np.isfinite(numbers).all():
            raise CommandError(f'An action of {self.name} needs finite numbers; found {numbers.tolist()}. Check the policy for NaN.')
        if self.tool is not None and self.tool.unit is not None:  # a scaled quaternion is the same rotation
            part = numbers[self.tool.unit]
            numbers[self.tool.unit] = part / max(1.0, float(np.abs(part).max()))
        return np.clip(numbers, low, high)

    def target(self, row: Floats, now: Pose) -> Pose | None:
        """Return the target tool pose of a clipped row, given the tool's present set point; None in a space of joint positions.

        Raises:
            CommandError: its quaternion has length zero.
        """
        return None if self.tool is None else self.tool.decode(row[:-1] * self.tool.scale, now)

    def gripper(self, number: float, profile: RobotProfile) -> Grip | Seal | None:
        """Return the command for the gripper's number; None: no change."""
        gripper = profile.gripper
        if self.normalised:
            return None if number == 0.0 else gripper.close() if number > 0.0 else gripper.open()
        return Seal(on=number > 0.5) if gripper.suction else Grip(number)


def as_numbers(given: object) -> Floats | None:
    """Return the input as an array; None if it is not numeric, such as words, or lists of different lengths."""
    try:
        found = np.asarray(given)
    except ValueError:
        return None
    return found.astype(np.float64) if found.dtype.kind in 'fiu' else None


def gripper_name(profile: RobotProfile) -> str:
    """Return the name of the gripper's number in its own unit: the opening (full width, m), or whether cups suck (1) or not (0)."""
    return 'gripper.seal' if profile.gripper.suction else 'gripper.opening'


def pose_numbers(pose: Pose) -> tuple[float, ...]:
    """Return position (m) and quaternion xyzw. Of the two quaternions for the rotation, it is the one with x ≥ 0.

    A tool that points straight down has (1, 0, 0, 0). Nearby orientations have nearby quaternions, which the sign of w does not ensure.
    """
    sign = -1.0 if pose.orientation[0] < 0.0 else 1.0
    return (*pose.position, *(sign * v for v in pose.orientation))


def action_space(name: str) -> ActionSpace:
    """Return the action space with the given name.

    Raises:
        ConfigError: there is no such action space.
    """
    if name not in SPACES:
        raise ConfigError(f'There is no action space called {name!r}. {near(name, SPACES)}')
    return SPACES[name]


def _pose(numbers: Floats, _now: Pose) -> Pose:
    return Pose.of(numbers[:3].tolist(), numbers[3:].tolist())


def _pose_by_vector(numbers: Floats, _now: Pose) -> Pose:
    return Pose.of(vector(numbers[:3]), turned(numbers[3:]))


def _moved(numbers: Floats, now: Pose) -> Pose:
    turn = Pose(orientation=turned(numbers[3:])) @ Pose(orientation=now.orientation)
    return Pose.of(vector(np.asarray(now.position) + numbers[:3]), turn.orientation)


def _motion(there: Pose, now: Pose) -> Floats:
    turn = Pose(orientation=there.orientation) @ Pose(orientation=now.orientation).inverse()
    return np.array([*np.subtract(there.position, now.position), *rotation_vector(turn)])


def _numbered(stem: str, *parts: str) -> tuple[str, ...]:
    return tuple(f'{stem}.{part}' for part in parts)


TOOL_NAMES = _numbered('tool', 'x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
"""Names of the numbers of a tool pose."""

_MOTION = _numbered('tool', 'dx', 'dy', 'dz', 'drx', 'dry', 'drz')
_ONES = (1.0,) * 6
_STEPS = (STEP_M,) * 3 + (STEP_RAD,) * 3
_TENTHS = (TENTH_M,) * 3 + (TENTH_RAD,) * 3

SPACES = {
    space.name: space
    for space in (
        ActionSpace(
            'delta_pose', f'dx dy dz (in units of {STEP_M} m), rotation vector (in units of {STEP_RAD} rad), along the axes of the world',
            ToolNumbers(_MOTION, _ONES, _STEPS, _moved, _motion), relative=True, normalised=True,
        ),
        ActionSpace(
            'delta_pose_metric', 'dx dy dz (m), rotation vector (rad), along the axes of the world',
            ToolNumbers(_MOTION, _STEPS, _ONES, _moved, _motion), relative=True,
        ),
        ActionSpace(
            'delta_pose_tenths', f'as delta_pose, in units of {TENTH_M} m and {TENTH_RAD} rad',
            ToolNumbers(_MOTION, _ONES, _TENTHS, _moved, _motion), relative=True, normalised=True,
        ),
        ActionSpace(
            'pose', 'x y z (m), quaternion xyzw of the tool in the world',
            ToolNumbers(
                TOOL_NAMES, (REACH,) * 3 + (1.0,) * 4, (1.0,) * 7, _pose, lambda there, _now: np.array(pose_numbers(there)), slice(3, 7),
            ),
        ),
        ActionSpace(
            'pose_rotation_vector', 'x y z (m), rotation vector (rad) of the tool in the world',
            ToolNumbers(
                _numbered('tool', 'x', 'y', 'z', 'rx', 'ry', 'rz'), (REACH,) * 3 + (2 * np.pi,) * 3, _ONES,
                _pose_by_vector, lambda there, _now: np.array([*there.position, *steady_vector(there)]),
            ),
        ),
        ActionSpace('joints', "joint positions of the arm in the profile's order (rad)"),
        ActionSpace('delta_joints', "changes of the arm's joint positions in the profile's order (rad)", relative=True),
    )
}  # fmt: skip
"""Every action space by its name."""

DEFAULT = 'delta_pose'
"""The default action space of environments and policy servers."""
