"""Motion constraints: limits on the tool's position and orientation along a whole path, not only at its end.

Examples: a mug stays upright, a sponge stays on its plane, a drawer's handle moves on a line, a door's handle on an arc. The planner takes
a constraint as input, and the same object measures the executed path.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import acos, atan2, ceil, cos, degrees, isfinite, radians, sin

import numpy as np

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.track import Track

UP: Vector = (0.0, 0.0, 1.0)

LEVER = 0.01
"""Length that a turn of 1 rad counts as in the search for a path's nearest place, m; it only matters where the tool turns in place."""

_CHORD_ERROR = 1e-4


class Position(Enum):
    """Constraint on the tool's position."""

    FREE = 'free'
    PLANE = 'plane'
    LINE = 'line'
    FIXED = 'fixed'
    PATH = 'path'


class Orientation(Enum):
    """Constraint on the tool's orientation."""

    FREE = 'free'
    AXIS = 'axis'
    FIXED = 'fixed'
    BY_POSITION = 'by position'


@serialisable
@dataclass(frozen=True)
class Deviation:
    """Deviation from a constraint: `distance` in m, `angle` in rad."""

    distance: float = 0.0
    angle: float = 0.0

    def within(self, tolerance: 'Deviation') -> bool:
        """Return whether both are within the tolerance."""
        return self.distance <= tolerance.distance and self.angle <= tolerance.angle

    def scaled(self, share: float) -> 'Deviation':
        """Return both multiplied by a factor."""
        return Deviation(self.distance * share, self.angle * share)

    def share(self, tolerance: 'Deviation') -> float:
        """Return the used share of a tolerance: 1 is all of it, more than 1 exceeds it."""
        return max(self.distance / tolerance.distance, self.angle / tolerance.angle)

    def words(self) -> str:
        """Return the deviation in words."""
        return f'{1000 * self.distance:.1f} mm and {degrees(self.angle):.1f}°'


def worst(deviations: Iterable[Deviation]) -> Deviation:
    """Return the greatest distance and the greatest angle, which may come from different deviations; zero for none."""
    found = tuple(deviations)
    return Deviation(max((d.distance for d in found), default=0.0), max((d.angle for d in found), default=0.0))


@serialisable
@dataclass(frozen=True)
class MotionConstraint:
    """A constraint on the tool's motion. All directions and poses are in the world, except `axis`. The tool is the tool centre point.

    Raises:
        CommandError: a path is missing or superfluous, a direction is zero, a tolerance is not above zero, or a number is not finite.

    Attributes:
        position: free; plane through `reference` normal to `direction`; line through `reference` along `direction`; fixed; on `path`.
        orientation: free; `axis` as in `reference`, free to turn about it; as in `reference`; as in the nearest place of `path`.
        reference: a tool pose that meets the constraint exactly.
        axis: direction in the tool's frame that stays constant in the world.
        direction: normal of the plane, or direction of the line, in the world.
        path: at least two tool poses, passed in order and joined by straight lines on which the tool turns evenly. Empty if not used.
        tolerance: greatest deviation allowed anywhere on the way.
    """

    position: Position = Position.FREE
    orientation: Orientation = Orientation.FREE
    reference: Pose = Pose()
    axis: Vector = UP
    direction: Vector = UP
    path: tuple[Pose, ...] = ()
    tolerance: Deviation = Deviation(0.002, radians(1.0))

    def __post_init__(self) -> None:
        follows = self.position is Position.PATH or self.orientation is Orientation.BY_POSITION
        if follows != bool(self.path) or len(self.path) == 1:
            raise CommandError(
                f'Position {self.position.value} with orientation {self.orientation.value} takes '
                f'{"two or more poses of a path" if follows else "no path"}; found {len(self.path)} poses. Correct the constraint.'
            )
        numbers = (self.tolerance.distance, self.tolerance.angle)
        if not all(isfinite(v) and v > 0 for v in numbers):
            raise CommandError(f'A tolerance is a distance in m and an angle in rad, both above 0; found {numbers}. Correct it.')
        object.__setattr__(self, 'reference', Pose.of(self.reference.position, self.reference.orientation))
        object.__setattr__(self, 'path', tuple(Pose.of(pose.position, pose.orientation) for pose in self.path))
        object.__setattr__(self, 'axis', _unit(self.axis))
        object.__setattr__(self, 'direction', _unit(self.direction))

    @cached_property
    def across(self) -> Floats:
        """(k, 3) orthogonal unit vectors along which the position is held at the reference's; k = 0 for free and path."""
        if self.position is Position.FIXED:
            return np.eye(3)
        if self.position is Position.PLANE:
            return np.array([self.direction])
        return perpendicular(self.direction) if self.position is Position.LINE else np.zeros((0, 3))

    @property
    def wanted(self) -> Floats:
        """(3,) direction of `axis` in the world."""
        pointing: Floats = matmul(self.reference.rotation, self.axis)
        return pointing

    @cached_property
    def track(self) -> Track:
        """The path as a track."""
        return Track.through(self.path)

    def check(self, pose: Pose) -> Deviation:
        """Return a tool pose's deviation from the constraint."""
        nearest = self.track.at(self.place(pose)) if self.path else self.reference
        if self.position is Position.PATH:
            distance = pose.distance(nearest)
        else:
            distance = norm(matmul(self.across, np.subtract(pose.position, self.reference.position)))
        if self.orientation is Orientation.FREE:
            return Deviation(distance)
        if self.orientation is Orientation.AXIS:
            return Deviation(distance, between(matmul(pose.rotation, self.axis), self.wanted))
        return Deviation(distance, pose.angle(nearest if self.orientation is Orientation.BY_POSITION else self.reference))

    def place(self, pose: Pose) -> float:
        """Return the place on the track nearest to a tool pose."""
        return self.track.nearest(pose, self._lever)

    def words(self) -> str:
        """Return the constraint in words."""
        position = {
            Position.FREE: 'anywhere',
            Position.PLANE: f'in the plane normal to {_numbers(self.direction)}',
            Position.LINE: f'on the line along {_numbers(self.direction)}',
            Position.FIXED: 'at a fixed position',
            Position.PATH: f'on the path of {len(self.path)} poses',
        }[self.position]
        orientation = {
            Orientation.FREE: 'in any orientation',
            Orientation.AXIS: f'with its axis {_numbers(self.axis)} along {_numbers(vector(self.wanted))}',
            Orientation.FIXED: 'in a fixed orientation',
            Orientation.BY_POSITION: 'in the orientation of the path',
        }[self.orientation]
        return f'the tool {position}, {orientation}, within {self.tolerance.words()}'

    @property
    def _lever(self) -> float:
        return LEVER if self.orientation is Orientation.BY_POSITION else 0.0


def upright(held: Pose = Pose(), within: float = radians(10.0)) -> MotionConstraint:
    """Keep the z axis of the held object upright, within an angle in rad; `held` is its pose in the tool's frame."""
    tolerance = Deviation(MotionConstraint.tolerance.distance, within)
    reference, axis = Pose(orientation=held.inverse().orientation), vector(held.rotation[:, 2])
    return MotionConstraint(orientation=Orientation.AXIS, reference=reference, axis=axis, tolerance=tolerance)


def along_line(start: Pose, direction: Vector, distance: float) -> MotionConstraint:
    """Move the tool from `start` along a world direction by a distance in m, without turning, as for a drawer."""
    end = start.shifted([distance * v for v in _unit(direction)])
    return MotionConstraint(Position.LINE, Orientation.BY_POSITION, reference=start, direction=direction, path=(start, end))


def about_hinge(start: Pose, point: Vector, direction: Vector, angle: float) -> MotionConstraint:
    """Turn the tool from `start` about the world axis through `point` along `direction`, by an angle in rad (right-handed): a door."""
    radius = norm(matmul(perpendicular(direction), np.subtract(start.position, point)))
    # A chord deviates from its arc by at most r (1 - cos half the step).
    step = 2 * acos(1 - _CHORD_ERROR / max(radius, 10 * _CHORD_ERROR))
    count = max(1, ceil(abs(angle) / step))
    path = tuple(_turned(start, point, direction, angle * i / count) for i in range(count + 1))
    return MotionConstraint(Position.PATH, Orientation.BY_POSITION, reference=start, path=path)


def between(a: Floats, b: Floats) -> float:
    """Angle between two directions, rad in 0…π."""
    return atan2(norm(np.cross(a, b)), dot(a, b))


def perpendicular(direction: Vector) -> Floats:
    """Return (2, 3): two unit vectors perpendicular to the given direction and to each other."""
    z = np.asarray(_unit(direction))
    x = np.eye(3)[int(np.abs(z).argmin())]
    x = x - dot(x, z) * z
    x /= norm(x)
    return np.stack([x, np.cross(z, x)])


def _turned(pose: Pose, point: Vector, direction: Vector, angle: float) -> Pose:
    axis = sin(angle / 2) * np.asarray(_unit(direction))
    turn = Pose(orientation=(*vector(axis), cos(angle / 2)))
    return (turn @ pose.shifted([-v for v in point])).shifted(point)


def _unit(direction: Vector) -> Vector:
    x, y, z = (float(v) for v in direction)
    norm = float(np.sqrt(x * x + y * y + z * z))
    if not isfinite(norm) or norm < 1e-9:
        raise CommandError(f'A direction needs three finite numbers, not all zero; found {direction}. Give one such as (0, 0, 1).')
    return (x, y, z) if abs(norm - 1.0) < 1e-12 else (x / norm, y / norm, z / norm)


def _numbers(direction: Vector) -> str:
    return f'({", ".join(f"{v:.2f}" for v in direction)})'
