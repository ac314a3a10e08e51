"""Orientations of the tool as an approach direction and an angle about it, which a parallel hand repeats after half a turn."""

from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from vlm_bench_sim.core.algebra import matmul, norm
from vlm_bench_sim.core.geometry import Floats, Pose

DOWN = np.array([0.0, 0.0, -1.0])
_TURNED_OVER = np.diag([1.0, -1.0, -1.0])  # the tool's z axis points where it approaches: a tool with yaw 0 that points down


def approach_and_yaw(pose: Pose) -> tuple[Floats, float]:
    """Return the unit vector along which the tool approaches, and its angle about it, rad, from -π/2 to π/2.

    The angle is 0 for a tool that points straight down with its x axis along the world's. Half a turn about the approach direction is left
    out, since it exchanges the fingers.
    """
    approach = pose.rotation[:, 2]
    flat = matmul(matmul(_tilt(approach).T, pose.rotation), _TURNED_OVER)
    return approach, half_turned(atan2(flat[1, 0], flat[0, 0]))


def orientation(approach: ArrayLike, yaw: float) -> Pose:
    """Return the rotation of a tool with this approach direction and angle, at the origin."""
    direction = np.asarray(approach, float)
    turn = np.array([[cos(yaw), -sin(yaw), 0.0], [sin(yaw), cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    rows = np.eye(4)
    rows[:3, :3] = matmul(matmul(_tilt(direction / norm(direction)), turn), _TURNED_OVER)
    return Pose.from_matrix(rows)


def half_turned(yaw: float) -> float:
    """Return an angle plus or minus half turns, from -π/2 to below π/2."""
    return (yaw + pi / 2) % pi - pi / 2


def _tilt(approach: Floats) -> Floats:
    """Return the smallest rotation that turns a tool from pointing straight down to an approach direction, (3, 3)."""
    axis = np.cross(DOWN, approach)
    cosine = float(-approach[2])
    if cosine < -1.0 + 1e-9:  # straight up: any half turn
        return np.diag([1.0, -1.0, -1.0])
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    turned: Floats = np.eye(3) + cross + matmul(cross, cross) / (1.0 + cosine)
    return turned
