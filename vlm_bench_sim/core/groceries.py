"""Fruit, cans and toys of ClevrSkills, with the details by which each is known in a single color."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.figures import cushion, disc, rectangle
from vlm_bench_sim.core.geometry import Floats, Vector
from vlm_bench_sim.core.solids import Layer, Piece, Solid, fitted, heap, lift, ring, walls
from vlm_bench_sim.core.vessels import SIDES, band, cap, lying

_HALF = np.pi / SIDES  # half the angle of a side, rad
_WAIST = 0.94  # width of a can between its rims, in widths of the rims
_TILT = np.radians(52.5)  # angle of an apple's stem from upright; the middle of a facet is below
_SIDES_OF_A_CUBE = ((2, 1), (0, 1), (1, 1), (1, -1), (0, -1), (2, -1))
"""Axis and direction of the sides of a cube. What a die shows on the first and on the last together is seven, and so on inwards."""

_PIPS: tuple[Sequence[tuple[int, int]], ...] = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)
"""Places of one to six pips on a side."""


def _apple() -> Solid:
    """Return an apple that lies so that its stem points up and to the side; the stem stands in a hollow, with a leaf at its end."""
    turn = np.linspace(0.0, np.pi, 13)[1:]
    below = [lift(ring(SIDES, float(np.sin(t)), _HALF), -float(np.cos(t))) for t in turn[turn < 2.7]]
    slope, ridge = (lift(ring(SIDES, float(np.sin(t)), _HALF), float(np.cos(t))) for t in (0.42, 0.32))
    hollow, tip = lift(ring(SIDES, 0.12, _HALF), below[-1][0, 2]), np.array([[0.0, 0.0, -1.0]])
    triangles = [triangle for low, high in pairwise([tip, *below, slope, ridge, hollow]) for triangle in band(low, high)]
    parts = [np.concatenate([tip, *below])]
    for i in range(SIDES):
        pair = [i, (i + 1) % SIDES]
        parts.append(np.concatenate([level[pair] for level in (below[-1], slope, ridge, hollow)]))
    stem = [lift(ring(8, radius), z) for radius, z in ((0.06, hollow[0, 2]), (0.08, 1.2))]
    leaf = np.array([(0.08, -0.03), (0.25, -0.22), (0.45, -0.22), (0.78, 0.0), (0.45, 0.2), (0.25, 0.2), (0.08, 0.03)])
    triangles += [*cap(hollow, 1), *band(*stem), *cap(stem[0], -1), *cap(stem[1], 1), *walls([leaf], 1.04, 1.10)]
    parts += [np.concatenate(stem), np.concatenate([lift(leaf, z) for z in (1.04, 1.10)])]
    lean = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(_TILT), np.sin(_TILT)], [0.0, -np.sin(_TILT), np.cos(_TILT)]])
    return fitted([matmul(triangle, lean.T) for triangle in triangles], [matmul(part, lean.T) for part in parts])


def _lemon() -> Solid:
    """Return a lemon that lies along y, with a nub at both ends."""
    half = [(1.0, 0.12), (0.87, 0.22), (0.80, 0.42), (0.68, 0.64), (0.52, 0.80), (0.32, 0.93), (0.11, 0.995)]
    return lying([(-z, r) for z, r in half] + half[::-1])


def _marker() -> Solid:
    """Return a marker that lies along y, with a groove where its cap begins."""
    return lying([(0.0, 7.5), (3.0, 9.5), (80.0, 9.5), (81.5, 7.5), (84.0, 7.5), (85.5, 9.5), (118.0, 9.5), (121.0, 7.0)])


def _can(figure: Callable[[], Sequence[Piece]], *edges: float) -> Callable[[], Solid]:
    """Return a function that makes a can: rims and ribs over a figure, between each two heights in turn, and the narrower body."""

    def make() -> Solid:
        wide, narrow = figure(), [piece * _WAIST for piece in figure()]
        layers: list[Layer] = [(narrow if i % 2 else wide, low, high) for i, (low, high) in enumerate(pairwise(edges))]
        return heap(layers)

    return make


def _die() -> Solid:
    """Return a die with raised pips, one on top."""
    pip = ring(10, 0.20)
    return _studded(0.91, [[pip + 0.52 * np.array(place) for place in places] for places in _PIPS])


def _rubiks_cube() -> Solid:
    """Return a cube with nine tiles on each side."""
    middles = (-0.635, 0.0, 0.635)
    tiles = [rectangle((x - 0.28, y - 0.28), (x + 0.28, y + 0.28)) for x in middles for y in middles]
    return _studded(0.95, [tiles] * len(_SIDES_OF_A_CUBE))


def _studded(half: float, sides: Sequence[Sequence[Piece]]) -> Solid:
    """Return the cube between -1 and 1: a core between -half and half, and on each side prisms over convex pieces."""
    core = rectangle((-half, -half), (half, half))
    triangles, parts = walls([core], -half, half), [_block(core, -half, half)]
    for (axis, direction), pieces in zip(_SIDES_OF_A_CUBE, sides, strict=True):
        for piece in pieces:
            triangles += [_towards(axis, direction, triangle) for triangle in walls([piece], half, 1.0)]
            parts.append(_towards(axis, direction, _block(piece, half, 1.0)))
    return fitted(triangles, parts)


def _block(piece: Piece, low: float, high: float) -> Floats:
    return np.concatenate([lift(piece, low), lift(piece, high)])


def _towards(axis: int, direction: int, points: Floats) -> Floats:
    """Return points (n, 3) turned so that what was above lies on that side."""
    return np.roll(points * (1.0, direction, direction), axis + 1, axis=1)


_MADE: dict[str, tuple[Callable[[], Solid], Vector]] = {
    'soup_can': (_can(disc, 0, 3, 40, 43, 49, 52, 58, 61, 99, 102), (0.068, 0.068, 0.102)),
    'tuna_can': (_can(disc, 0, 3, 30, 33), (0.085, 0.085, 0.033)),
    'meat_can': (_can(cushion, 0, 3, 79, 82), (0.050, 0.097, 0.082)),
    'die': (_die, (0.032, 0.032, 0.032)),
    'rubiks_cube': (_rubiks_cube, (0.057, 0.057, 0.057)),
    'marker': (_marker, (0.019, 0.121, 0.019)),
    'apple': (_apple, (0.075, 0.075, 0.075)),
    'lemon': (_lemon, (0.054, 0.068, 0.054)),
}

GROCERIES = {kind: made for kind, (made, _) in _MADE.items()}
"""These solids by name."""

GROCERY_SIZES = {kind: size for kind, (_, size) in _MADE.items()}
"""Their published bounding extents, (3,) m."""
