"""Poses of props from an object tracker, and the velocities computed from them. Independent of ROS."""

from collections import deque
from dataclasses import dataclass
from math import atan2, isfinite

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import ZERO, Pose, vector
from vlm_bench_sim.core.hidden import lost
from vlm_bench_sim.core.snapshot import Body

BASELINE_NS = 500_000_000
"""Time over which velocities are computed if a tracker errs: between two poses at 30 Hz, a jitter of 0.2 mm would look like 6 mm/s."""


HIDDEN_NS = 200_000_000
"""Time by which a pose may be older than a tracker's least delay, ns, before the thing counts as out of sight."""


@dataclass(frozen=True)
class Accuracy:
    """Standard deviations of a tracker's errors.

    Raises:
        ConfigError: one is negative or not a number.

    Attributes:
        position: of each coordinate, m.
        angle: of the rotation about each axis, rad.
    """

    position: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        for size in (self.position, self.angle):
            if not (isfinite(size) and size >= 0.0):
                raise ConfigError(f'The accuracy of a tracker is a number of m or rad from 0; found {size}. Give one such as 0.001.')

    @property
    def exact(self) -> bool:
        """True if the tracker does not err."""
        return not (self.position or self.angle)


EXACT = Accuracy()


class PoseTracker:
    """The recent poses of each prop.

    Args:
        patience_ns: time without a new pose after which a prop counts as out of sight.
        accuracy: of the tracker; the velocities of an exact one come from its last two poses.
    """

    def __init__(self, patience_ns: int, accuracy: Accuracy = EXACT) -> None:
        self._patience_ns = patience_ns
        self._baseline_ns = 0 if accuracy.exact else BASELINE_NS
        self._seen: dict[str, deque[tuple[int, Pose]]] = {}
        self._delay_ns: int | None = None

    def see(self, name: str, pose: Pose, ns: int) -> None:
        """Add a world pose at a time, ns. A pose that is not newer than the last is ignored."""
        seen = self._seen.setdefault(name, deque())
        if seen and ns <= seen[-1][0]:
            return
        seen.append((ns, pose))
        while len(seen) > 2 and seen[1][0] <= ns - max(1, self._baseline_ns):
            seen.popleft()

    def newest(self, ns: int) -> int:
        """Return the time of the newest pose, ns; at most the given one, which also stands where nothing is in sight."""
        seen = [seen[-1][0] for seen in self._seen.values() if ns - seen[-1][0] <= self._patience_ns]
        return min(ns, max(seen, default=ns))

    def bodies(self, ns: int) -> dict[str, Body]:
        """Return the props at a time, ns. One that has just been lost from sight stays where it was, and its velocity is unknown."""
        ages = {name: ns - seen[-1][0] for name, seen in self._seen.items() if ns - seen[-1][0] <= self._patience_ns}
        if ages:
            least = min(ages.values())
            self._delay_ns = least if self._delay_ns is None else min(self._delay_ns, least)
        fresh = HIDDEN_NS + (self._delay_ns or 0)
        return {name: lost(self._seen[name][-1][1]) if age > fresh else _body(self._seen[name]) for name, age in ages.items()}


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
