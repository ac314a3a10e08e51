"""A picture of the scene to lay out, from above, with lines and numbers: on its own, or drawn over the live image of the camera."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_sim.render.prompt import PromptPainter
from vlm_bench_sim.render.table_marks import marked
from vlm_bench_sim.ros import fields

FRESH_S = 2.0
_FIRST_PROP = 3  # first instance id of a prop


class WantedView:
    """The view of one camera.

    Args:
        profile: the robot.
        camera: a camera that looks down.
    """

    def __init__(self, profile: RobotProfile, camera: Camera) -> None:
        self._camera, self._painter = camera, PromptPainter(profile, Kinematics(profile).link_poses)
        self._wanted: tuple[Picture, Scene] | None = None
        self._live: Any = None
        self._seen = 0.0

    @property
    def renderer_string(self) -> str:
        """Name of the renderer."""
        return self._painter.renderer_string

    @property
    def live(self) -> bool:
        """True while the camera's own pictures arrive."""
        return self._live is not None and time.monotonic() - self._seen < FRESH_S

    def see(self, image: Any) -> None:
        """Take a picture of the camera; another size or encoding is ignored."""
        try:
            pixels = fields.read_image(image)
        except CommandError:
            return
        if pixels.shape == (self._camera.height, self._camera.width, 3):
            self._live, self._seen = pixels, time.monotonic()

    def draw(self, scene: Scene) -> bytes:
        """Draw another scene, and return it like `picture`."""
        self._wanted = self._painter.picture(scene, self._camera, table=True), scene  # the robot would hide what lies before it
        return self.picture()

    def picture(self) -> bytes:
        """Return the wanted view as a jpeg; the props are half transparent over the live image."""
        if self._wanted is None:
            return b''
        wanted, scene = self._wanted
        color = overlaid(self._live, wanted) if self.live else wanted.color
        return jpeg(replace(wanted, color=marked(color, self._camera, scene)))


def overlaid(live: 'np.ndarray[Any, np.dtype[np.uint8]]', wanted: Picture) -> 'np.ndarray[Any, np.dtype[np.uint8]]':
    """Return the live pixels, blended half and half with the props of the wanted picture."""
    props = wanted.ids >= _FIRST_PROP
    mixed = live.copy()
    mixed[props] = (live[props].astype(np.uint16) + wanted.color[props]) // 2
    return mixed
