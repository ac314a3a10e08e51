"""The world as simulation_interfaces sees it: entities, filters, bounds, and states from requests. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from math import isfinite, sqrt
from typing import Any

import numpy as np

from vlm_bench_sim.core.geometry import ZERO, Box, Pose, Vector, vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Table
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Body
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.fields import Fields
from vlm_bench_sim.ros.posix import PatternError, search
from vlm_bench_sim.ros.simulation import FEATURE_UNSUPPORTED, OPERATION_FAILED, Refused

WORLD = 'world'
FARTHEST = 10.0  # m from the origin along any axis
FASTEST: tuple[float, float] = (20.0, 100.0)  # m/s and rad/s
_NEARLY_ONE = 1e-2  # tolerance of a quaternion's norm around 1, for single precision and rounded text


class Category(IntEnum):
    """The numbers of EntityCategory that occur here."""

    OBJECT = 0
    ROBOT = 1
    STATIC_OBJECT = 5


class Region(IntEnum):
    """The numbers of Bounds."""

    EMPTY = 0
    BOX = 1
    CONVEX_HULL = 2
    SPHERE = 3


@dataclass(frozen=True)
class Entity:
    """An object in the world.

    Attributes:
        name: unique.
        category: the kind of entity.
        body: pose and velocity of its frame.
        box: its extent, in its frame.
        span: its axis-aligned box in the world.
        words: its name in plain language.
        tags: for filters.
    """

    name: str
    category: Category
    body: Body
    box: Box
    span: Box
    words: str
    tags: tuple[str, ...]


def of_prop(prop: Prop, body: Body, *, spawned: bool) -> Entity:
    """Return a prop as an entity."""
    category = Category.STATIC_OBJECT if prop.fixed else Category.OBJECT
    tags = (prop.kind, prop.color.name, 'spawned' if spawned else 'scene')
    span = around(body.pose.apply(prop.solid.vertices))
    return Entity(prop.name, category, body, Box(ZERO, prop.size), span, f'{prop.color.name} {prop.noun}', tags)


def of_table(table: Table) -> Entity:
    """Return the table as an entity; its frame is at its centre."""
    size = table.box.size
    return Entity(TABLE, Category.STATIC_OBJECT, Body(Pose(table.box.centre)), Box(ZERO, size), table.box, 'table', ('scene',))


def of_robot(name: str, span: Box) -> Entity:
    """Return the robot, whose base is the world's origin, as an entity; `span` is its extent in its present pose."""
    return Entity(ROBOT, Category.ROBOT, Body(Pose()), span, span, name, ('scene', name))


def around(points: Any) -> Box:
    """Return the axis-aligned box around (n, 3) points, m."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    return Box(vector((low + high) / 2), vector(high - low))


def select(entities: Iterable[Entity], filters: Any) -> list[Entity]:
    """Return the entities that pass every filter of an EntityFilters, sorted by name.

    Raises:
        Refused: a filter is malformed or unsupported.
    """
    try:
        named = search(filters.filter) if filters.filter else lambda _: True
    except PatternError as error:
        raise Refused(OPERATION_FAILED, str(error)) from error
    categories = {int(entry.category) for entry in filters.categories}
    tagged, inside = _tagged(filters.tags), _inside(filters.bounds)
    chosen = (e for e in entities if named(e.name) and (not categories or e.category in categories) and tagged(e.tags) and inside(e.span))
    return sorted(chosen, key=lambda entity: entity.name)


def _tagged(wanted: Any) -> Callable[[tuple[str, ...]], bool]:
    if wanted.filter_mode not in (0, 1):
        raise Refused(FEATURE_UNSUPPORTED, f'The filter mode {wanted.filter_mode} does not exist. Send 0 (any tag) or 1 (all tags).')
    tags = set(wanted.tags)
    if not tags:
        return lambda _: True
    return (lambda found: tags <= set(found)) if wanted.filter_mode else (lambda found: bool(tags & set(found)))


def _inside(bounds: Any) -> Callable[[Box], bool]:
    points = np.array([fields.read_vector(point) for point in bounds.points]).reshape(-1, 3)
    if bounds.type == Region.EMPTY:
        return lambda _: True
    if bounds.type not in (Region.BOX, Region.SPHERE):
        raise Refused(FEATURE_UNSUPPORTED, f'Bounds of type {bounds.type} are not supported. Send a box (1) or a sphere (3).')
    if len(points) != 2 or not np.isfinite(points).all():
        raise Refused(OPERATION_FAILED, f'These bounds take two points with finite numbers; found {points.tolist()}.')
    if bounds.type == Region.BOX:
        low, high = points.min(axis=0), points.max(axis=0)
        return lambda span: bool((span.low <= high).all() and (span.high >= low).all())
    centre, radius = points[0], points[1, 0]
    if radius < 0:
        raise Refused(OPERATION_FAILED, f'A sphere has a radius of 0 or more; found {radius}.')
    return lambda span: bool(np.linalg.norm(np.clip(centre, span.low, span.high) - centre) <= radius)


def bounds(box: Box) -> Fields:
    """Return the Bounds message of a box."""
    return {'type': int(Region.BOX), 'points': [fields.vector(vector(box.high)), fields.vector(vector(box.low))]}


def state(entity: Entity, ns: int) -> Fields:
    """Return the EntityState in the world frame; accelerations are not measured."""
    twist = {'linear': fields.vector(entity.body.linear), 'angular': fields.vector(entity.body.angular)}
    return {'header': fields.header(ns, WORLD), 'pose': fields.pose(entity.body.pose), 'twist': twist}


def info(entity: Entity) -> Fields:
    """Return the EntityInfo of an entity."""
    return {'category': {'category': int(entity.category)}, 'description': entity.words, 'tags': list(entity.tags)}


def read_pose(frame: str, message: Any, entities: Mapping[str, Entity], *, code: int) -> Pose:
    """Return the world pose of a pose in a request; a quaternion of nearly unit length is normalised.

    Raises:
        Refused: with `code`, if a number is missing, the quaternion is invalid, the frame is unknown, or the pose lies outside the world.
    """
    raw = fields.read_pose(message)
    norm = sqrt(sum(v * v for v in raw.orientation))
    if not all(isfinite(v) for v in raw.position) or not abs(norm - 1) <= _NEARLY_ONE:
        raise Refused(code, f'A pose needs finite numbers and a unit quaternion; found {raw.position} and {raw.orientation}.')
    pose = _frame(frame, entities, code) @ Pose.of(raw.position, raw.orientation)
    if max(abs(v) for v in pose.position) > FARTHEST:
        raise Refused(code, f'A position is at most {FARTHEST:g} m from the origin along each axis; found {pose.position}.')
    return pose


def read_twist(frame: str, message: Any, entities: Mapping[str, Entity], *, code: int) -> tuple[Vector, Vector]:
    """Return the twist of a request, linear (m/s) and angular (rad/s) in the world; `code` is used to refuse an unknown frame.

    Raises:
        Refused: a number is missing or too large, or the frame is unknown.
    """
    twist = fields.read_vector(message.linear), fields.read_vector(message.angular)
    for values, most in zip(twist, FASTEST, strict=True):
        if not all(abs(v) <= most for v in values):
            raise Refused(OPERATION_FAILED, f'A twist needs numbers up to {FASTEST[0]:g} m/s and {FASTEST[1]:g} rad/s; found {twist}.')
    turn = _frame(frame, entities, code).rotation
    return vector(turn @ np.asarray(twist[0])), vector(turn @ np.asarray(twist[1]))


def _frame(name: str, entities: Mapping[str, Entity], code: int) -> Pose:
    if name in ('', WORLD):
        return Pose()
    if name not in entities:
        raise Refused(code, f'There is no frame {name[:80]!a}. Send one of {", ".join([WORLD, *sorted(entities)])}.')
    return entities[name].body.pose
