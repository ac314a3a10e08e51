"""Finds the faces of a mesh that are visible from outside: CAD models contain many that never are."""

import moderngl
import numpy as np
import trimesh
from numpy.typing import NDArray

from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.render.context import open_context
from vlm_bench_sim.render.mesh import Indices

_PIXELS = 400
_VERTEX = '#version 330 core\nuniform mat4 view; in vec3 position; void main() { gl_Position = view * vec4(position, 1.0); }'
_FRAGMENT = '#version 330 core\nlayout(location = 0) out uint face; void main() { face = uint(gl_PrimitiveID) + 1u; }'


def visible(vertices: Floats, faces: Indices) -> NDArray[np.bool_]:
    """Return (m,) whether each face is visible from some direction, or next to a visible one, which prevents cracks.

    Raises:
        WorldError: EGL is missing.
    """
    context = open_context()
    with context:
        seen = _painted(context, vertices, faces)
    context.release()
    _, welded = np.unique(np.round(vertices, 6), axis=0, return_inverse=True)
    corners = welded.reshape(-1)[faces]
    touched = np.zeros(len(vertices), dtype=bool)
    touched[corners[seen]] = True
    return np.asarray(touched[corners].any(axis=1), dtype=np.bool_)


def _painted(context: moderngl.Context, vertices: Floats, faces: Indices) -> NDArray[np.bool_]:
    """Return which faces win at least one pixel in parallel views from all directions."""
    size = (_PIXELS, _PIXELS)
    program = context.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
    corners = context.buffer(vertices.astype(np.float32).tobytes())
    index = context.buffer(faces.astype(np.int32).tobytes())
    array = context.vertex_array(program, [(corners, '3f4', 'position')], index_buffer=index)
    frame = context.framebuffer([context.texture(size, 1, dtype='u4')], context.depth_renderbuffer(size))
    context.enable_only(context.DEPTH_TEST)
    frame.use()
    seen = np.zeros(len(faces) + 1, dtype=bool)
    for direction in trimesh.creation.icosphere(subdivisions=1).vertices:
        program['view'].write(_view(vertices, np.asarray(direction)).T.astype(np.float32).tobytes())
        frame.clear()
        array.render()
        seen[np.frombuffer(frame.read(components=1, dtype='u4'), np.uint32)] = True
    return seen[1:]


def _view(vertices: Floats, direction: Floats) -> Floats:
    """Return the (4, 4) matrix that fits all vertices into clip space, viewed along `direction`."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    right = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
    right /= np.linalg.norm(right)
    view = np.eye(4)
    view[:3, :3] = np.stack([right, np.cross(direction, right), direction]) * 2 / np.linalg.norm(high - low)
    view[:3, 3] = -view[:3, :3] @ (low + high) / 2
    return view
