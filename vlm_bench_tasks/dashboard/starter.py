"""Begins episodes for pages: with another robot or other cameras, if it must be, and however long a person lays the table."""

import asyncio
from collections.abc import Mapping
from typing import Any

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.outfit import Outfit
from vlm_bench_tasks.dashboard.waiting import Bench, done, newer

ENDED_S = 60.0
"""Timeout for the verdict of an episode that is ended because the bench starts again, wall-clock s."""


class Starter:
    """Begins and ends episodes, one page at a time.

    Args:
        live: what the bench says.
        bench: carries it out.
        outfit: robot and cameras of the bench.
    """

    def __init__(self, live: Live, bench: Bench, *, outfit: Outfit) -> None:
        self._live, self._bench, self._outfit = live, bench, outfit
        self._begins = asyncio.Lock()

    @property
    def about(self) -> dict[str, Any]:
        """What a page must know to offer a choice of robot and cameras."""
        return {'outfit': self._outfit.told(), 'changeable': self._outfit.changeable}

    async def begin(
        self, *, task: str, seed: int, words: Mapping[str, str], perturbation: str = '', robot: str = '', cameras: str = ''
    ) -> Mapping[str, Any]:
        """Begin an episode, with `words` for split, axis and prompt; return the robot and the cameras that it has.

        Raises:
            CommandError: the bench refuses, does not start again, or does not answer.
        """
        if self._begins.locked():
            raise CommandError('An episode is being begun. Wait for it.')
        async with self._begins:
            if changes := self._outfit.changes(task, robot, cameras):
                await self._change(changes)
            begun = self._bench.begin(task=task, seed=seed, words=words, perturbation=perturbation)
            await done(begun, busy=lambda: self._live.question is not None)
        return {'robot': self._outfit.robot, 'cameras': self._outfit.cameras}

    async def halt(self) -> Mapping[str, Any]:
        """End the running episode.

        Raises:
            CommandError: none runs, or the bench does not answer.
        """
        return await done(self._bench.halt())

    async def _change(self, changes: dict[str, str]) -> None:
        if self._live.running:
            await self.halt()
            await newer(lambda: not self._live.running, seconds=ENDED_S)
        await done(self._bench.change(changes))
        self._outfit.changed(changes)
