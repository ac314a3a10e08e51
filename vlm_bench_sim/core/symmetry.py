"""Rotational symmetry of shapes: pose goals ignore rotations that make no visible difference."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import cos, sin

import numpy as np

from vlm_bench_sim.core.algebra import arccos, dot, matmul, norm
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.shapes import sized

ANY = 0
"""Order of an axis about which the shape looks the same after any rotation."""

SLACK = 0.08
"""Greatest distance of a rotated corner from the shape, as a share of the radius about the axis: published sizes are rounded."""

_ROUND = 10  # a ring with at least this many corners counts as a circle
_SPARSE = 9  # one corner of every nine rules out most rotations quickly
_ORDERS = (32, 24, 20, 12, 6, 5, 4, 3, 2)


@dataclass(frozen=True)
class Symmetry:
    """Rotations that map a shape onto itself; `marked` for one with a pattern.

    Attributes:
        orders: about x, y and z of the prop's frame. The shape looks the same after each 1/n of a turn; 1: only after a full turn,
            `ANY`: after any rotation.
        centre: centre of the shape's volume (not of its box), through which the axes go, m in the prop's frame.
    """

    orders: tuple[int, int, int] = (1, 1, 1)
    centre: Vector = (0.0, 0.0, 0.0)

    def turned(self, a: Pose, b: Pose) -> float:
        """Return the smallest rotation that makes orientation `a` look like `b`, rad in 0…π."""
        between = matmul(a.rotation.T, b.rotation)
        if self.orders.count(ANY) > 1:
            return 0.0
        free = np.eye(3)[self.orders.index(ANY)] if ANY in self.orders else None
        return min(_left(matmul(turn.T, between), free) for turn in _group(self.orders))

    def marked(self) -> 'Symmetry':
        """Return that of the same shape with a pattern, which shows every turn but those of a round body about its axis."""
        x, y, z = (ANY if order == ANY else 1 for order in self.orders)
        return Symmetry((x, y, z), self.centre)

    def apart(self, a: Pose, b: Pose) -> float:
        """Return the distance between the shape's centres at two poses, m. Symmetric rotations move the frame's origin, not the centre."""
        return norm(a.apply([self.centre]) - b.apply([self.centre]))


@lru_cache(maxsize=512)
def symmetry(kind: str, size: Vector) -> Symmetry:
    """Return the symmetry of a shape of `core.shapes` at bounding extents `size`, m, judged by its corners."""
    shape = sized(kind, size)
    centre = _centre(shape.vertices[shape.faces])
    corners = shape.vertices - centre
    radii = np.linalg.norm(corners, axis=1)
    spreads = np.ptp(radii), np.ptp(np.ptp(corners, axis=0))  # the rims of a flat can lie on a sphere, too
    if len(corners) > _ROUND**2 and max(spreads) <= SLACK * radii.max():
        return Symmetry((ANY, ANY, ANY), vector(centre))
    x, y, z = (_order(corners, axis) for axis in range(3))
    return Symmetry((x, y, z), vector(centre))


def _order(corners: Floats, axis: int) -> int:
    slack = SLACK * float(np.linalg.norm(np.delete(corners, axis, axis=1), axis=1).max())
    for order in _ORDERS:
        turns = [_about(axis, 2 * np.pi * k / order) for k in range(1, order // 2 + 1)]
        if all(_farthest(matmul(some, turn.T), corners) <= slack for some in (corners[::_SPARSE], corners) for turn in turns):
            return ANY if order >= _ROUND else order
    return 1


def _farthest(points: Floats, corners: Floats) -> float:
    """Return the greatest distance of a point from its nearest corner, m."""
    return float(np.linalg.norm(points[:, None] - corners[None], axis=2).min(axis=1).max())


def _centre(triangles: Floats) -> Floats:
    """Return the centre of the volume inside (n, 3, 3) closed triangles."""
    volumes = np.einsum('ij,ij->i', triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2]))
    centre: Floats = matmul(volumes, triangles.sum(axis=1)) / (4 * volumes.sum())
    return centre


def _about(axis: int, angle: float) -> Floats:
    turn = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[i, i] = turn[j, j] = cos(angle)
    turn[j, i], turn[i, j] = sin(angle), -sin(angle)
    return turn


@lru_cache
def _group(orders: tuple[int, int, int]) -> tuple[Floats, ...]:
    """Return all rotations that the orders generate, except those about an axis of order `ANY`."""
    found = [np.eye(3)]
    steps = [_about(axis, 2 * np.pi / order) for axis, order in enumerate(orders) if order > 1]
    grown = True
    while grown:
        new = [matmul(step, turn) for step, turn in product(steps, found)]
        fresh: list[Floats] = []
        for turn in new:
            if not any(np.allclose(turn, known) for known in (*found, *fresh)):
                fresh.append(turn)
        found += fresh
        grown = bool(fresh)
    return tuple(found)


def _left(turn: Floats, free: Floats | None) -> float:
    """Return the angle of a rotation, rad; with a free axis, only the angle between that axis and its rotated image."""
    cosine = (np.trace(turn) - 1) / 2 if free is None else dot(free, matmul(turn, free))
    return arccos(float(cosine))
