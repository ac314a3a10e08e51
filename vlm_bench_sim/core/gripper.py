"""Grippers: what each one is, and the commands with which it opens, takes hold and lets go."""

from dataclasses import dataclass
from typing import ClassVar

from vlm_bench_sim.core.algebra import on_grid
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import CommandError


@serialisable
@dataclass(frozen=True)
class Grip:
    """Move the fingers to `opening` (full width, m) and hold with `force` (N, both fingers; 0: the profile's).

    The opening is rounded to 1e-6 m (`algebra.on_grid`).
    """

    opening: float
    force: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, 'opening', on_grid(self.opening))


@serialisable
@dataclass(frozen=True)
class Seal:
    """Let the suction cups suck (`on`), or let go."""

    on: bool


@dataclass(frozen=True)
class ParallelProfile:
    """A parallel gripper.

    Attributes:
        joints: prismatic finger joints; each moves half the opening.
        links: the two links whose opposed contacts mean a grasp.
        max_opening: full width, m.
        max_force: N, both fingers together.
        speed: of the opening, m/s.
        action: name of its GripperCommand action, without the leading slash.
        goal_scale: position of a GripperCommand goal = opening × goal_scale (0.5: the travel of one finger, 1: the full width).
        result_scale: position of its feedback and result = opening × result_scale; some drivers answer in another unit than they are asked.
    """

    suction: ClassVar[bool] = False
    """Whether what is held hangs on cups: they suck as they come, and a way overhead flings what hangs there."""

    press: ClassVar[float] = 0.0
    """How far beyond a grasp the tool goes along its approach, m."""

    joints: tuple[str, ...]
    links: tuple[str, ...]
    max_opening: float
    max_force: float
    speed: float
    action: str
    goal_scale: float
    result_scale: float

    def travel(self, opening: float) -> float:
        """Return how far each finger is from the middle at an opening, m; or at an opening's speed, how fast it moves, m/s."""
        return opening / len(self.joints)

    def open(self) -> Grip:
        """Open as far as it goes."""
        return Grip(self.max_opening)

    def close(self) -> Grip:
        """Take hold."""
        return Grip(0.0)

    def ready(self, opening: float) -> Grip:
        """Make ready for a grasp that needs an opening, m."""
        return Grip(opening)

    def release(self, opening: float) -> Grip:
        """Let go of what stands between fingers with an opening, m: open them a little only, beside what else stands there."""
        return Grip(min(self.max_opening, opening + _ROOM))

    def checked(self, command: Grip | Seal) -> Grip:
        """Return a command that it can carry out.

        Raises:
            CommandError: the opening or the force is out of range, or it is a command to suction cups.
        """
        if isinstance(command, Seal):
            raise CommandError('Seal needs suction cups, and this robot has fingers. Send Grip(opening).')
        if not 0.0 <= command.opening <= self.max_opening + 1e-9 or not 0.0 <= command.force <= self.max_force:
            raise CommandError(
                f'Grip(opening={command.opening}, force={command.force}) is out of range: '
                f'the opening lies in 0…{self.max_opening} m, the force in 0…{self.max_force} N.'
            )
        return command

    def has_let_go(self, opening: float) -> bool:
        """Return whether fingers that closed on something and hold nothing stand open, as if they had let go by themselves."""
        return opening > _OPEN * self.max_opening


@dataclass(frozen=True)
class SuctionProfile:
    """A suction gripper: cups that seal on contact.

    Attributes:
        links: the cups, one link each, with the tip of the first at the tool centre point.
        radius: of a cup, m.
        force: that all cups together hold with, N; it is shared out among those in contact, at most `cup_force` each.
        cup_force: that one cup holds with at most, N.
        action: name of its GripperCommand action, without the leading slash; position 1 means suck, 0 let go.
    """

    suction: ClassVar[bool] = True
    press: ClassVar[float] = 0.001

    links: tuple[str, ...]
    radius: float
    force: float
    cup_force: float
    action: str

    joints: tuple[str, ...] = ()
    max_opening: float = 0.0

    def travel(self, opening: float) -> float:
        """Return 0, as there are no fingers."""
        return 0.0

    def open(self) -> Seal:
        """Let the cups go."""
        return Seal(on=False)

    def close(self) -> Seal:
        """Let the cups suck."""
        return Seal(on=True)

    def ready(self, opening: float) -> Seal:
        """Make ready for a grasp: without suction."""
        return Seal(on=False)

    def release(self, opening: float) -> Seal:
        """Let the cups go."""
        return Seal(on=False)

    @staticmethod
    def checked(command: Grip | Seal) -> Seal:
        """Return a command that it can carry out.

        Raises:
            CommandError: it is a command to fingers.
        """
        if isinstance(command, Grip):
            raise CommandError('Grip needs fingers, and this robot has suction cups. Send Seal(on).')
        return command

    def has_let_go(self, opening: float) -> bool:
        """Return True: cups that hold nothing have let go."""
        return True


GripperProfile = ParallelProfile | SuctionProfile
"""Any gripper."""

_ROOM = 0.02  # m by which the fingers open beyond what they held
_OPEN = 0.9  # share of the greatest opening
