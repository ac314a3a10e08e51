"""The shape sorter: a box whose lid has a hole for each of five blocks (VLMbench; hole positions decoded from its model)."""

import numpy as np

from vlm_bench_sim.core.algebra import dot, matmul
from vlm_bench_sim.core.figures import disc, horns, rectangle, square, star, triangle
from vlm_bench_sim.core.geometry import Box, Floats
from vlm_bench_sim.core.solids import Piece, Solid, fitted, lift, walls

SIDE, BODY, INSIDE, HEIGHT, LID, FLOOR = 0.24, 0.21, 0.192, 0.186, 0.0144, 0.006
"""Side of the lid, outer and inner side of the box, total height, thickness of lid and floor, m."""

ROOM = 1.15
"""Size of a hole divided by that of its block."""

TONGUE = 1.5
"""Gap between the moon's horns divided by the size of what fills it in the hole: no wall guides the horns."""

HOLES: dict[str, tuple[tuple[float, float], float, tuple[float, float]]] = {
    'cube': ((-0.061, 0.058), 0.0, (0.042, 0.042)),
    'cylinder': ((-0.061, -0.061), 0.0, (0.046, 0.046)),
    'triangular_prism': ((0.052, 0.074), np.pi / 3, (0.046, 0.040)),
    'moon': ((0.062, -0.058), np.radians(-135.0), (0.054, 0.055)),
    'star': ((0.001, 0.002), np.radians(-37.0), (0.055, 0.052)),
}
"""By block: the hole's centre (m), its yaw (rad), and the block's extents (m). The moon's is moved by 5 mm to keep a horn off the wall."""


def shape_sorter() -> Solid:
    """Return the unit sorter; its cavity is the box under the lid."""
    top, ceiling = HEIGHT, HEIGHT - LID
    shell, inner = BODY / 2, INSIDE / 2
    figures = [(_lid(), ceiling, top), ([rectangle((-shell, -shell), (shell, shell))], 0.0, FLOOR)]
    for sign in (-1, 1):
        a, b = sorted((sign * inner, sign * shell))
        figures.append(([rectangle((a, -shell), (b, shell))], FLOOR, ceiling))
        figures.append(([rectangle((-inner, a), (inner, b))], FLOOR, ceiling))
    triangles = [triangle for pieces, low, high in figures for triangle in walls(pieces, low, high)]
    parts = [np.concatenate([lift(piece, low), lift(piece, high)]) for pieces, low, high in figures for piece in pieces]
    return fitted(triangles, parts, Box((0.0, 0.0, (FLOOR + ceiling) / 2), (INSIDE, INSIDE, ceiling - FLOOR)))


def _lid() -> list[Piece]:
    """Return convex pieces of a square with the holes; each hole is in the part of the lid nearest to it."""
    middles = {kind: np.array(middle) for kind, (middle, _, _) in HOLES.items()}
    pieces: list[Piece] = []
    for kind, middle in middles.items():
        cell = rectangle((-SIDE / 2, -SIDE / 2), (SIDE / 2, SIDE / 2))
        for other in middles.values():
            if other is not middle:
                cell = _clip(cell, (middle + other) / 2, middle - other)
        outline, fillings = _outline(kind)
        pieces += _around(outline, cell, middle) + fillings
    return pieces


def _clip(polygon: Piece, point: Floats, normal: Floats) -> Piece:
    """Return the part of a convex polygon on the side of `point` that `normal` points to."""
    kept = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        high, low = dot(a - point, normal), dot(b - point, normal)
        if high >= 0:
            kept.append(a)
        if high * low < 0:
            kept.append(a + (b - a) * high / (high - low))
    return np.array(kept)


def _outline(kind: str) -> tuple[Piece, list[Piece]]:
    """Return a hole's outline, all of which is visible from its centre, and the pieces that stand inside the hole."""
    middle, yaw, size = HOLES[kind]
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])

    def placed(points: Floats, low: Floats, high: Floats) -> Piece:
        unit = (points - (low + high) / 2) / (high - low)
        at: Piece = matmul(unit * size * ROOM, turn.T) + middle
        return at

    if kind == 'star':
        _, *tips = star()
        whole = np.array([corner for tip in tips for corner in (tip[1], tip[2])])
        return placed(whole, whole.min(axis=0), whole.max(axis=0)), []
    if kind == 'moon':
        outer, inner = horns()
        whole = np.concatenate([outer, inner[[-1, 0]]])
        low, high = whole.min(axis=0), whole.max(axis=0)
        middle_x = (low[0] + high[0]) / 2
        # The filling between the horns must clear the block: a smaller disc, with a foot that ends at the edge of the hole.
        disc_x = 0.30
        tongue = ((inner - (disc_x, 0.0)) / TONGUE + (disc_x, 0.0) - (middle_x, 0.0)) / ROOM + (middle_x, 0.0)
        edge = [(high[0], tongue[-1, 1]), (high[0], tongue[0, 1])]
        foot = np.array([tongue[-1], *edge, tongue[0]])
        return placed(whole, low, high), [placed(tongue, low, high), placed(foot, low, high)]
    (figure,) = {'cube': square, 'cylinder': disc, 'triangular_prism': triangle}[kind]()
    return placed(figure, figure.min(axis=0), figure.max(axis=0)), []


def _around(hole: Piece, cell: Piece, middle: Floats) -> list[Piece]:
    """Return the region between a hole and the convex cell around it, cut into quadrangles by rays from the centre."""
    corners = np.concatenate([hole, cell]) - middle
    angles = np.unique(np.round(np.arctan2(corners[:, 1], corners[:, 0]), 9))
    ends = np.append(angles[1:], angles[0] + 2 * np.pi)
    rays = [np.array([np.cos(t), np.sin(t)]) for t in angles]
    near, far = ([_reach(polygon, middle, ray) for ray in rays] for polygon in (hole, cell))
    n = len(angles)
    return [np.array([near[i], far[i], far[(i + 1) % n], near[(i + 1) % n]]) for i in range(n) if ends[i] - angles[i] > 1e-6]


def _reach(polygon: Piece, middle: Floats, ray: Floats) -> Floats:
    """Return the point where a ray from the centre leaves a polygon."""
    best = 0.0
    for a, b in zip(polygon - middle, np.roll(polygon, -1, axis=0) - middle, strict=True):
        side = b - a
        cross = ray[0] * side[1] - ray[1] * side[0]
        if abs(cross) > 1e-15:
            along, share = (a[0] * side[1] - a[1] * side[0]) / cross, (a[0] * ray[1] - a[1] * ray[0]) / cross
            if -1e-9 <= share <= 1 + 1e-9:
                best = max(best, along)
    reached: Floats = middle + best * ray
    return reached
