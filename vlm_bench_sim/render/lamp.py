"""The key light of a scene, in the form that the shaders need."""

from dataclasses import dataclass
from functools import lru_cache

import moderngl
import numpy as np

from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.scene import Light
from vlm_bench_sim.render.projection import halfway, shade_from_world
from vlm_bench_sim.render.shadow import MIDDLE, RADIUS, ROOM_MIDDLE, ROOM_RADIUS

_STRENGTH = 0.56


@dataclass(frozen=True, eq=False)
class Lamp:
    """Numbers of a light for the shaders.

    Attributes:
        towards: (3,) unit vector towards the light, in the world.
        radiance: linear red, green and blue.
        shade_from_world: (4, 4) matrix into its shadow map, as bytes for a shader.
        wide_from_world: the same for the shadow map of a room.
    """

    towards: Floats
    radiance: Floats
    shade_from_world: bytes
    wide_from_world: bytes

    def shine(self, program: moderngl.Program) -> None:
        """Set the uniforms of the light in a program."""
        program['key'] = vector(self.towards)
        program['key_light'] = vector(self.radiance)
        if 'shade_from_world' in program:
            program['shade_from_world'].write(self.shade_from_world)
        if 'wide_from_world' in program:
            program['wide_from_world'].write(self.wide_from_world)


@lru_cache(maxsize=64)
def gleam(light: Light, eye: Pose) -> Vector:
    """Return the unit vector between the directions to light and viewer, in the world: surfaces with this normal shine most."""
    return vector(halfway(eye, lamp(light).towards))


@lru_cache(maxsize=16)
def lamp(light: Light) -> Lamp:
    """Return the numbers of a light."""
    towards = np.asarray(light.direction) / np.linalg.norm(light.direction)
    near, wide = (
        bytes(shade_from_world(towards, middle, radius).T.astype(np.float32).tobytes())
        for middle, radius in ((MIDDLE, RADIUS), (ROOM_MIDDLE, ROOM_RADIUS))
    )
    return Lamp(towards, _STRENGTH * light.strength * np.asarray(light.color.rgb), near, wide)
