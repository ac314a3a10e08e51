"""Goal words for how things have moved since the episode began."""

from dataclasses import dataclass
from math import degrees, hypot, isfinite, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.algebra import arccos, dot, norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.constraint import between
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf, Window, called
from vlm_bench_tasks.goals.placing import lowest

LEVER = 0.1
"""Distance that one radian counts as, m."""


class _Motion(Leaf):
    """A leaf that compares a prop with its start."""

    prop: Prop

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the prop has moved as required."""
        return self.distance(now, start) == 0.0

    def props(self) -> tuple[Prop, ...]:
        """Return the prop."""
        return (self.prop,)

    def _travel(self, now: Snapshot, start: Snapshot) -> Floats:
        """Return the prop's displacement in the plane of the table, (2,) m."""
        here, there = now.pose(self.prop.name).position, start.pose(self.prop.name).position
        return np.subtract(here, there)[:2]


@serialisable
@dataclass(frozen=True)
class Moved(_Motion):
    """The prop is at least `least` m from its start, in the plane of the table."""

    PUSHED = True

    prop: Prop
    least: float

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance that is missing, m."""
        return max(0.0, self.least - norm(self._travel(now, start)))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} has moved {self.least:g} m'


@serialisable
@dataclass(frozen=True)
class Toward(_Motion):
    """The prop has come nearer to where the target stood at the start, by moving towards it. A target that moves itself counts nothing.

    Attributes:
        prop: the prop that moves.
        target: the prop that it comes nearer to.
        share: share of their initial distance in the plane that must be covered.
        within: greatest angle between its displacement and the direct line, rad.
    """

    PUSHED = True

    prop: Prop
    target: Prop
    share: float = 0.3
    within: float = radians(45.0)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the missing distance combined with the distance outside the wedge of allowed directions, m."""
        apart, way = self.ahead(start), self._travel(now, start)
        first, left = norm(apart), norm(apart - way)
        length = norm(way)
        turned = arccos(dot(way, apart) / (length * first)) if length * first > 0 else 0.0
        aside = length * sin(min(turned - self.within, pi / 2)) if turned > self.within else 0.0
        return hypot(max(0.0, left - (1 - self.share) * first), aside)

    def ahead(self, now: Snapshot) -> Floats:
        """Return the vector from the prop to the target, (2,) m."""
        return np.subtract(now.pose(self.target.name).position, now.pose(self.prop.name).position)[:2]

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} has come nearer to {called(self.target)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop and the target."""
        return (self.prop, self.target)


@serialisable
@dataclass(frozen=True)
class Turned(_Motion):
    """The prop is turned about the vertical by an angle from its start. A turn that only looks the same does not count.

    Attributes:
        prop: the prop that turns.
        angle: rad, positive anti-clockwise seen from above.
        within: greatest error, rad.
    """

    prop: Prop
    angle: float
    within: float = radians(5.0)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the angle error, 0.1 m per radian."""
        wanted = self.wanted(start)
        off = self.prop.symmetry.marked().turned(now.pose(self.prop.name), wanted)
        return LEVER * max(0.0, off - self.within)

    def wanted(self, start: Snapshot) -> Pose:
        """Return the prop's initial pose, turned by `angle`."""
        began = start.pose(self.prop.name)
        turn = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, self.angle))
        return Pose(began.position, (turn @ Pose(orientation=began.orientation)).orientation)

    def words(self) -> str:
        """Return the goal as a clause."""
        way = 'anti-clockwise' if self.angle > 0 else 'clockwise'
        return f'{called(self.prop)} is turned {degrees(abs(self.angle)):.0f}° {way}'


@serialisable
@dataclass(frozen=True)
class Raised(Window, _Motion):
    """The prop's lowest point is `height` above its initial height, with an error below `within`, both m."""

    prop: Prop
    height: float
    within: float = 0.05

    @property
    def number(self) -> float:
        """The height, m."""
        return self.height

    def error(self, now: Snapshot, start: Snapshot) -> float:
        """Return by how much the prop is too low or too high, m."""
        risen = lowest(self.prop, now.pose(self.prop.name)) - lowest(self.prop, start.pose(self.prop.name))
        return abs(risen - self.height)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is raised by {self.height:g} m, less than {self.within:g} m off'


@serialisable
@dataclass(frozen=True)
class Leaning(Window, _Motion):
    """The prop's z axis leans by an angle from the vertical, with an error below `within`: 0 is upright, π upside down.

    Raises:
        SceneError: the angle is outside 0…π, or the tolerance is not an angle above 0.

    Attributes:
        prop: the prop.
        angle: rad, 0…π.
        within: tolerance, rad (ARNOLD, section 3: 15°).
    """

    LENGTH = LEVER

    prop: Prop
    angle: float
    within: float = radians(15.0)

    def __post_init__(self) -> None:
        if not (isfinite(self.angle) and 0.0 <= self.angle <= pi and 0.0 < self.within <= pi):
            raise SceneError(
                f'{self.prop.name} is to lean by {self.angle:g} rad, within {self.within:g} rad. '
                'Give an angle from 0 (upright) to π (upside down), and a tolerance above 0.'
            )

    @property
    def number(self) -> float:
        """The angle in degrees."""
        return degrees(self.angle)

    @property
    def tolerance(self) -> float:
        """The tolerance in degrees."""
        return degrees(self.within)

    @property
    def ends(self) -> tuple[float, ...]:
        """Upright and upside down."""
        return (0.0, 180.0)

    def error(self, now: Snapshot, start: Snapshot) -> float:
        """Return the angle to the one asked for, rad."""
        return abs(leaning(now.pose(self.prop.name)) - self.angle)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} leans by {degrees(self.angle):.0f}° from upright, less than {degrees(self.within):.0f}° off'


def leaning(pose: Pose) -> float:
    """Return the angle between a pose's z axis and the vertical, rad in 0…π."""
    return between(pose.rotation[:, 2], np.array([0.0, 0.0, 1.0]))


@serialisable
@dataclass(frozen=True)
class Toppled(_Motion):
    """The prop's initially vertical axis leans by at least `least` rad."""

    PUSHED = True

    prop: Prop
    least: float = radians(45.0)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the angle that is missing, 0.1 m per radian."""
        up = start.pose(self.prop.name).rotation[2]
        leans = arccos(dot(now.pose(self.prop.name).rotation[2], up))
        return LEVER * max(0.0, self.least - leans)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} has toppled'
