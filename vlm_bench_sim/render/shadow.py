"""The shadow map: how far the key light reaches, seen from where it comes from."""

import moderngl

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.render.batch import Batch, Part
from vlm_bench_sim.render.shaders import SHADOW_FRAGMENT, SHADOW_VERTEX

MIDDLE: Vector = (0.40, 0.0, 0.25)
RADIUS = 0.78
"""What lies in this ball of the world, m, throws and takes shadows."""

ROOM_MIDDLE: Vector = (0.45, 0.0, 0.2)
ROOM_RADIUS = 3.4
"""The same for a room, in a coarser map of its own."""

COARSE, FINE = 512, 1024
"""Widths of the map: of pictures with one sample a pixel, and of those with more."""
SOFTNESS = 0.0022
"""How far apart the samples of a fine shadow's edge lie, m."""


class Shadow:
    """A map of `size`² distances, painted anew when something has moved; what stands is painted once, and each map goes on from there."""

    def __init__(self, context: moderngl.Context, size: int) -> None:
        self._context = context
        self.program = context.program(vertex_shader=SHADOW_VERTEX, fragment_shader=SHADOW_FRAGMENT)
        self._map, self._ground = _Map(context, size), _Map(context, size)

    def paint(self, shade_from_world: bytes, batch: Batch) -> None:
        """Paint the map, unless it shows where everything is already; the matrix into it is given as the shader takes it."""
        standing = shade_from_world + batch.placed(Part.STANDING)
        wanted = standing + batch.placed(Part.MOVING)
        if wanted == self._map.shows:
            return
        # The sides of things that face away from the light, which are dark anyway, throw the shadow: so no lit side throws one on itself.
        self.program['shade_from_world'].write(shade_from_world)
        if standing != self._ground.shows:
            self._ground.frame.use()
            self._ground.frame.clear(depth=1.0)
            batch.draw_outlines(self.program, Part.STANDING)
            self._ground.shows = standing
        self._context.copy_framebuffer(self._map.frame, self._ground.frame)
        self._map.frame.use()
        batch.draw_outlines(self.program, Part.MOVING)
        self._map.shows = wanted

    def use(self, program: moderngl.Program, *, name: str = 'shadows', place: int = 0) -> None:
        """Let a program look at the map by the name that the program gives it; each map of a program has a place of its own."""
        self._map.distances.use(place)
        program[name] = place
        if 'blur' in program and not place:
            program['blur'] = SOFTNESS / (2 * RADIUS)

    def forget(self) -> None:
        """Paint anew next time: the scene is another."""
        self._map.shows = self._ground.shows = b''

    def release(self) -> None:
        """Free the maps."""
        for held in (self._map, self._ground, self.program):
            held.release()


class _Map:
    """Distances, and what stands for everything that they show."""

    def __init__(self, context: moderngl.Context, size: int) -> None:
        self.distances = context.depth_texture((size, size))
        self.distances.compare_func = '<='
        self.distances.repeat_x = self.distances.repeat_y = False
        self._color = context.texture((size, size), 1)  # never looked at, but framebuffers without any are not copied
        self.frame = context.framebuffer([self._color], self.distances)
        self.frame.color_mask = False, False, False, False
        self.shows = b''

    def release(self) -> None:
        for held in (self.frame, self.distances, self._color):
            held.release()
