"""Sample joint trajectories like a joint trajectory controller: cubic if velocities are given, linear if not."""

from bisect import bisect_left
from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.command import Chunk, Point, check_points
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.timing import PERIOD_NS


class Trajectory:
    """A running trajectory: the commanded state of the arm at each time.

    Args:
        start: positions (rad) and velocities (rad/s) commanded when it begins.
        points: points of the chunk; a first point at 0 ns replaces the start.
    """

    def __init__(self, start: tuple[Floats, Floats], points: tuple[Point, ...]) -> None:
        first = Point(0, tuple(map(float, start[0])), tuple(map(float, start[1])))
        self._points = points if points[0].time_ns == 0 else (first, *points)
        self._times = [point.time_ns for point in self._points]
        self._part: tuple[int, list[tuple[Floats, Floats]]] = (0, [])

    @property
    def end_ns(self) -> int:
        """Time of the last point, ns since the start."""
        return self._times[-1]

    @property
    def goal(self) -> Floats:
        """Positions of the last point, rad."""
        return np.asarray(self._points[-1].positions)

    def sample(self, time_ns: int) -> tuple[Floats, Floats]:
        """Return the commanded positions (rad) and velocities (rad/s) at a time since the start.

        A trajectory without velocities ends with the velocity of its last segment, so that another one can continue without a halt.
        """
        if time_ns > self.end_ns or len(self._points) == 1:
            return self.goal, np.zeros(len(self.goal))
        after = max(1, bisect_left(self._times, time_ns))
        a, b = self._points[after - 1], self._points[after]
        span = (b.time_ns - a.time_ns) * 1e-9
        s = (time_ns - a.time_ns) * 1e-9 / span
        (p, u), (q, w) = self._ends(after)
        if not (a.velocities and b.velocities):
            return (q if s == 1.0 else p + (q - p) * s), (q - p) / span
        return _hermite(s, span, (p, u), (q, w))

    def _ends(self, after: int) -> list[tuple[Floats, Floats]]:
        """Return positions and velocities of the points before and after. Cached: every physics step asks, but the points seldom change."""
        if self._part[0] != after:
            ends = self._points[after - 1 : after + 1]
            self._part = (after, [(np.asarray(point.positions), np.asarray(point.velocities)) for point in ends])
        return self._part[1]


def begun(points: tuple[Point, ...], delay_ns: int) -> tuple[Point, ...]:
    """Return the points of a trajectory that begins `delay_ns` from now, with times from now.

    A negative delay means that it has already begun: past points are left out, and the rest begins at the trajectory's present state.
    """
    left = tuple(replace(point, time_ns=point.time_ns + delay_ns) for point in points if point.time_ns + delay_ns >= 0)
    if len(left) == len(points) or left[0].time_ns == 0:
        return left
    before, after = points[-len(left) - 1], left[0]
    position, velocity = Trajectory((np.asarray(before.positions), np.zeros(len(before.positions))), points).sample(-delay_ns)
    velocities = tuple(velocity.tolist()) if before.velocities and after.velocities else ()
    return (Point(0, tuple(position.tolist()), velocities), *left)


def _hermite(s: float, span: float, a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    (p, u), (q, w) = a, b
    s2, s3 = s * s, s * s * s
    position = (2 * s3 - 3 * s2 + 1) * p + (s3 - 2 * s2 + s) * span * u + (3 * s2 - 2 * s3) * q + (s3 - s2) * span * w
    velocity = (6 * s2 - 6 * s) / span * (p - q) + (3 * s2 - 4 * s + 1) * u + (3 * s2 - 2 * s) * w
    return position, velocity


def direct(start: Floats, goal: tuple[float, ...], velocity: tuple[float, ...]) -> Chunk:
    """Return the shortest chunk from `start` to `goal` (rad) within the velocity limits (rad/s); it lasts a whole number of periods.

    Raises:
        CommandError: the goal has a wrong number of joints, or a number that is not finite.
    """
    check_points((Point(PERIOD_NS, goal),), len(velocity))
    fastest = float(np.max(np.abs(np.asarray(goal) - start) / np.asarray(velocity)))
    periods = max(1, -int(-fastest * 1e9 // PERIOD_NS))
    return Chunk((Point(periods * PERIOD_NS, goal),))
