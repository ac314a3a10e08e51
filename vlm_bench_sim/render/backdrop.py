"""The room in the background: floor below, wall above, at the far plane."""

import moderngl
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.render.projection import world_rays
from vlm_bench_sim.render.shaders import BACKDROP_FRAGMENT, BACKDROP_VERTEX

_GRID = 8
_FARTHEST = 0.999999


class Backdrop:
    """Fills the empty part of a picture; its depth and its id are 0."""

    def __init__(self, context: moderngl.Context) -> None:
        self._program = context.program(vertex_shader=BACKDROP_VERTEX, fragment_shader=BACKDROP_FRAGMENT)
        corners, faces = _grid()
        self._corners, self._faces = context.buffer(corners.tobytes()), context.buffer(faces.tobytes())
        self._array = context.vertex_array(self._program, [(self._corners, '3f4', 'position')], index_buffer=self._faces)

    def draw(self, camera: Camera, eye: Pose) -> None:
        """Draw the room behind a camera's view, with the optical frame at `eye` in the world, into the current framebuffer."""
        self._program['world_rays'].write(world_rays(camera, eye).T.astype(np.float32).tobytes())
        self._array.render()

    def release(self) -> None:
        """Free everything."""
        for held in (self._array, self._corners, self._faces, self._program):
            held.release()


def _grid() -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return vertices and faces of a grid over the whole picture at the far plane, in clip coordinates."""
    ticks = np.linspace(-1, 1, _GRID + 1)
    x, y = (v.ravel() for v in np.meshgrid(ticks, ticks))
    a = np.arange(_GRID * (_GRID + 1)).reshape(_GRID, _GRID + 1)[:, :-1].ravel()
    b = a + _GRID + 1
    faces = np.concatenate([np.column_stack([a, b, a + 1]), np.column_stack([a + 1, b, b + 1])]).astype(np.int32)
    return np.column_stack([x, y, np.full_like(x, _FARTHEST)]).astype(np.float32), faces
