"""How a gripper's own unit stands for what the project means: for fingers an opening (full width, m), for suction cups on and off."""

from math import isfinite

from vlm_bench_sim.core.command import Grip, Seal
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.robot import ParallelProfile, SuctionProfile

ON, OFF = 1.0, 0.0


def read(gripper: ParallelProfile | SuctionProfile, position: float, effort: float) -> Grip | Seal:
    """Return what a GripperCommand's position, in the gripper's unit, and greatest effort (N; 0: the profile's) ask for.

    Raises:
        CommandError: a number is not finite, or suction is asked for something between on and off.
    """
    if not (isfinite(position) and isfinite(effort)):
        raise CommandError(f'The gripper was sent position {position} and max_effort {effort}. Send finite numbers.')
    if isinstance(gripper, SuctionProfile):
        return Seal(on=_is_on(position))
    return Grip(position / gripper.ros_scale, min(effort, gripper.max_force) if effort > 0 else 0.0)


def write(gripper: ParallelProfile | SuctionProfile, command: Grip | Seal) -> tuple[float, float]:
    """Return position and greatest effort of a GripperCommand that asks for a command.

    Raises:
        CommandError: the command is for the other kind of gripper.
    """
    if isinstance(gripper, SuctionProfile) and isinstance(command, Seal):
        return (ON if command.on else OFF), 0.0
    if isinstance(gripper, ParallelProfile) and isinstance(command, Grip):
        return command.opening * gripper.ros_scale, command.force
    raise CommandError(f'{type(command).__name__} is not for this gripper. Fingers take Grip(opening), suction cups take Seal(on).')


def position(gripper: ParallelProfile | SuctionProfile, opening: float, *, on: bool) -> float:
    """Return where the gripper stands, in its own unit: how far it is open, or whether it sucks."""
    return (ON if on else OFF) if isinstance(gripper, SuctionProfile) else opening * gripper.ros_scale


def unit(gripper: ParallelProfile | SuctionProfile) -> str:
    """Say what the position of a GripperCommand means."""
    if isinstance(gripper, SuctionProfile):
        return '1 to suck, 0 to let go'
    return f'{gripper.ros_scale:g} × opening, 0 to {gripper.max_opening * gripper.ros_scale:g} m'


def _is_on(position: float) -> bool:
    if position not in (ON, OFF):
        raise CommandError(f'Suction is on or off; found position {position}. Send 1 to suck, 0 to let go.')
    return position == ON
