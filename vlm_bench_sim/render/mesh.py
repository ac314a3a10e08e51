"""Triangle meshes ready to be drawn: vertices with their own normal and color."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.core.solids import Solid

Bytes = NDArray[np.uint8]
Indices = NDArray[np.signedinteger[Any]]

CREASE = radians(35)
"""Edges between faces at a sharper angle stay sharp; the others are shaded smooth."""
WHITE = (255, 255, 255)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh in some frame.

    Attributes:
        vertices: (n, 3) m.
        normals: (n, 3) unit vectors.
        colors: (n, 3) sRGB.
        faces: (m, 3) indices, counter-clockwise seen from outside.
    """

    vertices: Floats
    normals: Floats
    colors: Bytes
    faces: Indices

    def at(self, pose: Pose) -> 'Mesh':
        """Return the mesh, given in the frame `pose`, in that frame's parent."""
        return Mesh(pose.apply(self.vertices), self.normals @ pose.rotation.T, self.colors, self.faces)


NOTHING = Mesh(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), dtype=np.uint8), np.zeros((0, 3), dtype=np.int32))
"""A mesh without faces."""


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Return one mesh of all `meshes`, in their order."""
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.colors for m in meshes]),
        np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=True)]).astype(np.int32),
    )


def shaded(vertices: Floats, faces: Indices, color: ArrayLike = WHITE) -> Mesh:
    """Return (n, 3) vertices and (m, 3) faces as a mesh of one sRGB color, with normals smoothed up to the crease angle."""
    _, first, welded = np.unique(np.round(vertices, 7), axis=0, return_index=True, return_inverse=True)
    points, corners = vertices[first], welded.reshape(-1)[faces]
    return of_corners(points[corners], _corner_normals(points, corners), color)


def of_corners(points: Floats, normals: Floats, color: ArrayLike) -> Mesh:
    """Return the mesh of (m, 3, 3) triangle corners and their normals, with equal corners merged."""
    rows = np.concatenate([points.reshape(-1, 3), normals.reshape(-1, 3)], axis=1)
    keys = np.round(rows * (1e7, 1e7, 1e7, 512, 512, 512)).astype(np.int64)
    _, kept, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    colors = np.broadcast_to(np.asarray(color, dtype=np.uint8), (len(kept), 3)).copy()
    return Mesh(rows[kept, :3], rows[kept, 3:], colors, index.reshape(-1, 3).astype(np.int32))


def _corner_normals(vertices: Floats, corners: Indices) -> Floats:
    """Return (m, 3, 3) normals: each corner's is the angle-weighted mean of the adjacent faces within the crease angle."""
    points = vertices[corners]
    outward = _units(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    ahead = _units(np.roll(points, -1, axis=1) - points)
    angles = np.arccos(np.clip(-np.einsum('ijk,ijk->ij', ahead, np.roll(ahead, 1, axis=1)), -1, 1)).reshape(-1)
    mine, other = _meetings(corners.reshape(-1))
    near = np.einsum('ij,ij->i', outward[mine // 3], outward[other // 3]) > cos(CREASE)
    shares = outward[other // 3] * (angles[other] * near)[:, None]
    sums = np.stack([np.bincount(mine, weights=shares[:, k]) for k in range(3)], axis=1)
    return _units(sums).reshape(-1, 3, 3)


def _meetings(owner: Indices) -> tuple[Indices, Indices]:
    """Return all pairs of corners that share a vertex, including each corner with itself; `owner` is the vertex of each corner."""
    order = np.argsort(owner, kind='stable')
    counts = np.bincount(owner)
    starts, repeats = np.cumsum(counts) - counts, counts[owner]
    mine = np.repeat(np.arange(len(owner)), repeats)
    nth = np.arange(len(mine)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return mine, order[starts[owner[mine]] + nth]


def _units(vectors: NDArray[Any]) -> Floats:
    units: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-18)
    return units


@lru_cache(maxsize=512)  # sizes are continuous: without a limit the meshes of every episode would stay in memory
def of_kind(kind: str, size: tuple[float, float, float]) -> Mesh:
    """Return the mesh of the shape `kind` of `core.shapes`, at bounding extents `size` in m."""
    return of_solid(sized(kind, size))


def of_solid(shape: Solid) -> Mesh:
    """Return the visible surface of a solid, white."""
    return shaded(shape.vertices, shape.faces)
