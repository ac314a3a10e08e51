"""The way of a prop that is pushed along the table: straight, or by turning points around what stands there."""

from collections.abc import Iterator
from math import cos, radians, sin

import numpy as np
from scipy.sparse.csgraph import shortest_path

from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene, footprint
from vlm_bench_sim.core.snapshot import Snapshot

BESIDE = 0.005
"""Least distance between circles around a pushed prop and around what it passes, m."""

TURN = 0.10
"""What each stretch of a way costs besides its length, m: the hand must go around the prop."""

MOST = 24
"""Greatest number of ways that are tried."""

_RING = np.array([(r * cos(radians(a)), r * sin(radians(a))) for r in (0.38, 0.46, 0.54, 0.60) for a in range(-60, 61, 10)])
"""Turning points where an arm pushes from any side, (n, 2) m."""


def detours(prop: Prop, here: Floats, there: Floats, now: Snapshot, scene: Scene) -> Iterator[tuple[Floats, Floats]]:
    """Yield the first two stretches, (2,) m each, of free ways of a prop from one place to another, the shortest way first.

    The second one is zero where the first leads there.
    """
    others = [other for other in scene.now(now) if other.name != prop.name and not other.ghost]
    points = np.array([here, there, *_RING])
    legs = np.linalg.norm(points[:, None] - points[None], axis=2) + TURN
    for other in others:
        legs[_passes(points, np.asarray(other.pose.position[:2]), footprint(prop) + footprint(other) + BESIDE)] = np.inf
    rest, after = shortest_path(legs, directed=True, indices=1, return_predecessors=True)
    rest[1] = 0.0
    whole = np.round(legs[0] + rest, 6)
    for i in np.argsort(whole, kind='stable')[:MOST]:
        if i > 0 and np.isfinite(whole[i]):
            yield points[i] - here, points[after[i] if i > 1 else 1] - points[i]


def _passes(points: Floats, other: Floats, room: float) -> np.ndarray:
    """Return (n, n): whether a thing's middle is nearer than `room` to the way between two points; it may lead away from a near one."""
    way = points[None] - points[:, None]
    away = other - points
    far = np.maximum(np.linalg.norm(way, axis=2), 1e-9)
    along = np.clip((away[:, None] * way).sum(axis=2) / far, 0.0, far)
    apart = np.linalg.norm(away[:, None] - (along / far)[..., None] * way, axis=2)
    passes: np.ndarray = apart < np.minimum(room, np.linalg.norm(away, axis=1))[:, None] - 1e-9
    return passes
