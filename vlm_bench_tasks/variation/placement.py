"""Placement of props: within the robot's reach and without overlap."""

from dataclasses import dataclass
from math import cos, hypot, sin
from typing import NamedTuple

import numpy as np

from vlm_bench_sim.core.errors import NoRoomError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import footprint
from vlm_bench_tasks.language.references import side_of

TRIES = 2000
LIFT = 0.0005  # m above the table: a prop starts without contact and settles
CLEAR_SIDE = 0.7  # greatest ratio of the smaller to the larger offset at which a side is clear
TURN = (-np.pi, np.pi)
SLENDER = 2.5  # a prop with a larger ratio of length to width is bounded by a rectangle instead of a circle


@dataclass(frozen=True)
class Workspace:
    """The part of the table that contains the centres of all placed props.

    Attributes:
        x, y: least and greatest coordinate, m.
        reach: least and greatest distance from the base's axis that a downward tool can reach, m.
    """

    x: tuple[float, float] = (0.30, 0.65)
    y: tuple[float, float] = (-0.35, 0.35)
    reach: tuple[float, float] = (0.30, 0.72)

    def spot(self, chance: np.random.Generator) -> tuple[float, float]:
        """Return a uniform random point of the rectangle. It may be out of reach."""
        return float(chance.uniform(*self.x)), float(chance.uniform(*self.y))

    def reachable(self, x: float, y: float) -> bool:
        """Return whether a downward tool can reach the point."""
        return self.reach[0] <= hypot(x, y) <= self.reach[1]


@dataclass(frozen=True)
class Spacing:
    """Least distances between props, m: `alike` between centres of props of the same noun, `gap` between bounding circles."""

    alike: float
    gap: float


def place(
    prop: Prop,
    others: tuple[Prop, ...],
    *,
    spacing: Spacing,
    workspace: Workspace,
    chance: np.random.Generator,
    yaw: tuple[float, float] = TURN,
    beside: tuple[Prop, str] | None = None,
) -> Prop:
    """Return the prop at a random place on the table: within reach, clear of others, yaw in a range (rad), on a side of `beside` if given.

    Raises:
        NoRoomError: no place was found.
    """
    ground, standing = _ground(prop), [_ground(other) for other in others]
    for _ in range(TRIES):
        (x, y), turn = workspace.spot(chance), float(chance.uniform(*yaw))
        if not workspace.reachable(x, y) or (beside is not None and not _clearly(beside[1], x, y, beside[0])):
            continue
        there = ground._replace(x=x, y=y, yaw=turn)
        if all(_clear(there, other, spacing) for other in standing):
            return prop.at(Pose.from_rpy((x, y, prop.size[2] / 2 + LIFT), (0.0, 0.0, turn)))
    raise NoRoomError(
        f'No place was found in {TRIES} tries for {prop.name!r} ({footprint(prop):.3f} m in radius) beside {len(others)} props in '
        f'x {workspace.x}, y {workspace.y}, reach {workspace.reach} m. Draw large props first, draw fewer, make them smaller, '
        f'or reduce the spacing (now {spacing.alike} m between alike, {spacing.gap} m between others).'
    )


def gap(a: Prop, b: Prop) -> float:
    """Return a lower bound of two upright props' distance in the plane, m: between circles, or between rectangles if one is slender.

    It is negative if the bounds overlap.
    """
    return _gap(_ground(a), _ground(b))


class _Ground(NamedTuple):
    """Footprint of an upright prop, in plain numbers for speed: thousands of places are tried.

    Attributes:
        noun: noun of the prop.
        x, y: position of its centre, m.
        yaw: yaw angle, rad.
        size: extents along its own x and y, m.
        radius: radius of a circle around it, m.
    """

    noun: str
    x: float
    y: float
    yaw: float
    size: tuple[float, float]
    radius: float

    @property
    def slender(self) -> bool:
        """Whether a rectangle bounds it instead of a circle."""
        return max(self.size) / min(self.size) >= SLENDER


def _ground(prop: Prop) -> _Ground:
    x, y, _ = prop.pose.position
    return _Ground(prop.noun, x, y, prop.pose.yaw, prop.size[:2], footprint(prop))


def _clear(prop: _Ground, other: _Ground, spacing: Spacing) -> bool:
    if prop.noun == other.noun and hypot(prop.x - other.x, prop.y - other.y) < spacing.alike:
        return False
    return _gap(prop, other) >= spacing.gap


def _gap(a: _Ground, b: _Ground) -> float:
    if a.slender or b.slender:
        return max(_parted(a, b), _parted(b, a))
    return hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius


def _parted(a: _Ground, b: _Ground) -> float:
    """Return the distance between two props' rectangles along the better of a's axes, m: a lower bound of their distance."""
    (ahead, aside), (x, y) = (cos(a.yaw), sin(a.yaw)), (b.x - a.x, b.y - a.y)
    along, across = abs(cos(b.yaw - a.yaw)), abs(sin(b.yaw - a.yaw))
    return max(
        abs(x * ahead + y * aside) - (a.size[0] + b.size[0] * along + b.size[1] * across) / 2,
        abs(y * ahead - x * aside) - (a.size[1] + b.size[0] * across + b.size[1] * along) / 2,
    )


def _clearly(where: str, x: float, y: float, other: Prop) -> bool:
    """Return whether (x, y) lies on the given side of another prop, and not near the diagonal to the next side."""
    ahead, left = x - other.pose.position[0], y - other.pose.position[1]
    near, far = sorted((abs(ahead), abs(left)))
    return near <= CLEAR_SIDE * far and side_of(ahead, left) == where
