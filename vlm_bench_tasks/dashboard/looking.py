"""Looking again: answers what pages ask about recorded episodes. All of it is read and drawn in one thread, beside the server's."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from vlm_bench_sim import profiles
from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import BagError, CommandError
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.shelf import Shelf
from vlm_bench_tasks.dashboard.timeline import timeline
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.dataset.reel import Projector, Reel

T = TypeVar('T')

KEPT = 4
"""Number of episodes that are kept in memory."""


class Looking:
    """Answers about the episodes of a shelf.

    Args:
        shelf: the episodes.
        about: what the page shows of where they come from.
    """

    def __init__(self, shelf: Shelf, about: Mapping[str, Any]) -> None:
        self._shelf, self._about = shelf, dict(about)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='looking')
        self._reels: OrderedDict[Path, Reel] = OrderedDict()
        self._projectors: dict[tuple[int, str], Projector] = {}

    async def answer(self, ask: wire.Ask) -> Mapping[str, Any] | bytes:
        """Answer a page.

        Raises:
            VlmBenchError: the episode cannot be looked at, or there is no such camera.
        """
        if isinstance(ask, wire.Hello):
            return {**self._about, 'cameras': _cameras()}
        if isinstance(ask, wire.List):
            return self._shelf.rows(ask.since)
        if isinstance(ask, wire.Open):
            return await self._worked(lambda: timeline(self._shelf.path(ask.episode)))
        if isinstance(ask, wire.Draw):
            return await self._worked(lambda: self._draw(ask))
        return await self._worked(lambda: self._prompt(ask))

    def close(self) -> None:
        """Free the renderers, in the thread that made them."""
        self._worker.submit(self._free).result()
        self._worker.shutdown()

    async def _worked(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def _draw(self, ask: wire.Draw) -> bytes:
        reel = self._reel(self._shelf.path(ask.episode))
        seq = min(ask.seq, len(reel.moments) - 1)
        projector = self._projector(ask.panel, reel.robot)
        if not ask.camera:
            return jpeg(projector.free(reel, seq, ask.orbit.camera(ask.width, ask.height), samples=ask.samples))
        return jpeg(self._as_seen(projector, reel, seq, ask))

    def _as_seen(self, projector: Projector, reel: Reel, seq: int, ask: wire.Draw) -> Picture:
        return projector.as_seen(reel, seq, _camera(ask, reel.robot), samples=ask.samples)

    def _prompt(self, ask: wire.Prompt) -> bytes:
        images = recorded_prompt(reader.open_bag(self._shelf.path(ask.episode)))
        if ask.number > len(images):
            raise BagError(f'The instruction of episode {ask.episode} has {len(images)} pictures; number {ask.number} was requested.')
        return images[ask.number - 1].png

    def _reel(self, path: Path) -> Reel:
        if path not in self._reels:
            self._reels[path] = Reel.of(reader.open_bag(path))
        self._reels.move_to_end(path)
        while len(self._reels) > KEPT:
            self._reels.popitem(last=False)
        return self._reels[path]

    def _projector(self, panel: int, robot: str) -> Projector:
        """Return the projector of a panel: each has its own, so that two episodes side by side need not be loaded again and again."""
        if (panel, robot) not in self._projectors:
            for other in [key for key in self._projectors if key[0] == panel]:
                self._projectors.pop(other).close()
            self._projectors[panel, robot] = Projector(robot)
        return self._projectors[panel, robot]

    def _free(self) -> None:
        for projector in self._projectors.values():
            projector.close()
        self._projectors.clear()


def _camera(ask: wire.Draw, robot: str) -> Camera:
    found = profiles.cameras(ask.camera, ask.width, ask.height, robot=robot)
    if len(found) != 1:
        raise CommandError(f'A picture has one camera; {ask.camera!r} names {len(found)}. Name one, such as vlmbench:front.')
    return found[0]


def _cameras() -> list[str]:
    """Return the cameras of all sets, such as vlmbench:front."""
    return [f'{group}:{camera}' for group, cameras in profiles.camera_sets().items() for camera in cameras]
