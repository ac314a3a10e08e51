"""The picture of a scene as it shall be laid, from above: by itself, or drawn over the live image of the camera there."""

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
from vlm_bench_sim.ros import fields

FRESH_S = 2.0
_FIRST_PROP = 3  # of the instance ids


class WantedView:
    """One camera's view.

    Args:
        profile: of the robot.
        camera: that looks down.
    """

    def __init__(self, profile: RobotProfile, camera: Camera) -> None:
        self._camera, self._painter = camera, PromptPainter(profile, Kinematics(profile).link_poses)
        self._wanted: Picture | None = None
        self._live: Any = None
        self._seen = 0.0

    @property
    def renderer_string(self) -> str:
        """What draws the pictures."""
        return self._painter.renderer_string

    @property
    def live(self) -> bool:
        """True while the camera's own pictures come."""
        return self._live is not None and time.monotonic() - self._seen < FRESH_S

    def see(self, image: Any) -> None:
        """Take in a picture of the camera; one of another size or encoding is of no use."""
        try:
            pixels = fields.read_image(image)
        except CommandError:
            return
        if pixels.shape == (self._camera.height, self._camera.width, 3):
            self._live, self._seen = pixels, time.monotonic()

    def draw(self, scene: Scene) -> bytes:
        """Draw another scene, and return it as `picture` does."""
        self._wanted = self._painter.picture(scene, self._camera, robot=True, table=True)
        return self.picture()

    def picture(self) -> bytes:
        """Return the wanted view as a jpeg; the props half seen through where it lies over the live image."""
        if self._wanted is None:
            return b''
        color = overlaid(self._live, self._wanted) if self.live else self._wanted.color
        return jpeg(replace(self._wanted, color=color))


def overlaid(live: 'np.ndarray[Any, np.dtype[np.uint8]]', wanted: Picture) -> 'np.ndarray[Any, np.dtype[np.uint8]]':
    """Return the live pixels with the props of the wanted picture mixed in, half and half."""
    props = wanted.ids >= _FIRST_PROP
    mixed = live.copy()
    mixed[props] = (live[props].astype(np.uint16) + wanted.color[props]) // 2
    return mixed
