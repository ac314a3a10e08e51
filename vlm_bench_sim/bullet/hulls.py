"""The convex parts of shapes as files for Bullet."""

from functools import cache
from pathlib import Path

import trimesh

from vlm_bench_sim.assets import cached_text
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import solid

MARGIN = 1e-3
"""Bullet adds a margin of this width, m, to convex hulls; the hulls are shrunk by it, which puts the surface where it is drawn."""


def hulls(prop: Prop) -> tuple[str, list[float]]:
    """Return a file of all parts of a prop at unit size, and the scale (3,) to the prop's size, less Bullet's margin."""
    return str(_file(prop.kind)), [extent - 2 * MARGIN for extent in prop.size]


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
