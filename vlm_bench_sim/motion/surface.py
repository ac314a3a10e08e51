"""Queries on a closed triangle mesh: centre of mass, surface samples, and line crossings. All in the mesh's own frame, m."""

from functools import cached_property
from math import cos

import numpy as np

from vlm_bench_sim.core.algebra import dot
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.solids import Solid

_PARALLEL = 1e-12


class Surface:
    """The visible surface of a solid."""

    def __init__(self, solid: Solid) -> None:
        corners = solid.vertices[solid.faces]
        self._origin = corners[:, 0]
        self._first, self._second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        crossed = np.cross(self._first, self._second)
        doubled = np.linalg.norm(crossed, axis=1)
        self.areas: Floats = doubled / 2
        self.normals: Floats = crossed / np.maximum(doubled, 1e-15)[:, None]

    @cached_property
    def middle(self) -> Floats:
        """(3,) centre of mass of the solid with uniform density: signed tetrahedra from the origin to each triangle."""
        a, b, c = self._origin, self._origin + self._first, self._origin + self._second
        volumes = np.einsum('ij,ij->i', a, np.cross(b, c))
        centre: Floats = (volumes[:, None] * (a + b + c)).sum(axis=0) / (4 * volumes.sum())
        return centre

    def directions(self, angle: float = 0.05) -> Floats:
        """Return (k, 3) outward normals of the flat sides, greatest area first, at least `angle` rad apart."""
        kept: list[Floats] = []
        for i in np.lexsort((np.arange(len(self.areas)), -np.round(self.areas, 12))):
            if self.areas[i] > 0 and all(dot(self.normals[i], other) < cos(angle) for other in kept):
                kept.append(self.normals[i])
        return np.array(kept)

    def sample(self, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return (count, 3) points spread evenly over the surface, and their outward normals."""
        chosen = rng.choice(len(self.areas), size=count, p=self.areas / self.areas.sum())
        u, v = np.sort(rng.uniform(size=(2, count)), axis=0)
        points = self._origin[chosen] + u[:, None] * self._first[chosen] + (v - u)[:, None] * self._second[chosen]
        return points, self.normals[chosen]

    def crossings(self, origins: Floats, direction: Floats) -> Floats:
        """Return (n, faces) signed distances along `direction` from (n, 3) origins to each face; NaN if the line misses it."""
        return self.lines(direction).crossings(origins)

    def lines(self, direction: Floats) -> 'Lines':
        """Return the lines along `direction` (3,), for repeated queries."""
        return Lines((self._origin, self._first, self._second), direction)


class Lines:
    """Parallel lines through a surface.

    Args:
        faces: a corner of each face and the edges from there to the other two, (faces, 3) m.
        direction: (3,), of length 1.
    """

    def __init__(self, faces: tuple[Floats, Floats, Floats], direction: Floats) -> None:
        self._origin, self._first, self._second = faces
        self._direction = direction
        self._turned = np.cross(direction, self._second)
        determinant = np.einsum('ij,ij->i', self._first, self._turned)
        with np.errstate(divide='ignore', invalid='ignore'):
            self._scale = np.where(np.abs(determinant) > _PARALLEL, 1 / determinant, np.nan)

    def crossings(self, origins: Floats) -> Floats:
        """Return (n, faces) signed distances from (n, 3) origins to each face; NaN if the line misses it."""
        with np.errstate(divide='ignore', invalid='ignore'):
            offset = origins[:, None, :] - self._origin
            u = np.einsum('rfi,fi->rf', offset, self._turned) * self._scale
            across = _crossed(offset, self._first)
            v = np.einsum('rfi,i->rf', across, self._direction) * self._scale
            distance: Floats = np.einsum('rfi,fi->rf', across, self._second) * self._scale
            inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9)
        return np.where(inside, distance, np.nan)


def _crossed(a: Floats, b: Floats) -> Floats:
    """Return the cross products, (..., 3), with the same bits as `np.cross`, which is three times as slow on so few."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[..., j], b[..., k], out=found[..., i])
        found[..., i] -= a[..., k] * b[..., j]
    return found
