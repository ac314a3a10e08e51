"""The free view: a camera that turns about a point."""

from math import cos, pi, sin
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose

NAME = 'orbit'
"""Of the camera; no camera set has this name."""

_FOV = 0.7  # rad

Metres = Annotated[float, Field(ge=-10.0, le=10.0)]


class Orbit(BaseModel):
    """Where the free view stands.

    Attributes:
        azimuth: direction from the target to the eye, about the world's z axis, rad; 0: in front of the robot, which looks along x.
        elevation: of the eye above the target's horizon, rad.
        distance: from the target to the eye, m.
        target: what it turns about, m in the world.
    """

    model_config = ConfigDict(frozen=True, extra='forbid', allow_inf_nan=False)

    azimuth: Annotated[float, Field(ge=-1000.0, le=1000.0)] = 0.6
    elevation: Annotated[float, Field(ge=-pi / 2 + 0.02, le=pi / 2 - 0.02)] = 0.5
    distance: Annotated[float, Field(ge=0.15, le=6.0)] = 1.95
    target: tuple[Metres, Metres, Metres] = (0.4, 0.0, 0.2)

    def camera(self, width: int, height: int) -> Camera:
        """Return the camera, with pictures of so many pixels."""
        x, y, z = self.target
        level = self.distance * cos(self.elevation)
        eye = (x + level * cos(self.azimuth), y + level * sin(self.azimuth), z + self.distance * sin(self.elevation))
        return Camera(NAME, Pose.look_at(eye, self.target), fov=_FOV, width=width, height=height)
