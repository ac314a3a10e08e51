"""Action spaces: what the numbers of a row mean, in which units, and within which limits. A row lasts one control period.

The same spaces serve Gymnasium environments, policy servers and exports, so that a policy acts as what it learned from does.
The last number of a row is the gripper's.
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
"""What ±1 asks of the tool in one control period, m and rad, as in LIBERO's and robosuite's controllers (robosuite, OSC_POSE)."""

REACH = 1.5
"""How far from the origin of the world, where the robot stands, a tool may be sent along an axis, m: farther than any robot reaches."""

_SHARE = 0.999  # of a joint's velocity limit that a change may ask for: rounding must not make it last a second period


@dataclass(frozen=True)
class ToolNumbers:
    """Numbers that say where the tool goes.

    Attributes:
        names: of them.
        limits: greatest size of each.
        scale: of each, in m and rad; 1 where it is in them already.
        decode: returns the pose that scaled numbers ask for, from where the tool is sent now.
        encode: returns the scaled numbers that ask for a pose, from where the tool is sent now.
        unit: which of them are a vector of unit length; None: none.
    """

    names: tuple[str, ...]
    limits: tuple[float, ...]
    scale: tuple[float, ...]
    decode: Callable[[Floats, Pose], Pose]
    encode: Callable[[Pose, Pose], Floats]
    unit: slice | None = None


@dataclass(frozen=True)
class ActionSpace:
    """One way of writing an action down.

    Attributes:
        name: of it.
        meaning: of its numbers, for people.
        tool: how they say where the tool goes; None: they are joint positions, rad.
        relative: True where they are changes, from where the arm is sent now.
        normalised: True where all of them lie within ±1. The gripper's is then −1 to open, +1 to close or suck, and 0 to leave it as it is;
            else it is the opening (full width, m), or of cups 1 to suck and 0 to let go.
    """

    name: str
    meaning: str
    tool: ToolNumbers | None = None
    relative: bool = False
    normalised: bool = False

    def names(self, profile: RobotProfile) -> tuple[str, ...]:
        """Return the name of each number for a robot."""
        joints = tuple(f'{joint}.delta' for joint in profile.joints) if self.relative else profile.joints
        gripper = 'gripper.close' if self.normalised else gripper_name(profile)
        return (*(self.tool.names if self.tool else joints), gripper)

    def limits(self, profile: RobotProfile) -> tuple[Floats, Floats]:
        """Return the least and the greatest of each number for a robot; what lies beyond is cut off."""
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
        """Return a row within its limits.

        Raises:
            CommandError: it has another shape, or holds what is no finite number.
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
        if self.tool is not None and self.tool.unit is not None:  # a longer quaternion is the same turn
            part = numbers[self.tool.unit]
            numbers[self.tool.unit] = part / max(1.0, float(np.abs(part).max()))
        return np.clip(numbers, low, high)

    def target(self, row: Floats, now: Pose) -> Pose | None:
        """Return the pose of the tool that a row within its limits asks for, from where it is sent now; None where joints are asked for.

        Raises:
            CommandError: its quaternion has no direction.
        """
        return None if self.tool is None else self.tool.decode(row[:-1] * self.tool.scale, now)

    def gripper(self, number: float, profile: RobotProfile) -> Grip | Seal | None:
        """Return what the gripper's number asks for; None: nothing."""
        gripper = profile.gripper
        if self.normalised:
            return None if number == 0.0 else gripper.close() if number > 0.0 else gripper.open()
        return Seal(on=number > 0.5) if gripper.suction else Grip(number)


def as_numbers(given: object) -> Floats | None:
    """Return an array of what is given; None where it is none of numbers, such as words, or a list of lists that differ in length."""
    try:
        found = np.asarray(given)
    except ValueError:
        return None
    return found.astype(np.float64) if found.dtype.kind in 'fiu' else None


def gripper_name(profile: RobotProfile) -> str:
    """Return the name of a gripper's number in its own unit: its opening (full width, m), or whether its cups suck (1) or not (0)."""
    return 'gripper.seal' if profile.gripper.suction else 'gripper.opening'


def pose_numbers(pose: Pose) -> tuple[float, ...]:
    """Return position (m) and quaternion xyzw, of the two that mean the same rotation the one with x from 0.

    A tool that points straight down has (1, 0, 0, 0): around it nothing jumps, as it would by the sign of w.
    """
    sign = -1.0 if pose.orientation[0] < 0.0 else 1.0
    return (*pose.position, *(sign * v for v in pose.orientation))


def action_space(name: str) -> ActionSpace:
    """Return the action space that has this name.

    Raises:
        ConfigError: there is none.
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
"""Names of the numbers of a pose of the tool."""

_MOTION = _numbered('tool', 'dx', 'dy', 'dz', 'drx', 'dry', 'drz')
_ONES = (1.0,) * 6
_STEPS = (STEP_M,) * 3 + (STEP_RAD,) * 3

SPACES = {
    space.name: space
    for space in (
        ActionSpace(
            'delta_pose', f'dx dy dz (shares of {STEP_M} m), rotation vector (of {STEP_RAD} rad), along the axes of the world',
            ToolNumbers(_MOTION, _ONES, _STEPS, _moved, _motion), relative=True, normalised=True,
        ),
        ActionSpace(
            'delta_pose_metric', 'dx dy dz (m), rotation vector (rad), along the axes of the world',
            ToolNumbers(_MOTION, _STEPS, _ONES, _moved, _motion), relative=True,
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
        ActionSpace('joints', "arm positions in the profile's order (rad)"),
        ActionSpace('delta_joints', "changes of the arm's positions in the profile's order (rad)", relative=True),
    )
}  # fmt: skip
"""Every action space by its name."""

DEFAULT = 'delta_pose'
"""The action space of environments and policy servers unless another is named."""
