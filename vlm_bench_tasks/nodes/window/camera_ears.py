"""Hears the pictures of whatever cameras there are."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros.names import COLOR_JPEG
from vlm_bench_tasks.dashboard.live import Live

MOST_CAMERAS = 32
MOST_PICTURE_BYTES = 4_000_000
_CAMERA = re.compile(re.escape(COLOR_JPEG.name).replace(re.escape('{camera}'), '([a-z0-9_]+)'))


class CameraEars:
    """Subscriptions to the cameras that have publishers.

    Args:
        node: hears them.
        live: keeps the newest picture of each.
    """

    def __init__(self, node: BenchNode, live: Live) -> None:
        self._node, self._live, self._heard = node, live, dict[str, Any]()

    def search(self) -> None:
        """Hear the cameras that have come since, and forget those that nobody publishes any more."""
        named = {found[1] for topic, _ in self._node.public.get_topic_names_and_types() if (found := _CAMERA.fullmatch(topic))}
        there = {camera for camera in named if self._node.is_told(COLOR_JPEG.camera(camera))}
        for camera in self._heard.keys() - there:
            self._node.public.destroy_subscription(self._heard.pop(camera))
            self._live.forget(camera)
        for camera in sorted(there - self._heard.keys())[: MOST_CAMERAS - len(self._heard)]:
            take: Callable[[Any], None] = partial(self._take, camera)
            self._heard[camera] = self._node.subscribe(COLOR_JPEG.camera(camera), take)

    def _take(self, camera: str, message: Any) -> None:
        if len(message.data) <= MOST_PICTURE_BYTES:
            self._live.picture(camera, bytes(message.data))
