"""Dishes, fruit, tools and toys of ClevrSkills with a form of their own, lying or standing as they are drawn there."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from vlm_bench_sim.core.figures import rectangle, ribbon
from vlm_bench_sim.core.geometry import Floats, Vector
from vlm_bench_sim.core.solids import Layer, Piece, Solid, fitted, heap, ring
from vlm_bench_sim.core.vessels import Handle, band, cap, vessel

_PLATE_SIDES, _BANANA_SIDES = 24, 12
_HOLES = (-38.0, 0.0, 38.0)  # middles of the holes of a peg board along one side, mm
_HOLE, _BOARD = 8.0, 63.5  # radius of a hole, and half the board's side, mm


def _mug() -> Solid:
    return vessel([(0.0, 0.0385, 0.0355), (0.081, 0.041, 0.038)], 0.004, handle=Handle(0.016, 0.066, 0.030))


def _plate() -> Solid:
    return vessel([(0.0, 0.082, 0.078), (0.014, 0.092, 0.087), (0.024, 0.129, 0.127)], 0.004, sides=_PLATE_SIDES)


def _banana() -> Solid:
    """Return a banana that lies on its side, with its stem towards +y and its hollow towards -x."""
    radii = np.array([4.5, 11.0, 15.5, 18.0, 18.0, 18.0, 18.0, 18.0, 14.0, 8.0, 5.0, 5.5])
    turn = np.radians([-57.0, -53.0, -44.0, -32.0, -18.0, 0.0, 18.0, 32.0, 43.0, 51.0, 56.0, 66.0])
    section = ring(_BANANA_SIDES, start=np.pi / _BANANA_SIDES)
    rings = []
    for radius, t in zip(radii, turn, strict=True):
        out = np.array([np.cos(t), np.sin(t), 0.0])
        rings.append(105.0 * out + radius * (np.outer(section[:, 0], out) + np.outer(section[:, 1], (0.0, 0.0, 1.0))))
    return _strung([points[::-1] for points in rings])


def _strung(rings: list[Floats]) -> Solid:
    """Return the solid through rings of equally many corners, counter-clockwise seen from the last one."""
    triangles = [triangle for low, high in pairwise(rings) for triangle in band(low, high)]
    return fitted([*triangles, *cap(rings[0], -1), *cap(rings[-1], 1)], [np.concatenate(pair) for pair in pairwise(rings)])


def _mirrored(pieces: list[Piece]) -> list[Piece]:
    return [(piece * (-1.0, 1.0))[::-1] for piece in pieces]


def _round(x: float, y: float, radius: float, count: int = 16) -> list[Piece]:
    return [ring(count, radius) + np.array((x, y))]


def _padlock() -> Solid:
    """Return a padlock that lies on its back, with its shackle towards +y and a mark like a keyhole on its face."""
    corners = ((-23.5, 4), (-19.5, 0), (19.5, 0), (23.5, 4), (23.5, 36), (19.5, 40), (-19.5, 40), (-23.5, 36))
    turn = np.linspace(np.pi, 0.0, 11)
    bow = [(-13.0, 40.0), *((13.0 * float(np.cos(t)), 48.5 + 13.0 * float(np.sin(t))) for t in turn), (13.0, 40.0)]
    keyhole = _round(0.0, 23.0, 4.5, 12)
    slot = [np.array([(-4.5, 9.0), (4.5, 9.0), (2.0, 19.0), (-2.0, 19.0)])]
    body: list[Layer] = [([np.array(corners)], 0.0, 22.5), (ribbon(bow, [8.0] * len(bow)), 7.0, 16.0)]
    return heap([*body, (keyhole, 22.5, 24.0), (slot, 22.5, 24.0)])


def _wrench() -> Solid:
    """Return an adjustable wrench that lies flat, with its jaws towards +y."""
    grip = ribbon([(0.0, 4.0), (0.0, 12.0), (0.0, 70.0), (0.0, 128.0), (0.0, 142.0)], [14.0, 21.0, 19.0, 24.0, 34.0])
    head = [np.array([(-17, 142), (17, 142), (27, 158), (25, 172), (-27, 172), (-27, 158)])]
    fixed = [np.array([(8, 172), (25, 172), (27, 184), (22, 205), (12, 205)])]
    moved = [np.array([(-27, 172), (-11, 172), (-9, 200), (-20, 200), (-27, 188)])]
    screw = [(rectangle((-13, y), (13, y + 3)), 10.0, 12.0) for y in (153.0, 159.0, 165.0)]
    flat: list[Layer] = [(grip, 1.0, 10.0), (head, 0.0, 10.0), (fixed, 0.0, 12.0), (moved, 0.0, 12.0)]
    return heap([*flat, *(([piece], low, high) for piece, low, high in screw)])


def _clamp() -> Solid:
    """Return a spring clamp that lies flat, with its jaws closed towards +y, and sleeves on its handles."""
    lever = ribbon([(-38.0, 1.0), (-9.0, 50.0), (-30.0, 74.0), (-30.0, 88.0), (-12.0, 106.0)], [12.0, 15.0, 11.0, 11.0, 10.0])
    sleeve = ribbon([(-38.0, 1.0), (-21.2, 29.4)], [20.0, 17.0])
    pad = [rectangle((-19.0, 98.0), (-0.5, 115.0))]
    levers: list[Layer] = [(pieces, low, high) for half, low, high in ((lever, 1.0, 19.0), (sleeve, 0.0, 22.0), (pad, 0.0, 24.0))
                           for pieces in (half, _mirrored(half))]  # fmt: skip
    return heap([*levers, (_round(0.0, 50.0, 13.0), 0.0, 27.0)])


def _scissors() -> Solid:
    """Return scissors that lie flat and a little open, with their points towards +y."""
    blade = ribbon([(-20.0, 54.0), (-12.0, 72.0), (0.0, 92.0), (8.0, 145.0), (13.0, 199.0)], [10.0, 13.0, 20.0, 17.0, 2.0])
    turn = np.arange(14) * 2 * np.pi / 14
    loop = ribbon([(-26.0 + 13.5 * float(np.cos(t)), 31.0 + 26.0 * float(np.sin(t))) for t in turn], [7.0] * len(turn), closed=True)
    rings: list[Layer] = [(loop, 0.0, 10.0), (_mirrored(loop), 0.0, 10.0)]
    return heap([*rings, (blade, 0.0, 5.0), (_mirrored(blade), 5.0, 10.0), (_round(0.0, 92.0, 13.0), 10.0, 14.0)])


def _peg_board() -> Solid:
    """Return a board with nine holes in three rows."""
    rows: list[Layer] = [([rectangle((-_BOARD, -_BOARD), (_BOARD, _BOARD))], 0.0, 5.0)]
    edges = (-_BOARD, *(y + side for y in _HOLES for side in (-0.87 * _HOLE, 0.87 * _HOLE)), _BOARD)
    rows += [([rectangle((-_BOARD, low), (_BOARD, high))], 5.0, 22.0) for low, high in zip(edges[::2], edges[1::2], strict=True)]
    for y in _HOLES:
        for side in (-1.0, 1.0):
            rows += [([piece], 5.0, 22.0) for piece in _beside_holes(y, y + side * 0.87 * _HOLE)]
    return heap(rows)


def _beside_holes(middle: float, edge: float) -> list[Piece]:
    """Return what is left of half a row of a peg board, from the middle of its six-sided holes to their edge."""
    left = [(-_BOARD, -_BOARD), *((x + _HOLE, x + _HOLE / 2) for x in _HOLES)]  # x at the middle and at the edge
    right = [*((x - _HOLE, x - _HOLE / 2) for x in _HOLES), (_BOARD, _BOARD)]
    found = [np.array([(a, middle), (b, middle), (d, edge), (c, edge)]) for (a, c), (b, d) in zip(left, right, strict=True)]
    return found if edge > middle else [piece[::-1] for piece in found]


def _toy_blocks() -> Solid:
    """Return two toy blocks side by side and a third on top of both."""
    lower = [([rectangle((x, -26), (x + 52, 26))], 0.0, 52.0) for x in (-54.0, 2.0)]
    necks = [([rectangle((x, -23), (x + 14, 23))], 52.0, 54.0) for x in (-22.0, 8.0)]
    between = ([rectangle((-2, -23), (2, 23))], 3.0, 49.0)
    return heap([*lower, between, *necks, ([rectangle((-26, -26), (26, 26))], 54.0, 106.0)])


_MADE: dict[str, tuple[Callable[[], Solid], Vector]] = {
    'plate': (_plate, (0.258, 0.258, 0.024)),
    'mug': (_mug, (0.082, 0.117, 0.081)),
    'banana': (_banana, (0.070, 0.190, 0.036)),
    'padlock': (_padlock, (0.047, 0.065, 0.024)),
    'wrench': (_wrench, (0.055, 0.205, 0.012)),
    'medium_clamp': (_clamp, (0.090, 0.115, 0.027)),
    'large_clamp': (_clamp, (0.125, 0.165, 0.032)),
    'extra_large_clamp': (_clamp, (0.165, 0.213, 0.037)),
    'scissors': (_scissors, (0.087, 0.200, 0.014)),
    'peg_board': (_peg_board, (0.127, 0.127, 0.022)),
    'toy_blocks': (_toy_blocks, (0.108, 0.052, 0.106)),
}

UTENSILS = {kind: made for kind, (made, _) in _MADE.items()}
"""These solids by name."""

UTENSIL_SIZES = {kind: size for kind, (_, size) in _MADE.items()}
"""Their published bounding extents, (3,) m."""
