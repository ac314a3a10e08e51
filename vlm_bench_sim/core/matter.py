"""Liquids and dirt: beads that are poured and specks that are wiped away; fill a cup with beads and measure its fill."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlm_bench_sim.core.algebra import matmul, rounded
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Floats, Vector, vector
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop, check_name
from vlm_bench_sim.core.shapes import solid

WATER = Color('water', (0.1, 0.1, 0.9))
SOIL = Color('dirt', (0.58, 0.29, 0.0))

RADIUS = 0.004
"""Radius of a bead, m: small enough to flow over a rim, large enough not to pass through a wall within one physics step."""

MASS = 2.5e-4
"""Mass of a bead, kg: about that of the same volume of water."""

CLEARANCE = 0.0022
"""Distance of packed beads from the visible surface, m. Simulated walls lie up to twice their margin of 1 mm further inside."""


_GAP, _JITTER = 0.0006, 0.0002  # m between packed beads, and greatest random offset of each bead along each axis
_OFF = np.array([0.5, 0.5 / np.sqrt(3)])
_SHIFTS = ((0.0 * _OFF, _OFF), (_OFF, 2 * _OFF))  # a bead on the axis in every other layer, or else in none: a narrow cup may hold more
_TURN = np.linspace(0.0, 2 * np.pi, 10, endpoint=False)
_LEVEL = rounded(np.column_stack([np.cos(_TURN), np.sin(_TURN), np.zeros_like(_TURN)]))
_ROUND = np.concatenate([_LEVEL, _LEVEL * 0.7 - (0.0, 0.0, 0.7)])  # points level with a bead's centre and obliquely below


@serialisable
@dataclass(frozen=True)
class Beads:
    """A group of small balls; water is simulated as beads.

    Raises:
        SceneError: there is no bead, the radius or the mass is not positive, or the name is invalid.

    Attributes:
        name: unique in the scene.
        centres: start positions, (n, 3) m in the world; the beads fall and come to rest while the scene settles.
        radius: radius of each, m.
        mass: mass of each, kg.
        color: their color.
    """

    name: str
    centres: tuple[Vector, ...]
    radius: float = RADIUS
    mass: float = MASS
    color: Color = WATER

    def __post_init__(self) -> None:
        check_name('group of beads', self.name)
        if not self.centres:
            raise SceneError(f'{self.name!r} has no beads. Give at least one centre, or leave the group out.')
        if not (self.radius > 0.0 and self.mass > 0.0):
            raise SceneError(
                f'A bead of {self.name!r} has a radius of {self.radius:g} m and a mass of {self.mass:g} kg. Give values above 0.'
            )


@serialisable
@dataclass(frozen=True)
class Dirt:
    """A patch of specks that only contact with a wiper removes.

    Raises:
        SceneError: the name is invalid.

    Attributes:
        name: unique in the scene.
        centres: centres of the specks, (n, 3) m in the world; they do not move.
        wiper: name of the prop that removes them; '' for none.
        size: extents of a speck, (3,) m.
        color: their color.
    """

    name: str
    centres: tuple[Vector, ...]
    wiper: str
    size: Vector = (0.005, 0.005, 0.001)
    color: Color = SOIL

    def __post_init__(self) -> None:
        check_name('patch of dirt', self.name)


def inside(cup: Prop, points: ArrayLike) -> NDArray[np.bool_]:
    """Return (n,): whether each of (n, 3) points, m in the world, is in the cup's own cavity, also if the cup is tilted.

    A point is inside if it is between floor and rim, and no wall separates it from the axis of the cavity.

    Raises:
        SceneError: the prop is not a container.
    """
    return _within(cup, cup.pose.inverse().apply(np.reshape(points, (-1, 3))))


def fill(cup: Prop, centres: ArrayLike) -> float:
    """Return the share (0…1) of the beads, (n, 3) m in the world, that are in the cup at its present pose; 0 if there are no beads."""
    found = inside(cup, centres)
    return float(found.mean()) if found.size else 0.0


def packed(cup: Prop, count: int, chance: np.random.Generator, *, radius: float = RADIUS) -> tuple[Vector, ...]:
    """Return `count` bead centres in the world, packed into the cup from its floor up, clear of its walls and of each other.

    Raises:
        SceneError: `count` beads do not fit below the rim, or the prop is not a container.
    """
    cavity = _cavity(cup)
    feelers = (radius + CLEARANCE) * _ROUND
    axis, turn = np.array([*cavity.centre[:2], cavity.low[2] + radius + CLEARANCE]), chance.uniform(0.0, np.pi / 3)
    most = 0
    for shifts in _SHIFTS:
        found = np.empty((0, 3))
        for layer in _layers(cavity, 2 * radius + _GAP, turn=float(turn), shifts=shifts):
            spots = axis + layer
            spots = spots[_within(cup, spots)]
            clear = _within(cup, (spots[:, None] + feelers).reshape(-1, 3)).reshape(len(spots), len(feelers)).all(axis=1)
            found = np.concatenate([found, spots[clear]])
            if len(found) >= count:
                loose = found[:count] + chance.uniform(-_JITTER, _JITTER, (count, 3))
                return tuple(vector(centre) for centre in rounded(cup.pose.apply(loose)))
        most = max(most, len(found))
    raise SceneError(
        f'{count} beads of {2e3 * radius:g} mm were requested in {cup.name!r} ({cup.kind}); {most} fit below its rim. '
        'Ask for fewer or smaller ones.'
    )


def _layers(cavity: Box, step: float, *, turn: float, shifts: Sequence[Floats]) -> Iterator[Floats]:
    """Yield the layers of a close packing, (n, 3) m from the centre of the lowest one, each from its centre outwards.

    Args:
        cavity: the box to fill.
        step: distance of neighbours, m.
        turn: rotation of the layers, rad.
        shifts: offsets (2,) of the layers in turn, in steps.
    """
    reach = int(hypot(cavity.size[0], cavity.size[1]) / step) + 1
    i, j = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, reach + 1))
    flat = step * np.column_stack([(i + j / 2).ravel(), (j * np.sqrt(3) / 2).ravel()])
    turned = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    for k in range(int(cavity.size[2] / (step * np.sqrt(2 / 3))) + 1):
        shifted = flat + step * shifts[k % len(shifts)]
        near = np.argsort(np.linalg.norm(shifted, axis=1).round(9), kind='stable')
        yield np.column_stack([matmul(shifted[near], turned), np.full(len(near), k * step * np.sqrt(2 / 3))])


def _within(cup: Prop, points: Floats) -> NDArray[np.bool_]:
    """Return (n,): whether each of (n, 3) points, m in the cup's frame, is in its cavity."""
    cavity = _cavity(cup)
    found = np.asarray(np.all((points >= cavity.low) & (points <= cavity.high), axis=1))
    if found.any():
        found[found] = _reached(cup.kind, points[found] / np.asarray(cup.size))
    return found


def _reached(kind: str, points: Floats) -> NDArray[np.bool_]:
    """Return (n,): whether a horizontal line from the axis of the unit cavity to each of (n, 3) points crosses no wall."""
    axis, first, second, third = _walls(kind)
    start = np.column_stack([np.broadcast_to(axis, (len(points), 2)), points[:, 2]])
    ahead, corner = points - start, start[:, None] - first
    # Möller-Trumbore test of every line against every triangle.
    across = np.cross(ahead[:, None], third)
    scale = np.einsum('ijk,jk->ij', across, second)
    scale = np.where(scale > 0.0, scale, np.inf)  # a line only crosses a wall from its front
    u = np.einsum('ijk,ijk->ij', corner, across) / scale
    along = np.cross(corner, second)
    v = np.einsum('ik,ijk->ij', ahead, along) / scale
    t = np.einsum('jk,ijk->ij', third, along) / scale
    met = np.isfinite(scale) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.asarray(~met.any(axis=1))


@lru_cache(maxsize=64)
def _walls(kind: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the cavity's axis (2,), and a corner and two edges from it for each of the m triangles that face it (unit solid)."""
    shape = solid(kind)
    axis = np.zeros(2) if shape.cavity is None else np.asarray(shape.cavity.centre[:2])
    corners = shape.vertices[shape.faces]
    first, second, third = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    facing = np.einsum('ij,ij->i', np.cross(second, third)[:, :2], axis - corners.mean(axis=1)[:, :2]) > 1e-12
    return axis, first[facing], second[facing], third[facing]


def _cavity(cup: Prop) -> Box:
    if cup.solid.cavity is None:
        raise SceneError(f'{cup.name!r} is a {cup.kind}, which holds nothing. Name a container.')
    return cup.solid.cavity
