"""Rigid poses in metres and radians. Quaternions are xyzw, the order of ROS and PyBullet.

transforms3d orders quaternions wxyz. Only this module converts between the two.

This module avoids BLAS, whose order of summation depends on the processor. Anything that decides a state must be equal on all machines.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import acos, atan2, dist, hypot, isfinite, sin, sqrt

import numpy as np
from numpy.typing import ArrayLike
from transforms3d import euler

from vlm_bench_sim.core.algebra import Floats as Floats
from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import CommandError

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

ZERO: Vector = (0.0, 0.0, 0.0)
UNROTATED: Quaternion = (0.0, 0.0, 0.0, 1.0)
_NO_LENGTH = float(np.finfo(float).eps)  # smallest squared length of a valid quaternion


def vector(values: ArrayLike) -> Vector:
    """Return three numbers as a tuple of floats."""
    x, y, z = np.asarray(values, dtype=float).tolist()
    return (x, y, z)


@serialisable
@dataclass(frozen=True)
class Pose:
    """A rigid transform: the pose of a frame in its parent frame.

    Attributes:
        position: (3,) m.
        orientation: unit quaternion, xyzw.
    """

    position: Vector = ZERO
    orientation: Quaternion = UNROTATED

    @classmethod
    def of(cls, position: Sequence[float], orientation: Sequence[float] = UNROTATED) -> 'Pose':
        """Return a pose with a normalised quaternion.

        Raises:
            CommandError: a number is not finite, or the quaternion is zero.
        """
        numbers = [float(v) for v in (*position, *orientation)]
        if len(numbers) != 7 or not all(isfinite(v) for v in numbers):
            raise CommandError(f'A pose needs 3 + 4 finite numbers; found {numbers}. Check the sender for NaN.')
        norm = sqrt(sum(v * v for v in numbers[3:]))
        if norm < 1e-6:
            raise CommandError(f'A pose needs a quaternion other than zero; found {numbers[3:]}. Send (0, 0, 0, 1) for no rotation.')
        if abs(norm - 1.0) > 1e-12:
            numbers[3:] = [v / norm for v in numbers[3:]]
        x, y, z, qx, qy, qz, qw = numbers
        return cls((x, y, z), (qx, qy, qz, qw))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> 'Pose':
        """Return the pose of a (4, 4) homogeneous matrix."""
        m = np.asarray(matrix, dtype=float)
        return cls(vector(m[:3, 3]), _quaternion(m[:3, :3].tolist()))

    @classmethod
    def from_rpy(cls, position: Sequence[float], rpy: Sequence[float]) -> 'Pose':
        """Return the pose with fixed-axis roll, pitch and yaw in rad (the URDF convention)."""
        w, x, y, z = euler.euler2quat(*rpy, axes='sxyz')
        return cls(vector(position), (float(x), float(y), float(z), float(w)))

    @classmethod
    def look_at(cls, eye: Sequence[float], target: Sequence[float], up: Sequence[float] = (0.0, 0.0, 1.0)) -> 'Pose':
        """Return the pose of an optical frame (x right, y down, z forward) at `eye`, looking at `target`."""
        forward = np.asarray(target, dtype=float) - np.asarray(eye, dtype=float)
        forward /= norm(forward)
        right = np.cross(forward, np.asarray(up, dtype=float))
        right /= norm(right)
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([right, np.cross(forward, right), forward])
        matrix[:3, 3] = eye
        return cls.from_matrix(matrix)

    @cached_property
    def rotation(self) -> Floats:
        """(3, 3) rotation matrix."""
        return np.array(self._rows, dtype=float)

    @cached_property
    def _rows(self) -> tuple[Vector, Vector, Vector]:
        """The rows of the rotation matrix."""
        x, y, z, w = self.orientation
        # Computed by hand with the same bits as transforms3d: each observation of the world needs dozens of these.
        norm = w * w + x * x + y * y + z * z
        if norm < _NO_LENGTH:
            return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
        double = 2.0 / norm
        xx, yy, zz = x * double, y * double, z * double
        wx, wy, wz, x_x, x_y, x_z, y_y, y_z, z_z = w * xx, w * yy, w * zz, x * xx, x * yy, x * zz, y * yy, y * zz, z * zz
        return (1.0 - (y_y + z_z), x_y - wz, x_z + wy), (x_y + wz, 1.0 - (x_x + z_z), y_z - wx), (x_z - wy, y_z + wx, 1.0 - (x_x + y_y))

    @property
    def matrix(self) -> Floats:
        """(4, 4) homogeneous matrix."""
        m = np.eye(4)
        m[:3, :3] = self.rotation
        m[:3, 3] = self.position
        return m

    @property
    def rpy(self) -> Vector:
        """Fixed-axis roll, pitch and yaw, rad (the URDF convention)."""
        return vector(euler.mat2euler(self.rotation, axes='sxyz'))

    @property
    def yaw(self) -> float:
        """Rotation about the parent's z, rad."""
        return atan2(self._rows[1][0], self._rows[0][0])

    def __matmul__(self, other: 'Pose') -> 'Pose':
        """Return the pose in this frame's parent of `other`, which is given in this frame."""
        x, y, z, w = self.orientation
        a, b, c, d = other.orientation
        # Computed by hand: poses are composed thousands of times a second, and a four-element array costs more than its arithmetic.
        spun = (
            float(w * a + x * d + y * c - z * b),
            float(w * b + y * d + z * a - x * c),
            float(w * c + z * d + x * b - y * a),
            float(w * d - x * a - y * b - z * c),
        )
        (px, py, pz), (i, j, k) = self.position, other.position
        at = [p + (r * i + s * j + t * k) for p, (r, s, t) in zip((px, py, pz), self._rows, strict=True)]
        return Pose((float(at[0]), float(at[1]), float(at[2])), spun)

    def inverse(self) -> 'Pose':
        """Return the inverse: the pose of the parent in this frame."""
        x, y, z, w = self.orientation
        i, j, k = self.position
        at = [-(r * i + s * j + t * k) for r, s, t in zip(*self._rows, strict=True)]
        return Pose((float(at[0]), float(at[1]), float(at[2])), (-x, -y, -z, w))

    def apply(self, points: ArrayLike) -> Floats:
        """Transform (n, 3) points, m, from this frame to its parent."""
        moved: Floats = turned(self.rotation, points) + np.asarray(self.position)
        return moved

    def shifted(self, offset: Sequence[float]) -> 'Pose':
        """Return this pose moved by `offset` (3,) m, along the parent's axes."""
        return Pose(vector(np.asarray(self.position) + np.asarray(offset)), self.orientation)

    def distance(self, other: 'Pose') -> float:
        """Return the distance between the two origins, m."""
        return dist(self.position, other.position)

    def angle(self, other: 'Pose') -> float:
        """Return the angle of the rotation from this pose to the other, rad in 0…π."""
        # Near zero the imaginary part of the quaternion is precise, the real part alone is not.
        x, y, z, w = (Pose(ZERO, self.orientation).inverse() @ Pose(ZERO, other.orientation)).orientation
        return 2.0 * atan2(hypot(x, y, z), abs(w))


def _quaternion(m: list[list[float]]) -> Quaternion:
    """Return the unit quaternion, real part ≥ 0, of a rotation matrix's rows. transforms3d's version uses LAPACK."""
    diagonal = (m[0][0], m[1][1], m[2][2])
    i = max(range(3), key=diagonal.__getitem__)
    j, k = (i + 1) % 3, (i + 2) % 3
    trace = diagonal[0] + diagonal[1] + diagonal[2]
    found = [0.0] * 4
    if trace >= diagonal[i]:  # divide by the greatest of the four
        found = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace]
    else:
        found[i], found[3] = 1.0 + diagonal[i] - diagonal[j] - diagonal[k], m[k][j] - m[j][k]
        found[j], found[k] = m[j][i] + m[i][j], m[k][i] + m[i][k]
    sign = -1.0 if found[3] < 0 else 1.0
    length = norm(found)
    x, y, z, w = (sign * value / length for value in found)
    return (x, y, z, w)


def turned(rotation: Floats, points: ArrayLike) -> Floats:
    """Return (n, 3) points or axes rotated by a (3, 3) matrix."""
    moved: Floats = np.einsum('ij,kj->ik', np.asarray(points, dtype=float), rotation)
    return moved


def interpolated(a: Pose, b: Pose, share: float) -> Pose:
    """Return the pose at `share` (0…1) between `a` and `b`: position on the line, orientation on the great arc (slerp)."""
    cosine = sum(p * q for p, q in zip(a.orientation, b.orientation, strict=True))
    angle = acos(min(1.0, abs(cosine)))
    near, far = (1 - share, share) if angle < 1e-6 else (sin((1 - share) * angle) / sin(angle), sin(share * angle) / sin(angle))
    far = -far if cosine < 0 else far
    mixed = [near * p + far * q for p, q in zip(a.orientation, b.orientation, strict=True)]
    return Pose.of([(1 - share) * p + share * q for p, q in zip(a.position, b.position, strict=True)], mixed)


@serialisable
@dataclass(frozen=True)
class Box:
    """An axis-aligned box in some frame: `centre` and full `size`, (3,) m each."""

    centre: Vector
    size: Vector

    @property
    def low(self) -> Floats:
        """(3,) corner with the smallest coordinates, m."""
        return np.asarray(self.centre) - np.asarray(self.size) / 2

    @property
    def high(self) -> Floats:
        """(3,) corner with the greatest coordinates, m."""
        return np.asarray(self.centre) + np.asarray(self.size) / 2
