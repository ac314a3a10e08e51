"""Decimates mesh files once to the detail that a small picture can show, and caches them in the user's cache."""

import hashlib
import os
import re
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray

from vlm_bench_sim.assets import cache
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.render.mesh import Mesh, joined, of_corners, shaded
from vlm_bench_sim.render.visibility import visible

FACES = 600
"""Maximum faces of a mesh file. Undecimated, the Panda alone costs 13 ms a picture; 2000 faces of a fast decimation look no better than
600 of a careful one, and cost a millisecond more."""
OUTLINE_FACES = 80
"""Faces of the hull that casts a link's shadow."""
LONG, PIECES, PIECE_FACES = 0.20, 4, 32
"""For a link longer than this, m, the hulls of this many pieces with this many faces cast the shadow: it may be bent or narrow."""
Rgb = tuple[int, int, int]
_RECIPE = b'8'
_FAVOUR = 0.6  # less than 1: small parts, such as dark covers, keep more of their outline
_HASTES = (3, 5, 7)  # of 10; 7, the default, tears the outlines of covers, but lower values do not always reach the target
_SLACK = 1.5
_OVERLAP = 0.005  # m by which the pieces of a shadow overlap
_AGREE = 0.6  # minimum cosine between normals of surfaces that count as the same
_NEVER = 1e6
_MATERIALS = re.compile(rb'^\s*mtllib\s+(.+?)\s*$', re.MULTILINE)


def outline(mesh: Mesh) -> Mesh:
    """Return the mesh that casts a link's shadow: its decimated hull, or the hulls of its pieces along its longest extent.

    Only sides that face away from the light cast shadows, so a hull darkens nothing inside it.
    """
    extents = np.ptp(mesh.vertices, axis=0)
    axis = int(np.argmax(extents))
    if extents[axis] <= LONG:
        return _hull(mesh.vertices, OUTLINE_FACES)
    cuts = np.linspace(mesh.vertices[:, axis].min(), mesh.vertices[:, axis].max(), PIECES + 1)
    slabs = [_slab(mesh, axis, low - _OVERLAP, high + _OVERLAP) for low, high in pairwise(cuts)]
    return joined([_hull(points, PIECE_FACES) for points in slabs if len(points)])


def _hull(points: Floats, faces: int) -> Mesh:
    """Return a convex mesh around (n, 3) points, simplified if it would have more than `faces` faces."""
    hull = trimesh.convex.convex_hull(points)
    if len(hull.faces) > faces:
        hull = trimesh.convex.convex_hull(_decimated(hull, faces, _HASTES[-1]).vertices)  # decimation leaves dents, which light would pass
    return shaded(np.asarray(hull.vertices, dtype=float), np.asarray(hull.faces, dtype=np.int32))


def _slab(mesh: Mesh, axis: int, low: float, high: float) -> Floats:
    """Return (n, 3) points of a mesh between two planes across an axis: its vertices, and where its edges cross the planes."""
    along = mesh.vertices[:, axis]
    begins, ends = (mesh.vertices[np.concatenate([mesh.faces[:, (i + k) % 3] for i in range(3)])] for k in (0, 1))
    found = [mesh.vertices[(along >= low) & (along <= high)]]
    for at in (low, high):
        through = (begins[:, axis] < at) != (ends[:, axis] < at)
        a, b = begins[through], ends[through]
        found.append(a + (at - a[:, axis : axis + 1]) / (b - a)[:, axis : axis + 1] * (b - a))
    return np.concatenate(found)


def mesh_file(path: Path, color: Rgb) -> Mesh:
    """Return the mesh of a file with its materials' colors; `color` (sRGB) if it has none."""
    kept = cache() / 'meshes' / f'{_key(path, color)}.npz'
    if not kept.is_file():
        _write(kept, _reduced(path, color))
    with np.load(kept, allow_pickle=False) as arrays:
        return Mesh(arrays['vertices'], arrays['normals'], arrays['colors'], arrays['faces'])


def _key(path: Path, color: Rgb) -> str:
    content = path.read_bytes()
    digest = hashlib.sha256(_RECIPE + repr((FACES, color)).encode() + content)
    for name in _MATERIALS.findall(content) if path.suffix.lower() == '.obj' else ():
        materials = path.parent / os.fsdecode(name)
        digest.update(materials.read_bytes() if materials.is_file() else b'')
    return digest.hexdigest()[:32]


def _write(path: Path, mesh: Mesh) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix='.tmp', delete=False) as file:
        np.savez(file, vertices=mesh.vertices, normals=mesh.normals, colors=mesh.colors, faces=mesh.faces)
    os.replace(file.name, path)


def _reduced(path: Path, color: Rgb) -> Mesh:
    parts = list(trimesh.load_scene(path, process=False).dump())
    whole = trimesh.util.concatenate([trimesh.Trimesh(part.vertices, part.faces, process=False) for part in parts])
    shown = np.split(visible(whole.vertices, whole.faces), np.cumsum([len(part.faces) for part in parts])[:-1])
    weights = np.array([mask.sum() for mask in shown]) ** _FAVOUR
    shares = np.ceil(FACES * weights / weights.sum()).astype(int)
    return joined([_part(part, mask, share, color) for part, mask, share in zip(parts, shown, shares, strict=True) if mask.any()])


def _part(part: trimesh.Trimesh, shown: NDArray[np.bool_], share: int, color: Rgb) -> Mesh:
    """Return one material, with its visible faces reduced to `share` faces."""
    solid = trimesh.Trimesh(part.vertices, part.faces[shown], process=False)
    solid.merge_vertices()
    solid.update_faces(solid.nondegenerate_faces())
    fine = shaded(np.asarray(solid.vertices, dtype=float), np.asarray(solid.faces, dtype=np.int32), _color(part, color))
    if len(solid.faces) <= share:
        return fine
    coarse = next(c for haste in _HASTES if len((c := _decimated(solid, share, haste)).faces) < _SLACK * share or haste == _HASTES[-1])
    return of_corners(np.asarray(coarse.triangles), _normals_of(fine, coarse), fine.colors[0])


def _decimated(solid: trimesh.Trimesh, share: int, haste: int) -> trimesh.Trimesh:
    coarse = solid.simplify_quadric_decimation(face_count=share, aggression=haste)
    coarse.update_faces(coarse.nondegenerate_faces())
    return coarse


def _normals_of(fine: Mesh, coarse: trimesh.Trimesh) -> Floats:
    """Return (m, 3, 3) corner normals from the nearest point of the undecimated surface that faces the same way."""
    points, outward = np.asarray(coarse.triangles).reshape(-1, 3), np.repeat(coarse.face_normals, 3, axis=0)
    found = np.empty(len(points), dtype=int)
    for start in range(0, len(points), 256):
        some = slice(start, start + 256)
        away = (fine.vertices**2).sum(axis=1) - 2 * points[some] @ fine.vertices.T
        away[outward[some] @ fine.normals.T < _AGREE] += _NEVER
        found[some] = np.argmin(away, axis=1)
    return fine.normals[found].reshape(-1, 3, 3)


def _color(part: trimesh.Trimesh, default: Rgb) -> Rgb:
    """Return the part's diffuse color. Textures are ignored: in robot models they repeat it, with baked shadows."""
    material = getattr(part.visual, 'material', None)
    if material is None:
        return default
    r, g, b = (int(v) for v in material.main_color[:3])
    return (r, g, b)
