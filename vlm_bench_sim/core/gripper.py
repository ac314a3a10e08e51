"""Gripper profiles, and the commands that open, close and release a gripper."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vlm_bench_sim.core.algebra import on_grid, rounded
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.snapshot import JointState


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
    """Switch the suction on (`on`) or off."""

    on: bool


@dataclass(frozen=True)
class ParallelProfile:
    """A parallel gripper.

    Attributes:
        joints: prismatic finger joints; each moves half the opening.
        links: the two finger links; contact of both with an object from opposite sides is a grasp.
        max_opening: full width, m.
        max_force: N, both fingers together.
        speed: speed of the opening, m/s.
        action: name of its GripperCommand action, without the leading slash.
        goal_scale: position of a GripperCommand goal = opening × goal_scale (0.5: the travel of one finger, 1: the full width).
        result_scale: position in feedback and result = opening × result_scale; some drivers use different units for goals and results.
    """

    suction: ClassVar[bool] = False
    """Whether a held object hangs from suction cups. Cups suck on arrival, and fast overhead motions can fling the object off."""

    press: ClassVar[float] = 0.0
    """How far the tool moves on past the grasp pose along its approach, m."""

    joints: tuple[str, ...]
    links: tuple[str, ...]
    max_opening: float
    max_force: float
    speed: float
    action: str
    goal_scale: float
    result_scale: float

    def sensed(self, held: str) -> dict[str, JointState]:
        """Return nothing: no vacuum is sensed."""
        return {}

    def sealed(self, joints: Mapping[str, JointState]) -> None:
        """Return None: there are no cups."""

    def travel(self, opening: float) -> float:
        """Return each finger's distance from the middle for an opening, m. Given the opening's speed, return the finger's speed, m/s."""
        return opening / len(self.joints)

    def open(self) -> Grip:
        """Return the command that opens the gripper fully."""
        return Grip(self.max_opening)

    def close(self) -> Grip:
        """Return the command that grasps."""
        return Grip(0.0)

    def fist(self) -> Grip:
        """Return the command that makes the hand ready to touch and push without grasping: the fingers close."""
        return Grip(0.0)

    def ready(self, opening: float) -> Grip:
        """Return the command that prepares a grasp with an opening, m."""
        return Grip(opening)

    def release(self, opening: float) -> Grip:
        """Return the command that releases an object held at an opening, m. The fingers open only a little, to keep clear of neighbours."""
        return Grip(min(self.max_opening, opening + _ROOM))

    def checked(self, command: Grip | Seal) -> Grip:
        """Return the command if this gripper can carry it out.

        Raises:
            CommandError: the opening or the force is out of range, or the command is for suction cups.
        """
        if isinstance(command, Seal):
            raise CommandError('Seal needs suction cups, and this robot has fingers. Send Grip(opening).')
        if not 0.0 <= command.opening <= self.max_opening + 1e-9 or not 0.0 <= command.force <= self.max_force:
            raise CommandError(
                f'Grip(opening={command.opening}, force={command.force}) is out of range: '
                f'the opening must be in 0…{self.max_opening} m, the force in 0…{self.max_force} N.'
            )
        return command

    def has_let_go(self, opening: float) -> bool:
        """Return whether fingers that closed on an object and hold nothing now stand open, as if they had released it by themselves."""
        return opening > _OPEN * self.max_opening


@dataclass(frozen=True)
class SuctionProfile:
    """A suction gripper: cups that seal on contact.

    Attributes:
        links: the cups, one link each; the tip of the first is the tool centre point.
        radius: radius of a cup, m.
        lip: distance that a cup's lip follows a surface that recedes from its tip, m.
        force: holding force of all cups together, N; cups in contact share it, at most `cup_force` each.
        cup_force: greatest holding force of one cup, N.
        action: name of its GripperCommand action, without the leading slash; position 1 is suction on, 0 off.
    """

    suction: ClassVar[bool] = True
    press: ClassVar[float] = 0.001

    links: tuple[str, ...]
    radius: float
    lip: float
    force: float
    cup_force: float
    action: str

    joints: tuple[str, ...] = ()
    max_opening: float = 0.0

    def around(self, radius: float | None = None) -> Floats:
        """Return (n, 3) points on a circle around the middle of a cup's tip, m; by default where its lip closes."""
        angles = np.arange(_POINTS) * 2 * np.pi / _POINTS
        circle = rounded(np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_POINTS)]))
        return (self.radius * _LIP if radius is None else radius) * circle

    def sensed(self, held: str) -> dict[str, JointState]:
        """Return what a vacuum sensor tells, as joint states of the cups: position 1 while they hold something, and 0 otherwise."""
        return {link: JointState(1.0 if held else 0.0) for link in self.links}

    def sealed(self, joints: Mapping[str, JointState]) -> bool | None:
        """Return whether a vacuum sensor tells that the cups hold something, given joint states by name; None if none does."""
        told = [joints[link].position for link in self.links if link in joints]
        return any(position > _SEALED for position in told) if told else None

    def travel(self, opening: float) -> float:
        """Return 0: there are no fingers."""
        return 0.0

    def open(self) -> Seal:
        """Return the command that switches suction off."""
        return Seal(on=False)

    def close(self) -> Seal:
        """Return the command that switches suction on."""
        return Seal(on=True)

    def fist(self) -> Seal:
        """Return the command that makes the cups ready to touch and push without grasping: suction is off."""
        return Seal(on=False)

    def ready(self, opening: float) -> Seal:
        """Return the command that prepares a grasp: suction off."""
        return Seal(on=False)

    def release(self, opening: float) -> Seal:
        """Return the command that switches suction off."""
        return Seal(on=False)

    @staticmethod
    def checked(command: Grip | Seal) -> Seal:
        """Return the command if this gripper can carry it out.

        Raises:
            CommandError: the command is for fingers.
        """
        if isinstance(command, Grip):
            raise CommandError('Grip needs fingers, and this robot has suction cups. Send Seal(on).')
        return command

    def has_let_go(self, opening: float) -> bool:
        """Return True: cups that hold nothing have released."""
        return True


GripperProfile = ParallelProfile | SuctionProfile
"""Any gripper."""

_ROOM = 0.02  # m that the fingers open beyond the width of the held object
_SEALED = 0.5  # position of a cup from which it holds something
_OPEN = 0.9  # share of the greatest opening
_LIP = 0.9  # share of a cup's radius at which its lip closes
_POINTS = 8  # of a lip
