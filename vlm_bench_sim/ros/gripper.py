"""Converts a gripper's own unit to the project's: an opening (full width, m) for fingers, on and off for suction cups.

Two actions use it. GripperCommand sends one number in the unit of the robot's own driver, which the profile gives;
ParallelGripperCommand sends joint positions, in the unit of the URDF. Cups have no joints: they go by the names of their
links, with position 1 while sucking and 0 otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from vlm_bench_sim.core.errors import CommandError, near, quoted
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal, SuctionProfile
from vlm_bench_sim.core.snapshot import JointState, Snapshot

ON, OFF = 1.0, 0.0
_ROUNDING = 1e-9  # of positions
_Profile = ParallelProfile | SuctionProfile


@dataclass(frozen=True)
class Wish:
    """The request of a gripper goal, in the project's unit and not yet checked against the gripper's range.

    Attributes:
        position: opening (full width, m), or for cups 1 to suck and 0 to let go.
        force: maximum force of all fingers together, N; 0: the profile's.
    """

    position: float
    force: float = 0.0


def read(gripper: _Profile, position: float, effort: float) -> Wish:
    """Return the request of a GripperCommand, from its position (gripper's unit) and maximum effort (N; 0 or less: the profile's).

    Raises:
        CommandError: a number is not finite.
    """
    if not (isfinite(position) and isfinite(effort)):
        raise CommandError(f'The gripper was sent position {position} and max_effort {effort}. Send finite numbers.')
    return Wish(position / gripper.goal_scale if isinstance(gripper, ParallelProfile) else position, max(0.0, effort))


def read_joints(gripper: _Profile, message: Any) -> Wish:
    """Return the request of a ParallelGripperCommand's JointState; its velocities are checked but not used.

    Raises:
        CommandError: a joint is unknown or named twice, the array lengths differ, a number is not finite, or coupled fingers have
            different positions.
    """
    positions, efforts = _columns(message)
    moved = _named(gripper, list(message.name), len(positions))
    if max(positions) - min(positions) > _ROUNDING:
        raise CommandError(f'{moved} move together, and were sent to {positions}. Send them to the same position, or name one of them.')
    if isinstance(gripper, SuctionProfile):
        return Wish(positions[0])
    fingers = len(gripper.joints)
    return Wish(positions[0] * fingers, max(0.0, min(efforts, default=0.0)) * fingers)


def command(gripper: _Profile, wish: Wish) -> Grip | Seal:
    """Return the command for a request. A force above the gripper's maximum is reduced to it.

    Raises:
        CommandError: the request is out of the gripper's range.
    """
    if isinstance(gripper, SuctionProfile):
        if wish.position not in (ON, OFF):
            raise CommandError(f'Suction is on or off; position {wish.position:g} is out of range. Send 1 to suck, 0 to let go.')
        return Seal(on=wish.position == ON)
    if not -_ROUNDING <= wish.position <= gripper.max_opening + _ROUNDING:
        raise CommandError(
            f'A full width of {wish.position:g} m is out of range. The fingers open from 0 to {gripper.max_opening:g} m; '
            f'the position of a GripperCommand is {unit(gripper)}; the position of a finger joint is its share of the width.'
        )
    return Grip(min(max(0.0, wish.position), gripper.max_opening), min(wish.force, gripper.max_force))


def write(gripper: _Profile, command: Grip | Seal) -> tuple[float, float]:
    """Return position and maximum effort of the GripperCommand for a command.

    Raises:
        CommandError: the command is for the other kind of gripper.
    """
    if isinstance(gripper, SuctionProfile) and isinstance(command, Seal):
        return (ON if command.on else OFF), 0.0
    if isinstance(gripper, ParallelProfile) and isinstance(command, Grip):
        return command.opening * gripper.goal_scale, command.force
    raise CommandError(f'{type(command).__name__} is not for this gripper. Fingers take Grip(opening), suction cups take Seal(on).')


def position(gripper: _Profile, opening: float, *, on: bool) -> float:
    """Return the position in a GripperCommand's result, in its unit: the opening, or whether the gripper sucks."""
    return (ON if on else OFF) if isinstance(gripper, SuctionProfile) else opening * gripper.result_scale


def joints(gripper: _Profile, snapshot: Snapshot, *, on: bool) -> dict[str, JointState]:
    """Return the gripper's joint states for a ParallelGripperCommand's result."""
    if isinstance(gripper, SuctionProfile):
        return {link: JointState(ON if on else OFF, 0.0, 0.0) for link in gripper.links}
    return {name: snapshot.joints[name] for name in gripper.joints}


def names(gripper: _Profile) -> tuple[str, ...]:
    """Return the valid names in a ParallelGripperCommand: finger joints, or the links of the cups."""
    return gripper.links if isinstance(gripper, SuctionProfile) else gripper.joints


def unit(gripper: _Profile) -> str:
    """Describe the position of a GripperCommand goal."""
    if isinstance(gripper, SuctionProfile):
        return '1 to suck, 0 to let go'
    return f'{gripper.goal_scale:g} × opening, 0 to {gripper.max_opening * gripper.goal_scale:g} m'


def result_unit(gripper: _Profile) -> str:
    """Describe the position in feedback and result of a GripperCommand."""
    return '1 while it sucks' if isinstance(gripper, SuctionProfile) else f'{gripper.result_scale:g} × opening'


def _columns(message: Any) -> tuple[list[float], list[float]]:
    """Return positions and efforts of a JointState; it needs one position per joint, and one velocity and effort per joint or none."""
    positions, velocities, efforts = ([float(v) for v in column] for column in (message.position, message.velocity, message.effort))
    if not positions or {len(velocities), len(efforts)} - {0, len(positions)}:
        raise CommandError(
            f'The gripper was sent {len(positions)} positions, {len(velocities)} velocities and {len(efforts)} efforts. '
            'Send a position for each joint, and as many velocities and efforts or none.'
        )
    if not all(isfinite(v) for v in (*positions, *velocities, *efforts)):
        raise CommandError('The gripper was sent a number that is not finite. Check the sender for NaN, and leave out unused values.')
    return positions, efforts


def _named(gripper: _Profile, given: Sequence[str], count: int) -> Sequence[str]:
    """Return the joints that are addressed; without names, the gripper's first."""
    known = names(gripper)
    if not any(given):
        given = known[:1] * max(1, len(given))
    unknown = [name for name in given if name not in known]
    if unknown:
        raise CommandError(f'The gripper has no joint {quoted(unknown[0])}. {near(unknown[0], known)}')
    if len(set(given)) != len(given) or len(given) != count:
        raise CommandError(f'The gripper was sent {count} positions for {list(given)}. Name each joint once, with one position.')
    return given
