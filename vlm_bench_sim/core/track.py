"""A path of poses with queries for the places on it."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil

import numpy as np

from vlm_bench_sim.core.algebra import dot
from vlm_bench_sim.core.geometry import Floats, Pose, interpolated

_EVEN_TURN = 0.1


@dataclass(frozen=True)
class Track:
    """Poses joined by straight lines on which the tool turns evenly. A place on the track is a pose index in 0…len - 1, with fractions."""

    poses: tuple[Pose, ...]

    @classmethod
    def through(cls, path: tuple[Pose, ...]) -> 'Track':
        """Return the track through a path, with poses inserted where it turns a lot."""
        poses = [path[0]]
        for a, b in pairwise(path):
            count = max(1, ceil(a.angle(b) / _EVEN_TURN))
            poses += [interpolated(a, b, (i + 1) / count) for i in range(count)]
        return cls(tuple(poses))

    @property
    def end(self) -> float:
        """The last place."""
        return float(len(self.poses) - 1)

    def at(self, place: float) -> Pose:
        """Return the pose at a place."""
        i = min(int(place), len(self.poses) - 2)
        return interpolated(self.poses[i], self.poses[i + 1], place - i)

    def nearest(self, pose: Pose, lever: float) -> float:
        """Return the place nearest to a pose; a turn of 1 rad counts as `lever` m."""
        start, along = self._segments[:, 0], self._segments[:, 1]
        weights = np.array([1.0, 1.0, 1.0, *(2 * lever,) * 4])
        best, least = 0.0, np.inf
        for sign in (1.0, -1.0):
            asked = np.array([*pose.position, *(sign * v for v in pose.orientation)])
            offset, step = (asked - start) * weights, along * weights
            length = np.einsum('ij,ij->i', step, step)
            shares = np.clip(np.einsum('ij,ij->i', offset, step) / np.maximum(length, 1e-18), 0.0, 1.0)
            off = np.linalg.norm(offset - shares[:, None] * step, axis=1)
            i = int(off.argmin())
            if off[i] < least:
                best, least = i + float(shares[i]), float(off[i])
        return best

    @cached_property
    def _segments(self) -> Floats:
        # (n - 1, 2, 7): starts and ways to the next pose. Turns are so small that the quaternion difference is half the turn.
        rows = [np.array([*pose.position, *pose.orientation]) for pose in self.poses]
        for i in range(1, len(rows)):
            rows[i][3:] *= 1.0 if dot(rows[i - 1][3:], rows[i][3:]) >= 0 else -1.0
        points = np.array(rows)
        return np.stack([points[:-1], np.diff(points, axis=0)], axis=1)
