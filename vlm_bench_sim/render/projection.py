"""Converts a camera to the matrices that OpenGL needs."""

from functools import lru_cache

import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Floats, Pose, Vector


def clip_from_world(camera: Camera, eye: Pose) -> Floats:
    """Return the (4, 4) matrix that projects world points as `camera.intrinsics` says, with the top row of pixels first."""
    span = camera.far - camera.near
    turn = eye.rotation.T
    seen = np.column_stack([turn, -turn @ eye.position])
    clip = np.zeros((4, 4))
    clip[0] = seen[0] * (2 * camera.focal / camera.width)
    clip[1] = seen[1] * (2 * camera.focal / camera.height)
    clip[2] = seen[2] * ((camera.far + camera.near) / span)
    clip[2, 3] -= 2 * camera.far * camera.near / span
    clip[3] = seen[2]
    return clip


@lru_cache(maxsize=64)
def clip_bytes(camera: Camera, eye: Pose) -> bytes:
    """Return `clip_from_world` as bytes for a shader."""
    return bytes(clip_from_world(camera, eye).T.astype(np.float32).tobytes())


def world_rays(camera: Camera, eye: Pose) -> Floats:
    """Return the (3, 3) matrix from clip coordinates (x, y, 1) to viewing rays in the world, of any length."""
    half = camera.height / (2 * camera.focal)
    rays: Floats = eye.rotation * (half * camera.width / camera.height, half, 1.0)
    return rays


def halfway(eye: Pose, key: Floats) -> Floats:
    """Return the unit vector (3,) halfway between the directions to the key light and the viewer, in the world."""
    between: Floats = key - eye.rotation[:, 2]
    return between / max(float(np.linalg.norm(between)), 1e-9)


def shade_from_world(key: Floats, middle: Vector, radius: float) -> Floats:
    """Return the (4, 4) matrix from a ball in the world, m, to the unit cube as seen by the light (3,); z increases away from it."""
    side = np.cross((0.0, 1.0, 0.0), key)
    side /= np.linalg.norm(side)
    turn = np.stack([side, np.cross(key, side), -key])
    matrix = np.eye(4)
    matrix[:3, :3] = turn / (2 * radius)
    matrix[:3, 3] = 0.5 - turn @ np.asarray(middle) / (2 * radius)
    return matrix
