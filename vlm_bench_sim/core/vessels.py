"""Solids of revolution: mugs, bowls, baskets, bottles and pencils, as rings of wedges around an axis.

A wall is a ring of convex wedges per level, and the floor is a disc inside it, so that poured beads stay in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vlm_bench_sim.core.algebra import matmul, norm
from vlm_bench_sim.core.geometry import Box, Floats
from vlm_bench_sim.core.solids import Solid, fitted, lift, quad, ring

SIDES = 20
FOOT = 0.0005
"""Height of the wall's lower end above the floor's underside, m: a vessel stands on its floor, a single hull with four contact points."""

_GRIP_SIDES, _GRIP_STEPS = 12, 8
_BALL_SIDES = 24

Level = tuple[float, float, float]
"""Height, outer radius, inner radius, m."""


@dataclass(frozen=True)
class Handle:
    """A bow on the +y side: heights where it meets the wall, reach, and the radii of its section across and along, m."""

    low: float
    high: float
    reach: float
    width: float = 0.006
    thickness: float = 0.0045


def vessel(
    levels: Sequence[Level],
    floor: float,
    *,
    sides: int = SIDES,
    start: float = 0.0,
    handle: Handle | None = None,
    foot: Sequence[tuple[float, float]] = (),
) -> Solid:
    """Return an open vessel.

    Args:
        levels: levels from the bottom to the rim.
        floor: thickness of the floor, m.
        sides: number of sides of the ring.
        start: angle of the ring's first corner, rad.
        handle: the handle; None for none.
        foot: heights and radii, m, of a full foot below the bottom, from the lowest up; without one the vessel stands on its floor.
    """
    triangles, parts = _shell(levels, floor, ring(sides, start=start), foot)
    if handle is not None:
        bow, segments = _bow(handle, levels)
        triangles, parts = triangles + bow, parts + segments
    bottom, top = levels[0][0] + floor, levels[-1][0]
    width = 2 * max(inner for _, _, inner in levels) * (np.cos(np.pi / sides) if sides <= 8 else 1.0)
    return fitted(triangles, parts, Box((0.0, 0.0, (bottom + top) / 2), (width, width, top - bottom)))


def turned(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Solid:
    """Return a full solid of (height, radius) levels; a radius of 0 is a tip."""
    unit = ring(sides)
    rings = [lift(unit * r, z) if r > 0 else np.array([[0.0, 0.0, z]]) for z, r in profile]
    triangles: list[Floats] = []
    for low, high in pairwise(rings):
        triangles += band(low, high)
    triangles += cap(rings[0], -1) + cap(rings[-1], 1)
    return fitted(triangles, [np.concatenate(pair) for pair in pairwise(rings)])


def _shell(levels: Sequence[Level], floor: float, unit: Floats, feet: Sequence[tuple[float, float]]) -> tuple[list[Floats], list[Floats]]:
    """Return the triangles of the surface, and the wedges of wall, floor and foot."""
    count, (heights, widths, radii) = len(unit), np.array(levels).T
    bottom, foot = float(heights[0]), float(heights[0]) + FOOT
    wall = [(foot, float(np.interp(foot, heights, widths)), float(np.interp(foot, heights, radii))), *levels[1:]]
    outer = [lift(unit * r, z) for z, r, _ in wall]
    inner = [lift(unit * r, z) for z, _, r in wall]
    under = lift(unit * radii[0], bottom)
    ground = lift(unit * np.interp(bottom + floor, heights, radii), bottom + floor)
    below = [lift(unit * r, z) for z, r in feet]
    parts: list[Floats] = [np.concatenate(pair) for pair in pairwise([*below, under, ground])]
    for (low, high), (low_in, high_in) in zip(pairwise(outer), pairwise(inner), strict=True):
        for i in range(count):
            j = (i + 1) % count
            parts.append(np.array([low[i], low[j], high[i], high[j], low_in[i], low_in[j], high_in[i], high_in[j]]))
    skin = [*below, under, inner[0], *outer, *inner[:0:-1], ground]
    bands = [triangle for low, high in pairwise(skin) for triangle in band(low, high)]
    return bands + cap(ground, 1) + cap(skin[0], -1), parts


def cap(end: Floats, side: int) -> list[Floats]:
    """Return the triangles that close a ring, facing up (1) or down (-1)."""
    return [end[[0, a, b][::side]] for a, b in pairwise(range(1, len(end)))]


def band(low: Floats, high: Floats) -> list[Floats]:
    """Return the triangles between two rings with the same sense of rotation, seen from outside with `low` below; either may be a tip."""
    if len(high) == 1:
        return [np.array([a, b, high[0]]) for a, b in zip(low, np.roll(low, -1, axis=0), strict=True)]
    if len(low) == 1:
        return [np.array([b, a, low[0]]) for a, b in zip(high, np.roll(high, -1, axis=0), strict=True)]
    corners = zip(low, np.roll(low, -1, axis=0), np.roll(high, -1, axis=0), high, strict=True)
    return [triangle for four in corners for triangle in quad(np.array(four))]


def _bow(handle: Handle, levels: Sequence[Level]) -> tuple[list[Floats], list[Floats]]:
    """Return surface and segments of a handle: half an ellipse in the y-z plane with its ends inside the wall."""
    heights, outer, inner = np.array(levels).T
    middle, half = (handle.low + handle.high) / 2, (handle.high - handle.low) / 2
    turn = np.linspace(-np.pi / 2, np.pi / 2, _GRIP_STEPS + 1)
    z = middle + half * np.sin(turn)
    foot = np.interp(z, heights, (outer + inner) / 2)
    y = np.interp(z, z[[0, -1]], foot[[0, -1]]) + handle.reach * np.cos(turn)
    section = ring(_GRIP_SIDES) * (handle.width, handle.thickness)
    rings = []
    for i, t in enumerate(turn):
        normal = np.array([0.0, half * np.cos(t), handle.reach * np.sin(t)])
        normal /= norm(normal)
        rings.append(np.array([0.0, y[i], z[i]]) + np.outer(section[:, 0], (1.0, 0.0, 0.0)) + np.outer(section[:, 1], normal))
    triangles = [triangle for low, high in pairwise(rings) for triangle in band(low, high)]
    triangles += cap(rings[0], -1) + cap(rings[-1], 1)
    return triangles, [np.concatenate(pair) for pair in pairwise(rings)]


def _mug(height: float, rim: float, base: float, *, reach: float, belly: float = 0.0, wall: float = 0.003) -> Callable[[], Solid]:
    """Return a function that makes a mug. Lengths in m: `rim` and `base` are the outer radii at top and bottom, `belly` the bulge."""

    def make() -> Solid:
        middle = (rim + base) / 2 + belly
        radii = [base, middle, rim] if belly else [base, rim]
        levels = [(z, r, r - wall) for z, r in zip(np.linspace(0.0, height, len(radii)), radii, strict=True)]
        return vessel(levels, 0.004, handle=Handle(0.22 * height, 0.80 * height, reach))

    return make


def _bowl() -> Solid:
    turn = np.linspace(0.45, np.pi / 2, 4)
    return vessel([(0.045 * (1 - np.cos(t)) / (1 - np.cos(turn[-1])), 0.06 * np.sin(t), 0.06 * np.sin(t) - 0.004) for t in turn], 0.006)


def _basket() -> Solid:
    levels = [(0.0, 0.050, 0.046), (0.078, 0.060, 0.056), (0.079, 0.0645, 0.056), (0.091, 0.0655, 0.057)]
    return vessel(levels, 0.004, sides=4, start=np.pi / 4)


def _pencil() -> Solid:
    return lying([(0.0, 1.0), (37.0, 1.0), (41.0, 0.25)], 6)


def lying(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Solid:
    """Return a full solid of (height, radius) levels, as `turned` does, that lies along y."""
    upright = turned(profile, sides)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return Solid(matmul(upright.vertices, turn.T), upright.faces, tuple(matmul(part, turn.T) for part in upright.parts))


def ball() -> Solid:
    """Return a ball: one convex hull with facets."""
    turn = np.linspace(0.0, np.pi, _BALL_SIDES // 2 + 1)[1:-1]
    round_ = turned([(-1.0, 0.0), *((-float(np.cos(t)), float(np.sin(t))) for t in turn), (1.0, 0.0)], _BALL_SIDES)
    return Solid(round_.vertices, round_.faces, (round_.vertices,))


VESSELS: dict[str, Callable[[], Solid]] = {
    'mug1': _mug(0.108, 0.050, 0.050, reach=0.040),
    'mug2': _mug(0.098, 0.049, 0.040, reach=0.037),
    'mug3': _mug(0.159, 0.050, 0.050, reach=0.060, belly=0.0085),
    'mug4': _mug(0.097, 0.0535, 0.036, reach=0.046),
    'mug5': _mug(0.133, 0.038, 0.044, reach=0.035),
    'mug6': _mug(0.101, 0.044, 0.044, reach=0.040, belly=0.0065),
    'bowl': _bowl,
    'basket': _basket,
    'bottle': lambda: turned(
        [(0.0, 0.030), (0.004, 0.033), (0.115, 0.033), (0.150, 0.014), (0.185, 0.012), (0.186, 0.0145), (0.200, 0.0145)]
    ),
    'pencil': _pencil,
    'ball': ball,
}
"""Names of these solids. Sizes and proportions follow VLMbench's mugs and basket, LoHoRavens' bowl and ClevrSkills' bottle."""
