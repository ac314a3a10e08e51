"""Outlines of props seen from above, as convex polygons in the plane of the table."""

from functools import lru_cache

import numpy as np

from vlm_bench_sim.core.algebra import dot, matmul
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import sized

Polygon = Floats
"""(n, 2) m, the corners of a convex polygon in the world's plane, counter-clockwise."""


def outline(prop: Prop, pose: Pose) -> Polygon:
    """Return the convex outline of a prop at a pose, seen from above. It is cached and therefore read-only."""
    return _outline(prop.kind, prop.size, pose)


@lru_cache(maxsize=256)
def _outline(kind: str, size: Vector, pose: Pose) -> Polygon:
    polygon = hull(pose.apply(sized(kind, size).vertices)[:, :2])
    polygon.setflags(write=False)
    return polygon


def hull(points: Floats) -> Polygon:
    """Return the convex hull of (n, 2) points."""
    ordered = [tuple(point) for point in np.unique(np.round(points, 9), axis=0).tolist()]
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def rectangle(size: tuple[float, float], pose: Pose) -> Polygon:
    """Return the outline of a rectangle with the given extents along the pose's x and y, m."""
    half = [(x * size[0] / 2, y * size[1] / 2, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return hull(pose.apply(half)[:, :2])


def inward(polygon: Polygon, point: Floats) -> float:
    """Return how far a point is inside a polygon, m. A negative value is a lower bound of the distance outside."""
    along = _turned(polygon) - polygon
    normals = np.column_stack([-along[:, 1], along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    depth = float(np.einsum('ij,ij->i', normals, point - polygon).min())
    if depth >= 0:
        return depth
    share = np.clip(np.einsum('ij,ij->i', point - polygon, along) / np.einsum('ij,ij->i', along, along), 0.0, 1.0)
    return -float(np.linalg.norm(polygon + share[:, None] * along - point, axis=1).min())


def area(polygon: Polygon) -> float:
    """Return a polygon's area, m²; 0 for fewer than three corners."""
    if len(polygon) < 3:
        return 0.0
    x, y = polygon.T
    return (dot(x, _turned(y)) - dot(y, _turned(x))) / 2


def diameter(polygon: Polygon) -> float:
    """Return the greatest distance between two corners, m."""
    return float(np.linalg.norm(polygon[:, None] - polygon[None], axis=2).max())


def centroid(polygon: Polygon) -> Floats:
    """Return the centroid of a polygon, (2,) m."""
    x, y = polygon.T
    cross = x * _turned(y) - _turned(x) * y
    middle: Floats = matmul((polygon + _turned(polygon)).T, cross) / (3 * cross.sum())
    return middle


def shared(a: Polygon, b: Polygon) -> float:
    """Return the share of a's area that lies over b, 0…1."""
    common = a
    for start, end in zip(b, _turned(b), strict=True):
        common = _clipped(common, start, end)
        if len(common) < 3:
            return 0.0
    return area(common) / area(a)


def gap(a: Polygon, b: Polygon) -> float:
    """Return the distance between two polygons, m; 0 if they overlap."""
    if shared(a, b) > 0.0:
        return 0.0
    return max(0.0, -max(inward(edges, point) for edges, points in ((a, b), (b, a)) for point in points))


def _turned(values: Floats) -> Floats:
    """Return the values with the first moved to the end, as `np.roll` does, in a fifth of the time."""
    return np.concatenate((values[1:], values[:1]))


def _chain(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return the half of a convex hull that turns left along the ordered points."""
    kept: list[tuple[float, ...]] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return kept


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _clipped(polygon: Polygon, start: Floats, end: Floats) -> Polygon:
    """Return the part of a polygon on the left of a line."""
    (dx, dy), kept = end - start, []
    sides = dx * (polygon[:, 1] - start[1]) - dy * (polygon[:, 0] - start[0])
    for a, b, here, there in zip(polygon, _turned(polygon), sides, _turned(sides), strict=True):
        if here >= 0:
            kept.append(a)
        if here * there < 0:
            kept.append(a + (b - a) * here / (here - there))
    return np.array(kept)
