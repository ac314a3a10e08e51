"""The shadow map: how far the key light reaches, seen from where it comes from."""

from collections.abc import Callable

import moderngl

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.render.shaders import SHADOW_FRAGMENT, SHADOW_VERTEX

MIDDLE: Vector = (0.40, 0.0, 0.25)
RADIUS = 0.78
"""What lies in this ball of the world, m, throws and takes shadows."""

COARSE, FINE = 512, 1024
"""Widths of the map: of pictures with one sample a pixel, and of those with more."""
SOFTNESS = 0.0022
"""How far apart the samples of a fine shadow's edge lie, m."""


class Shadow:
    """A map of `size`² distances, painted anew when something has moved."""

    def __init__(self, context: moderngl.Context, size: int) -> None:
        self._context = context
        self.program = context.program(vertex_shader=SHADOW_VERTEX, fragment_shader=SHADOW_FRAGMENT)
        self._map = context.depth_texture((size, size))
        self._map.compare_func = '<='
        self._map.repeat_x = self._map.repeat_y = False
        self._frame = context.framebuffer(depth_attachment=self._map)
        self._painted = b''

    def paint(self, shade_from_world: bytes, placed: bytes, draw: Callable[[moderngl.Program], None]) -> None:
        """Paint the map, unless it shows what is wanted already.

        Args:
            shade_from_world: the matrix into the map, as the shader takes it.
            placed: stands for the poses of everything.
            draw: paints what throws shadows.
        """
        wanted = shade_from_world + placed
        if wanted == self._painted:
            return
        self.program['shade_from_world'].write(shade_from_world)
        self._frame.use()
        self._frame.clear(depth=1.0)
        # The sides of things that face away from the light, which are dark anyway, throw the shadow: so no lit side throws one on itself.
        draw(self.program)
        self._painted = wanted

    def use(self, program: moderngl.Program) -> None:
        """Let a program look at the map."""
        self._map.use(0)
        program['shadows'] = 0
        if 'blur' in program:
            program['blur'] = SOFTNESS / (2 * RADIUS)

    def forget(self) -> None:
        """Paint anew next time: the scene is another."""
        self._painted = b''

    def release(self) -> None:
        """Free the map."""
        for held in (self._frame, self._map, self.program):
            held.release()
