"""The convex parts of shapes for Bullet, and their mass distribution."""

from functools import cache
from pathlib import Path

import numpy as np
import trimesh

from vlm_bench_sim.assets import cached_text
from vlm_bench_sim.core.algebra import rounded
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import solid

MARGIN = 1e-3
"""Bullet adds a margin of this width, m, to convex hulls; the hulls are shrunk by it, which puts the surface where it is drawn."""


def boxes(prop: Prop) -> list[tuple[list[float], list[float]]]:
    """Return centre and half extents, (3,) m each, of every part of a prop that consists of axis-aligned boxes; otherwise nothing."""
    found = [box for box in map(_as_box, prop.solid.parts) if box is not None]
    return found if len(found) == len(prop.solid.parts) else []


def hulls(prop: Prop) -> tuple[str, list[float]]:
    """Return a file of all parts of a prop at unit size, and the scale (3,) to the prop's size, less Bullet's margin."""
    return str(_file(prop.kind)), [extent - 2 * MARGIN for extent in prop.size]


@cache
def mass_moments(kind: str) -> tuple[Floats, Floats]:
    """Return the centre (3,) and the second moments (3, 3) about it, per mass, of the homogeneous unit solid of a kind."""
    parts = [trimesh.convex.convex_hull(part) for part in solid(kind).parts]
    volumes = np.array([part.volume for part in parts])
    centres = np.array([part.center_mass for part in parts])
    centre: Floats = np.einsum('i,ij->j', volumes, centres) / volumes.sum()
    second = np.zeros((3, 3))
    for part, volume, own in zip(parts, volumes, centres, strict=True):
        inertia = np.asarray(part.moment_inertia)
        second += np.trace(inertia) / 2 * np.eye(3) - inertia + volume * np.outer(own - centre, own - centre)
    return rounded(centre), rounded(second / volumes.sum())


def _as_box(part: Floats) -> tuple[list[float], list[float]] | None:
    """Return centre and half extents, (3,) m each, of a part that is an axis-aligned box; None for others."""
    low, high = part.min(axis=0), part.max(axis=0)
    on_faces = np.isclose(part, low) | np.isclose(part, high)
    if len(part) != 8 or not on_faces.all():
        return None
    return list((low + high) / 2), list((high - low) / 2)


@cache
def _file(kind: str) -> Path:
    """Return a file of the convex hulls of a shape at unit size."""
    # Bullet reads each group of a Wavefront file as one convex hull; only a file can hold several.
    lines, first = [], 1
    for number, part in enumerate(solid(kind).parts):
        hull = trimesh.convex.convex_hull(part)
        lines.append(f'o part{number}')
        lines += [f'v {x:.9g} {y:.9g} {z:.9g}' for x, y, z in hull.vertices]
        lines += [f'f {a + first} {b + first} {c + first}' for a, b, c in hull.faces]
        first += len(hull.vertices)
    return cached_text(kind, '.obj', '\n'.join(lines) + '\n')
