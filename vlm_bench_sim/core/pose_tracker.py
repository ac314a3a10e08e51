"""Poses of props from an object tracker, and the velocities computed from them. Independent of ROS."""

from collections import deque
from math import atan2

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.geometry import ZERO, Pose, vector
from vlm_bench_sim.core.snapshot import Body

BASELINE_NS = 500_000_000
"""Time over which velocities are computed: between two poses at 30 Hz, a jitter of 0.2 mm would look like 6 mm/s."""


class PoseTracker:
    """The recent poses of each prop.

    Args:
        patience_ns: time without a new pose after which a prop counts as out of sight.
    """

    def __init__(self, patience_ns: int) -> None:
        self._patience_ns = patience_ns
        self._seen: dict[str, deque[tuple[int, Pose]]] = {}

    def see(self, name: str, pose: Pose, ns: int) -> None:
        """Add a world pose at a time, ns. A pose that is not newer than the last is ignored."""
        seen = self._seen.setdefault(name, deque())
        if seen and ns <= seen[-1][0]:
            return
        seen.append((ns, pose))
        while len(seen) > 2 and seen[1][0] <= ns - BASELINE_NS:
            seen.popleft()

    def bodies(self, ns: int) -> dict[str, Body]:
        """Return the props in sight at a time, ns."""
        return {name: _body(seen) for name, seen in self._seen.items() if ns - seen[-1][0] <= self._patience_ns}


def _body(seen: deque[tuple[int, Pose]]) -> Body:
    (before, start), (now, pose) = seen[0], seen[-1]
    if now == before:
        return Body(pose)
    seconds = (now - before) * 1e-9
    linear = np.subtract(pose.position, start.position) / seconds
    *imaginary, real = (Pose(ZERO, pose.orientation) @ Pose(ZERO, start.orientation).inverse()).orientation
    axis = np.asarray(imaginary) * (1.0 if real >= 0.0 else -1.0)
    sine = norm(axis)
    angular = axis * (2.0 * atan2(sine, abs(real)) / sine / seconds) if sine > 0.0 else axis
    return Body(pose, vector(linear), vector(angular))
