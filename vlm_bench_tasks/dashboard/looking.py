"""Looking again: answers what pages ask about recorded episodes. All of it is read and drawn in the studio's thread."""

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import BagError, CommandError
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.shelf import Shelf
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dashboard.timeline import timeline
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.dataset.reel import Projector, Reel

KEPT = 4
"""Number of episodes that are kept in memory."""


class Looking:
    """Answers about the episodes of a shelf.

    Args:
        shelf: the episodes.
        about: what the page shows of where they come from.
        studio: reads and draws.
    """

    def __init__(self, shelf: Shelf, about: Mapping[str, Any], *, studio: Studio) -> None:
        self._shelf, self._about, self._studio = shelf, dict(about), studio
        self._reels: OrderedDict[Path, Reel] = OrderedDict()

    async def answer(self, ask: wire.Ask, _: Page) -> Mapping[str, Any] | bytes:
        """Answer a page.

        Raises:
            VlmBenchError: the episode cannot be looked at, or there is no such camera.
        """
        if isinstance(ask, wire.Hello):
            return {**self._about, 'live': False, 'cameras': _cameras()}
        if isinstance(ask, wire.List):
            return self._shelf.rows(ask.since)
        if isinstance(ask, wire.Open):
            return await self._studio.worked(lambda: timeline(self._shelf.path(ask.episode)))
        if isinstance(ask, wire.Draw):
            return await self._studio.worked(lambda: self._draw(ask))
        if isinstance(ask, wire.Prompt):
            return await self._studio.worked(lambda: self._prompt(ask))
        raise CommandError('No bench runs here: this window shows what was recorded. For a running one: vlm-bench dash, beside it.')

    def _draw(self, ask: wire.Draw) -> bytes:
        reel = self._reel(self._shelf.path(ask.episode))
        seq = min(ask.seq, len(reel.moments) - 1)
        projector = self._studio.projector(ask.panel, reel.robot)
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


def _camera(ask: wire.Draw, robot: str) -> Camera:
    found = profiles.cameras(ask.camera, ask.width, ask.height, robot=robot)
    if len(found) != 1:
        raise CommandError(f'A picture has one camera; {ask.camera!r} names {len(found)}. Name one, such as vlmbench:front.')
    return found[0]


def _cameras() -> list[str]:
    """Return the cameras of all sets, such as vlmbench:front."""
    return [f'{group}:{camera}' for group, cameras in profiles.camera_sets().items() for camera in cameras]
