"""Solids: a visible mesh together with its convex parts, built at unit size and then scaled.

Before scaling, each solid fills the box [-0.5, 0.5]³. Surface and parts share the same corners: the collision parts are exact, and no
convex decomposition is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.algebra import rounded
from vlm_bench_sim.core.geometry import Box, Floats, vector

Piece = Floats
"""(k, 2) corners of a convex polygon, counter-clockwise."""

Layer = tuple[Sequence[Piece], float, float]
"""A plane figure made of convex pieces that share their corners, and the heights of the bottom and the top of a prism over it."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape.

    Attributes:
        vertices: vertices of the visible surface, (n, 3) m.
        faces: (m, 3) indices, counter-clockwise seen from outside.
        parts: convex hulls whose union is the solid; each (k, 3) m.
        cavity: the box inside a container that can hold other things, open at the top; None for a full solid.
    """

    vertices: Floats
    faces: NDArray[np.int32]
    parts: tuple[Floats, ...]
    cavity: Box | None = None

    @property
    def volume(self) -> float:
        """Volume inside the visible surface, m³."""
        corners = self.vertices[self.faces]
        return float((corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum()) / 6

    def rounded(self) -> 'Solid':
        """Return the unit solid rounded to nine decimals: the last bit of sines and products differs between processors."""
        cavity = self.cavity and Box(vector(rounded(self.cavity.centre)), vector(rounded(self.cavity.size)))
        return Solid(rounded(self.vertices), self.faces, tuple(map(rounded, self.parts)), cavity)

    def scaled(self, size: Sequence[float]) -> 'Solid':
        """Return the solid stretched to bounding extents `size`, (3,) m."""
        s = np.asarray(size, dtype=float)
        cavity = self.cavity and Box(vector(np.asarray(self.cavity.centre) * s), vector(np.asarray(self.cavity.size) * s))
        return Solid(self.vertices * s, self.faces, tuple(part * s for part in self.parts), cavity)


def fitted(triangles: Sequence[Floats], parts: Sequence[Floats], cavity: Box | None = None) -> Solid:
    """Return the unit solid of (3, 3) triangles and convex parts given at any size and place."""
    corners = np.concatenate(triangles)
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, extent = (low + high) / 2, high - low
    if cavity is not None:
        cavity = Box(vector((np.asarray(cavity.centre) - middle) / extent), vector(np.asarray(cavity.size) / extent))
    return Solid(*weld((corners - middle) / extent), tuple((part - middle) / extent for part in parts), cavity)


def weld(corners: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Return vertices and faces of (3 m, 3) triangle corners; equal corners are merged."""
    _, first, index = np.unique(np.round(corners, 9), axis=0, return_index=True, return_inverse=True)
    return corners[first], index.reshape(-1, 3).astype(np.int32)


def ring(count: int, radius: float = 1.0, start: float = 0.0) -> Floats:
    """Return (count, 2) corners on a circle, counter-clockwise from the angle `start`, rad."""
    angles = start + np.arange(count) * 2 * np.pi / count
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def lift(piece: Piece, z: float) -> Floats:
    """Return (k, 3): a plane figure at height `z`."""
    return np.column_stack([piece, np.full(len(piece), z)])


def prism(pieces: Sequence[Piece]) -> Solid:
    """Return the unit prism over a plane figure made of convex pieces that share their corners."""
    corners = np.concatenate(pieces)
    low, high = corners.min(axis=0), corners.max(axis=0)
    fit = [(piece - (low + high) / 2) / (high - low) for piece in pieces]
    parts = tuple(np.concatenate([lift(piece, -0.5), lift(piece, 0.5)]) for piece in fit)
    return Solid(*weld(np.concatenate(walls(fit, -0.5, 0.5))), parts)


def heap(layers: Sequence[Layer]) -> Solid:
    """Return the unit solid of prisms that lie against one another, each over a plane figure and between two heights.

    Every prism keeps a closed surface of its own. Where two overlap, the volume is counted twice.
    """
    skins = [weld(np.concatenate(walls(pieces, low, high))) for pieces, low, high in layers]
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in skins[:-1])])
    vertices = np.concatenate([vertices for vertices, _ in skins])
    faces = np.concatenate([faces + start for (_, faces), start in zip(skins, starts, strict=True)]).astype(np.int32)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, extent = (low + high) / 2, high - low
    parts = [np.concatenate([lift(piece, z) for z in (bottom, top)]) for pieces, bottom, top in layers for piece in pieces]
    return Solid((vertices - middle) / extent, faces, tuple((part - middle) / extent for part in parts))


def walls(pieces: Sequence[Piece], bottom: float, top: float) -> list[Floats]:
    """Return the (3, 3) side triangles of the prism over a plane figure, between two heights."""
    triangles: list[Floats] = []
    for piece in pieces:
        for a, b in pairwise(range(1, len(piece))):
            fan = piece[[0, a, b]]
            triangles += [lift(fan, top), lift(fan[::-1], bottom)]
    edges = {
        (tuple(np.round(a, 9)), tuple(np.round(b, 9))): (a, b)
        for piece in pieces
        for a, b in zip(piece, np.roll(piece, -1, axis=0), strict=True)
    }
    for (start, end), (a, b) in edges.items():
        if (end, start) in edges:
            continue  # shared by two pieces, so inside the figure
        triangles += quad(np.array([[*a, bottom], [*b, bottom], [*b, top], [*a, top]]))
    return triangles


def quad(corners: Floats) -> list[Floats]:
    """Return the two triangles of a (4, 3) quadrangle."""
    return [corners[[0, 1, 2]], corners[[0, 2, 3]]]


def boxes(given: Sequence[Box], cavity: Box | None = None) -> Solid:
    """Return a solid made of boxes that together fill the unit box."""
    cube = prism([ring(4, start=np.pi / 4)])
    corners = [cube.vertices[cube.faces.reshape(-1)] * np.asarray(box.size) + np.asarray(box.centre) for box in given]
    vertices, faces = weld(np.concatenate(corners))
    return Solid(vertices, faces, tuple(cube.parts[0] * np.asarray(b.size) + np.asarray(b.centre) for b in given), cavity)
