"""Rotation vectors: axis times angle, rad."""

from math import atan2, cos, sin

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.geometry import Floats, Pose, Quaternion, Vector


def rotation_vector(pose: Pose) -> Vector:
    """Return a pose's orientation as axis times angle, rad, with an angle of at most π."""
    return _vector(pose.orientation, 3)


def steady_vector(pose: Pose) -> Vector:
    """Return a pose's orientation as axis times angle, rad, with an angle of at most 2π and x ≥ 0.

    A tool that points straight down has (π, 0, 0). Nearby orientations have nearby vectors, which angles of at most π do not ensure.
    """
    return _vector(pose.orientation, 0)


def _vector(quaternion: Quaternion, positive: int) -> Vector:
    """Return the rotation vector of the quaternion, negated if its component of index `positive` is negative."""
    x, y, z, w = quaternion if quaternion[positive] >= 0.0 else tuple(-v for v in quaternion)
    length = norm((x, y, z))
    share = 2.0 * atan2(length, w) / length if length > 1e-12 else 2.0
    return (share * x, share * y, share * z)


def turned(by: Floats) -> Quaternion:
    """Return the quaternion, xyzw, of a rotation vector, (3,) rad."""
    angle = norm(by)
    share = sin(angle / 2) / angle if angle > 1e-12 else 0.5
    x, y, z = (share * by).tolist()
    return (x, y, z, cos(angle / 2))
