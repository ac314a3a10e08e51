"""The shadow map: the distances that the key light reaches, seen from the light."""

import moderngl

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.render.batch import Batch, Part
from vlm_bench_sim.render.shaders import SHADOW_FRAGMENT, SHADOW_VERTEX

MIDDLE: Vector = (0.40, 0.0, 0.25)
RADIUS = 0.78
"""Objects in this ball in the world, m, cast and receive shadows."""

ROOM_MIDDLE: Vector = (0.45, 0.0, 0.2)
ROOM_RADIUS = 3.4
"""The same for a room, in a coarser map."""

COARSE, FINE = 512, 1024
"""Widths of the map: for pictures with one sample per pixel, and for those with more."""
SOFTNESS = 0.0022
"""Distance between the samples of a fine shadow's edge, m."""


class Shadow:
    """A map of `size`² distances, redrawn when an object has moved; static objects are drawn once, and each map starts from them."""

    def __init__(self, context: moderngl.Context, size: int) -> None:
        self._context = context
        self.program = context.program(vertex_shader=SHADOW_VERTEX, fragment_shader=SHADOW_FRAGMENT)
        self._map, self._ground = _Map(context, size), _Map(context, size)

    def paint(self, shade_from_world: bytes, batch: Batch) -> None:
        """Draw the map, unless it is up to date; the matrix into it is given as bytes for the shader."""
        standing = shade_from_world + batch.placed(Part.STANDING)
        wanted = standing + batch.placed(Part.MOVING)
        if wanted == self._map.shows:
            return
        # The sides that face away from the light, which are dark anyway, cast the shadow: no lit side then shadows itself.
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
        """Bind the map to a program under the given name; each map of a program needs its own place."""
        self._map.distances.use(place)
        program[name] = place
        if 'blur' in program and not place:
            program['blur'] = SOFTNESS / (2 * RADIUS)

    def forget(self) -> None:
        """Redraw next time, because the scene has changed."""
        self._map.shows = self._ground.shows = b''

    def release(self) -> None:
        """Free the maps."""
        for held in (self._map, self._ground, self.program):
            held.release()


class _Map:
    """Distances, and the object poses that they show."""

    def __init__(self, context: moderngl.Context, size: int) -> None:
        self.distances = context.depth_texture((size, size))
        self.distances.compare_func = '<='
        self.distances.repeat_x = self.distances.repeat_y = False
        self._color = context.texture((size, size), 1)  # never read, but framebuffers without a color image are not copied
        self.frame = context.framebuffer([self._color], self.distances)
        self.frame.color_mask = False, False, False, False
        self.shows = b''

    def release(self) -> None:
        for held in (self.frame, self.distances, self._color):
            held.release()
