"""Procedural solids: a visible mesh together with its convex parts, made at unit size and then scaled.

Each solid fills the box [-0.5, 0.5]³ before scaling. Most shapes of the four suites are prisms over a plane figure that is given as
convex pieces, so that the collision parts are exact and no decomposition is ever run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Box, Floats, Vector, vector

Piece = Floats
"""(k, 2) corners of a convex polygon, counter-clockwise."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape.

    Attributes:
        vertices: (n, 3) m, of the visible surface.
        faces: (m, 3) indices, counter-clockwise seen from outside.
        parts: convex hulls whose union is the solid; each (k, 3) m.
        cavity: the box inside a container that may hold other things, open at its top; None for a full solid.
    """

    vertices: Floats
    faces: NDArray[np.int32]
    parts: tuple[Floats, ...]
    cavity: Box | None = None

    def scaled(self, size: Sequence[float]) -> 'Solid':
        """Return the solid stretched to bounding extents `size`, (3,) m."""
        s = np.asarray(size, dtype=float)
        cavity = self.cavity and Box(vector(np.asarray(self.cavity.centre) * s), vector(np.asarray(self.cavity.size) * s))
        return Solid(self.vertices * s, self.faces, tuple(part * s for part in self.parts), cavity)


def solid(kind: str) -> Solid:
    """Return the unit solid of that kind.

    Raises:
        SceneError: no such kind.
    """
    if kind not in _SHAPES:
        raise SceneError(f'There is no shape called {kind!r}. {near(kind, _SHAPES)}')
    return _unit(kind)


@cache
def _unit(kind: str) -> Solid:
    return _SHAPES[kind]()


def kinds() -> tuple[str, ...]:
    """Return the names of all shapes."""
    return tuple(sorted(_SHAPES))


def prism(pieces: Sequence[Piece]) -> Solid:
    """Return the unit prism over a plane figure made of convex pieces that share their corners."""
    corners = np.concatenate(pieces)
    low, high = corners.min(axis=0), corners.max(axis=0)
    fitted = [(piece - (low + high) / 2) / (high - low) for piece in pieces]
    parts = tuple(np.concatenate([_lift(piece, -0.5), _lift(piece, 0.5)]) for piece in fitted)
    return Solid(*_surface(fitted), parts)


def _lift(piece: Piece, z: float) -> Floats:
    return np.column_stack([piece, np.full(len(piece), z)])


def _surface(pieces: Sequence[Piece]) -> tuple[Floats, NDArray[np.int32]]:
    triangles: list[Floats] = []
    for piece in pieces:
        for a, b in pairwise(range(1, len(piece))):
            fan = piece[[0, a, b]]
            triangles += [_lift(fan, 0.5), _lift(fan[::-1], -0.5)]
    edges = {
        (tuple(np.round(a, 9)), tuple(np.round(b, 9))): (a, b)
        for piece in pieces
        for a, b in zip(piece, np.roll(piece, -1, axis=0), strict=True)
    }
    for (start, end), (a, b) in edges.items():
        if (end, start) in edges:
            continue  # shared by two pieces: inside the figure
        wall = np.array([[*a, -0.5], [*b, -0.5], [*b, 0.5], [*a, 0.5]])
        triangles += [wall[[0, 1, 2]], wall[[0, 2, 3]]]
    return weld(np.concatenate(triangles))


def weld(corners: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Return vertices and faces of (3 m, 3) triangle corners, equal corners joined."""
    _, first, index = np.unique(np.round(corners, 9), axis=0, return_index=True, return_inverse=True)
    return corners[first], index.reshape(-1, 3).astype(np.int32)


def _ring(count: int, radius: float = 1.0, start: float = 0.0) -> Floats:
    angles = start + np.arange(count) * 2 * np.pi / count
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _star() -> Solid:
    outer, inner = _ring(5, 1.0, np.pi / 2), _ring(5, 0.5, np.pi / 2 + np.pi / 5)
    tips = [np.array([inner[i - 1], outer[i], inner[i]]) for i in range(5)]
    return prism([inner, *tips])


def _moon() -> Solid:
    # A crescent: the outer arc of a unit circle and an inner arc of a smaller circle shifted towards the opening; blunt horns.
    turn = np.linspace(np.radians(50), np.radians(310), 17)
    outer = np.column_stack([np.cos(turn), np.sin(turn)])
    inner = np.column_stack([0.30 + 0.62 * np.cos(turn), 0.62 * np.sin(turn)])
    return prism([np.array([outer[i], outer[i + 1], inner[i + 1], inner[i]]) for i in range(len(turn) - 1)])


def _boxes(boxes: Sequence[Box], cavity: Box | None) -> Solid:
    cube = _unit('cube')
    corners = [cube.vertices[cube.faces.reshape(-1)] * np.asarray(box.size) + np.asarray(box.centre) for box in boxes]
    vertices, faces = weld(np.concatenate(corners))
    return Solid(vertices, faces, tuple(cube.parts[0] * np.asarray(b.size) + np.asarray(b.centre) for b in boxes), cavity)


def _tray() -> Solid:
    # Wall and floor thickness of the 0.20 × 0.125 × 0.05 m tray: 4 mm (shares of the unit box).
    wx, wy, floor = 0.004 / 0.20, 0.004 / 0.125, 0.004 / 0.05
    inner: Vector = (1 - 2 * wx, 1 - 2 * wy, 1 - floor)
    boxes = [
        Box((0.0, 0.0, -0.5 + floor / 2), (1.0, 1.0, floor)),
        Box((-0.5 + wx / 2, 0.0, floor / 2), (wx, 1.0, 1 - floor)),
        Box((0.5 - wx / 2, 0.0, floor / 2), (wx, 1.0, 1 - floor)),
        Box((0.0, -0.5 + wy / 2, floor / 2), (inner[0], wy, 1 - floor)),
        Box((0.0, 0.5 - wy / 2, floor / 2), (inner[0], wy, 1 - floor)),
    ]
    return _boxes(boxes, cavity=Box((0.0, 0.0, floor / 2), inner))


_SHAPES: dict[str, Callable[[], Solid]] = {
    'cube': lambda: prism([_ring(4, start=np.pi / 4)]),
    'cylinder': lambda: prism([_ring(32)]),
    'triangular_prism': lambda: prism([_ring(3, start=np.pi / 2)]),
    'star': _star,
    'moon': _moon,
    'tray': _tray,
}
