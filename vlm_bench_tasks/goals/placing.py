"""Goal words for where things have been put. All require a release: the robot neither holds nor touches the thing."""

from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, radians

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.areas import CEILING, Area
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_sim.core.symmetry import symmetry
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.outlines import Polygon, diameter, inward, outline, rectangle, shared

MARGIN = 0.002  # m: tolerance for the simulator's contacts, or a tracker's error
SETTLED = 0.005  # m: greatest gap or overlap between a thing and what it lies on
UPRIGHT = cos(radians(15.0))
DEEP = 0.5  # share of a cavity's depth that the end of a long prop must reach down


class _Placed(Leaf):
    """A leaf for where one prop has been put."""

    NEEDS_CONTACTS = True

    prop: Prop

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the prop is there and released."""
        free = now.held != self.prop.name and not now.touches(self.prop.name, ROBOT)
        return free and self.distance(now, start) == 0.0 and self._stands(now)

    def _stands(self, _now: Snapshot) -> bool:
        """Return whether the conditions that no distance measures are met."""
        return True


@serialisable
@dataclass(frozen=True)
class Inside(_Placed):
    """The prop lies in the container and is released. It must be contained, not merely overlap.

    Holds when every vertex of the prop is within the cavity's cross-section and none below its floor (2 mm allowed), the prop's centre
    is below the rim, the container stands within 15° of upright, and the robot neither holds nor touches the prop. A prop too long
    to lie in the cavity stands in it: its lowest vertex must be half the cavity's depth below the rim, and its part above the rim may
    lean out. Under a lid no vertex may be above the rim (2 mm allowed): a prop stuck in a hole is not inside.

    Raises:
        SceneError: the container has no cavity.
    """

    prop: Prop
    container: Prop

    def __post_init__(self) -> None:
        cavity_of(self.container)

    def _stands(self, now: Snapshot) -> bool:
        return bool(now.pose(self.container.name).rotation[2, 2] >= UPRIGHT)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the prop sticks out of the cavity, m."""
        return _outside(self.prop, now.pose(self.prop.name), self.container, now.pose(self.container.name))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is inside {called(self.container)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop and its container."""
        return (self.prop, self.container)


@serialisable
@dataclass(frozen=True)
class On(_Placed):
    """The prop rests on top of another and is released.

    Holds when the two touch, the prop's lowest point is level with the other's highest (5 mm allowed), its centre of mass is above
    the other's outline, and the robot neither holds nor touches the prop. A prop that leans on the other or stands beside it is not on it.
    On a container, such as a plate or a mug, it may also lie between the floor and the rim.
    """

    prop: Prop
    base: Prop

    def _stands(self, now: Snapshot) -> bool:
        return now.touches(self.prop.name, self.base.name)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the prop is from lying on the other, m."""
        return _off(self.prop, now.pose(self.prop.name), self.base, now.pose(self.base.name))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is on {called(self.base)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop and its support."""
        return (self.prop, self.base)


@serialisable
@dataclass(frozen=True)
class Within(_Placed):
    """The prop lies within a zone drawn on its support, or within a part of the table, and is released.

    Holds when at least `share` of its outline is over the zone's box, it lies no higher than `height` above the zone, and the robot
    neither holds nor touches it.

    Attributes:
        prop: the prop that lies there.
        zone: a ghost, something flat, or a named area of the table.
        share: share of the outline's area, 0…1.
        height: greatest height of the prop's lowest point above the zone, m. Props stacked on others in the zone are higher.
    """

    prop: Prop
    zone: Prop | Area
    share: float = 0.5
    height: float = CEILING

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the missing share times the prop's diameter, combined with how far it is too high or too far away, m."""
        away, low = _beside(self.prop, now.pose(self.prop.name), self.zone, pose_of_place(self.zone, now), share=self.share)
        return hypot(away, max(0.0, low - self.height))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is within {place_called(self.zone)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop, and the zone if that is a prop."""
        return (self.prop, self.zone) if isinstance(self.zone, Prop) else (self.prop,)


@serialisable
@dataclass(frozen=True)
class At(_Placed):
    """The prop is at a pose and is released.

    Attributes:
        prop: the prop.
        pose: its target pose in the world.
        near: greatest position error, m.
        turn: greatest angle error, rad, up to the prop's symmetry; π: any orientation.
    """

    prop: Prop
    pose: Pose
    near: float = 0.05
    turn: float = float(np.pi)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the excess of the position error and of the angle error (0.1 m per radian), m."""
        here, look = now.pose(self.prop.name), self.prop.symmetry
        off, turned = max(0.0, look.apart(here, self.pose) - self.near), max(0.0, look.turned(here, self.pose) - self.turn)
        return hypot(off, 0.1 * turned)

    def words(self) -> str:
        """Return the goal as a clause."""
        x, y, z = self.pose.position
        return f'{called(self.prop)} is at ({x:.2f}, {y:.2f}, {z:.2f}) m'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop."""
        return (self.prop,)


@serialisable
@dataclass(frozen=True)
class Slid(At):
    """As `At`. The expert slides the prop there along the table, without a grasp."""

    PUSHED = True

    near: float = 0.03

    def words(self) -> str:
        """Return the goal as a clause."""
        x, y, _ = self.pose.position
        return f'{called(self.prop)} has been slid to ({x:.2f}, {y:.2f}) m'


def cavity_of(container: Prop) -> Box:
    """Return the cavity of a container, in its frame.

    Raises:
        SceneError: the prop has no cavity.
    """
    cavity = container.solid.cavity
    if cavity is None:
        raise SceneError(f'{container.name!r} is a {container.kind}, which has no cavity. Name a container.')
    return cavity


def ground(place: Prop | Area, now: Snapshot) -> tuple[Polygon, float]:
    """Return the outline of a zone or an area, and the height of its top, m."""
    return _ground(place, pose_of_place(place, now))


def pose_of_place(place: Prop | Area, now: Snapshot) -> Pose:
    """Return the pose of a zone or an area."""
    return now.pose(place.name) if isinstance(place, Prop) else place.pose


def place_called(place: Prop | Area) -> str:
    """Return the name of a zone or an area in reports, for example: the top left area."""
    return called(place) if isinstance(place, Prop) else f'the {place.words}'


def sticks_out(prop: Prop, container: Prop) -> bool:
    """Return whether the prop is too long to lie in the container in any orientation."""
    return max(prop.size) > norm(cavity_of(container).size)


def lowest(prop: Prop, pose: Pose) -> float:
    """Return the height of the prop's lowest point at a pose, m."""
    return float(pose.apply(prop.solid.vertices)[:, 2].min())


def highest(prop: Prop, pose: Pose) -> float:
    """Return the height of the prop's highest point at a pose, m."""
    return float(pose.apply(prop.solid.vertices)[:, 2].max())


def middle(prop: Prop, pose: Pose) -> Floats:
    """Return the prop's centre of mass at a pose, (3,) m."""
    at: Floats = pose.apply([symmetry(prop.kind, prop.size).centre])[0]
    return at


# The following are cached: the judge and the expert ask repeatedly about props that do not move.
@lru_cache(maxsize=4096)
def _outside(prop: Prop, at: Pose, container: Prop, container_at: Pose) -> float:
    """Return how far a prop sticks out of the cavity of a container, m."""
    relative = container_at.inverse() @ at
    vertices, cavity = relative.apply(prop.solid.vertices), cavity_of(container)
    if sticks_out(prop, container):
        lowest = float(vertices[:, 2].min())
        below = vertices[vertices[:, 2] <= max(float(cavity.high[2]), lowest)]
        return norm(_excess(below, lowest, cavity, cavity.high[2] - DEEP * cavity.size[2]))
    if container.size[2] / 2 - cavity.high[2] > MARGIN:
        return norm(_excess(vertices, float(vertices[:, 2].max()), cavity, cavity.high[2] + MARGIN))
    return norm(_excess(vertices, relative.position[2], cavity, cavity.high[2]))


@lru_cache(maxsize=4096)
def _off(prop: Prop, at: Pose, base: Prop, base_at: Pose) -> float:
    """Return how far a prop is from lying on another, m."""
    low, top, cavity = lowest(prop, at), highest(base, base_at), base.solid.cavity
    bottom = top - SETTLED if cavity is None else float(base_at.apply([(cavity.centre[0], cavity.centre[1], cavity.low[2])])[0, 2]) - MARGIN
    beyond = -inward(outline(base, base_at), middle(prop, at)[:2])
    return hypot(max(0.0, low - top - SETTLED, bottom - low), max(0.0, beyond))


@lru_cache(maxsize=4096)
def _beside(prop: Prop, at: Pose, place: Prop | Area, place_at: Pose, *, share: float) -> tuple[float, float]:
    """Return how far a prop is from having `share` of its outline over a place, and the height of its lowest point above it, m."""
    there, top = _ground(place, place_at)
    here = outline(prop, at)
    lacks = max(0.0, share - shared(here, there)) * diameter(here)
    away = max(0.0, -inward(there, np.asarray(at.position[:2])))
    return hypot(lacks, away if lacks else 0.0), lowest(prop, at) - top


@lru_cache(maxsize=256)
def _ground(place: Prop | Area, at: Pose) -> tuple[Polygon, float]:
    if isinstance(place, Prop):
        return outline(place, at), highest(place, at)
    edges = rectangle(place.size, at)
    edges.setflags(write=False)
    return edges, at.position[2]


def _excess(vertices: Floats, height: float, cavity: Box, rim: float) -> Floats:
    """Return (3,) m: how far the vertices leave the cavity in x and y, and in z how far they leave the floor or `height` the rim.

    Args:
        vertices: (n, 3) m, in the container's frame.
        height: height of the point that must be below the rim, in that frame, m.
        cavity: cavity of the container.
        rim: height of the rim in that frame, m.
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    sides = np.maximum(cavity.low - MARGIN - low, high - cavity.high - MARGIN)
    sides[2] = max(cavity.low[2] - MARGIN - low[2], height - rim)
    excess: Floats = np.maximum(sides, 0.0)
    return excess
