"""Subscribe to cameras and transforms only while needed. A camera without subscribers costs nothing."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.task import Future

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.frames import ROOT, Transforms, standing
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.agents.points import seen_at

_PICTURE_S, _FRAME_S = 5.0, 2.0  # wall clock


class Unheard(VlmBenchError):
    """No message arrived in time."""


@dataclass(frozen=True)
class _Wait:
    heard: Callable[[], bool]
    until: float
    future: Future


class Hearing:
    """Answers from public topics which point a pixel shows and where a frame is.

    Args:
        node: subscribes to the topics.
    """

    def __init__(self, node: BenchNode) -> None:
        self._node = node
        self._waits: list[_Wait] = []

    def turn(self) -> None:
        """Resume tasks whose message has arrived or whose time is up; call it regularly."""
        for wait in self._waits[:]:
            if wait.heard() or time.monotonic() > wait.until:
                self._waits.remove(wait)
                wait.future.set_result(None)

    async def frame(self, frame: str) -> Pose:
        """Return the pose of a frame in the world, from the newest transforms.

        Raises:
            Unheard: no transform connects the frame with the world.
        """
        frames: Transforms = {}

        def take(message: Any) -> None:
            frames.update(fields.read_transforms(message))

        await self._until({names.TF_STATIC: take, names.TF: take}, lambda: standing(frames, frame) is not None, _FRAME_S)
        found = standing(frames, frame)
        if found is None:
            raise Unheard(f'There is no transform from {ROOT} to {frame!r}. Use a frame of /tf or /tf_static.')
        return found

    async def point(self, camera: str, column: int, row: int) -> Vector:
        """Return the point in the world that a pixel of a camera shows, m.

        Raises:
            Unheard: the camera sends no depth picture, or its pose is unknown.
            CommandError: the pixel is outside the picture, or shows nothing.
        """
        heard: dict[str, Any] = {}
        depth, info = (each.camera(camera) for each in (names.DEPTH, names.DEPTH_INFO))
        rows = {each: partial(heard.__setitem__, each.name) for each in (depth, info)}
        await self._until(rows, lambda: len(heard) == len(rows), _PICTURE_S)
        if len(heard) < len(rows):
            raise Unheard(
                f'The camera {camera!r} sent no depth picture with camera_info in {_PICTURE_S:g} s. Is the bench running with its pictures?'
            )
        pixels, told = heard[depth.name], heard[info.name]
        stands = await self.frame(pixels.header.frame_id)
        return seen_at(column, row, fields.read_depth(pixels), intrinsics=list(told.k), camera=stands)

    async def until(self, heard: Callable[[], bool], seconds: float) -> None:
        """Wait until the condition holds, or for at most `seconds` of wall-clock time."""
        if heard():
            return
        wait = _Wait(heard, time.monotonic() + seconds, Future())
        self._waits.append(wait)
        await wait.future

    async def _until(self, rows: Mapping[names.Name, Callable[[Any], None]], heard: Callable[[], bool], seconds: float) -> None:
        with self._listening(rows):
            await self.until(heard, seconds)

    @contextmanager
    def _listening(self, rows: Mapping[names.Name, Callable[[Any], None]]) -> Iterator[None]:
        subscriptions = [self._node.subscribe(row, take) for row, take in rows.items()]
        try:
            yield
        finally:
            for subscription in subscriptions:
                self._node.public.destroy_subscription(subscription)
