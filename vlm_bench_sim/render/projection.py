"""From a camera to what OpenGL asks for."""

from functools import cache

import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.render.mesh import Mesh
from vlm_bench_sim.render.shaders import KEY

_KEY = np.asarray(KEY) / np.linalg.norm(KEY)
_GRID = 8
_FARTHEST = 0.999999


def clip_from_world(camera: Camera, eye: Pose) -> Floats:
    """Return the (4, 4) matrix that puts world points where `camera.intrinsics` says, with the top row of pixels first."""
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


def world_rays(camera: Camera, eye: Pose) -> Floats:
    """Return the (3, 3) matrix that turns clip coordinates (x, y, 1) into the ray of sight there, in the world, of any length."""
    half = camera.height / (2 * camera.focal)
    rays: Floats = eye.rotation * (half * camera.width / camera.height, half, 1.0)
    return rays


def halfway(eye: Pose) -> Floats:
    """Return the unit vector (3,) between the key light and the viewer, in the world."""
    between: Floats = _KEY - eye.rotation[:, 2]
    return between / max(float(np.linalg.norm(between)), 1e-9)


@cache
def backdrop() -> Mesh:
    """Return a grid over the whole picture at its far end, in clip coordinates; its normals are (x, y, 1), which become rays of sight."""
    ticks = np.linspace(-1, 1, _GRID + 1)
    x, y = (v.ravel() for v in np.meshgrid(ticks, ticks))
    a = np.arange(_GRID * (_GRID + 1)).reshape(_GRID, _GRID + 1)[:, :-1].ravel()
    b = a + _GRID + 1
    faces = np.concatenate([np.column_stack([a, b, a + 1]), np.column_stack([a + 1, b, b + 1])]).astype(np.int32)
    corners = np.column_stack([x, y, np.full_like(x, _FARTHEST)])
    return Mesh(corners, np.column_stack([x, y, np.ones_like(x)]), np.zeros((len(x), 3), np.uint8), faces)
