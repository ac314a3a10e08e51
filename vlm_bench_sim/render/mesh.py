"""Triangle meshes ready to be drawn: corners with a normal and a colour of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, radians
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.shapes import Solid, solid

Bytes = NDArray[np.uint8]
Indices = NDArray[np.signedinteger[Any]]

CREASE = radians(35)
"""Edges between faces that meet at a sharper angle stay sharp; the others are shaded smooth."""
WHITE = (255, 255, 255)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh in some frame.

    Attributes:
        vertices: (n, 3) m.
        normals: (n, 3) unit vectors.
        colours: (n, 3) sRGB.
        faces: (m, 3) indices, counter-clockwise seen from outside.
    """

    vertices: Floats
    normals: Floats
    colours: Bytes
    faces: Indices

    def at(self, pose: Pose) -> 'Mesh':
        """Return the mesh, given in the frame `pose`, in that frame's parent."""
        return Mesh(pose.apply(self.vertices), self.normals @ pose.rotation.T, self.colours, self.faces)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Return one mesh that holds all of `meshes`, in their order."""
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.colours for m in meshes]),
        np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=True)]).astype(np.int32),
    )


def shaded(vertices: Floats, faces: Indices, colour: ArrayLike = WHITE) -> Mesh:
    """Return (n, 3) vertices and (m, 3) faces as a mesh of one sRGB colour, with normals that are smooth up to the crease angle."""
    _, first, welded = np.unique(np.round(vertices, 7), axis=0, return_index=True, return_inverse=True)
    points, corners = vertices[first], welded.reshape(-1)[faces]
    return of_corners(points[corners], _corner_normals(points, corners), colour)


def of_corners(points: Floats, normals: Floats, colour: ArrayLike) -> Mesh:
    """Return the mesh of (m, 3, 3) triangle corners and their normals, equal corners joined."""
    rows = np.concatenate([points.reshape(-1, 3), normals.reshape(-1, 3)], axis=1)
    keys = np.round(rows * (1e7, 1e7, 1e7, 512, 512, 512)).astype(np.int64)
    _, kept, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    colours = np.broadcast_to(np.asarray(colour, dtype=np.uint8), (len(kept), 3)).copy()
    return Mesh(rows[kept, :3], rows[kept, 3:], colours, index.reshape(-1, 3).astype(np.int32))


def _corner_normals(vertices: Floats, corners: Indices) -> Floats:
    """Return (m, 3, 3) normals: at each corner the mean, by area, of the faces there that lie within the crease angle."""
    a, b, c = vertices[corners].transpose(1, 0, 2)
    areas = np.cross(b - a, c - a)
    units = areas / np.maximum(np.linalg.norm(areas, axis=1, keepdims=True), 1e-18)
    owner = corners.reshape(-1)
    order = np.argsort(owner, kind='stable')
    counts = np.bincount(owner)
    starts = np.cumsum(counts) - counts
    repeats = counts[owner]
    mine = np.repeat(np.arange(len(owner)), repeats)
    nth = np.arange(len(mine)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    face, other = mine // 3, order[starts[owner[mine]] + nth] // 3
    near = np.einsum('ij,ij->i', units[face], units[other]) > cos(CREASE)
    sums = np.stack([np.bincount(mine, weights=areas[other, k] * near, minlength=len(owner)) for k in range(3)], axis=1)
    normals: Floats = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-18)
    return normals.reshape(-1, 3, 3)


@cache
def of_kind(kind: str, size: tuple[float, float, float]) -> Mesh:
    """Return the shape of `core.shapes` called `kind`, at bounding extents `size` in m."""
    return of_solid(solid(kind).scaled(size))


def of_solid(shape: Solid) -> Mesh:
    """Return the visible surface of a solid, white."""
    return shaded(shape.vertices, shape.faces)
