"""Begins episodes for pages: with another robot or other cameras, if it must be, and however long a person lays the table."""

import asyncio
from collections.abc import Mapping
from typing import Any

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.outfit import Outfit
from vlm_bench_tasks.dashboard.waiting import Bench, done, newer

ENDED_S = 90.0
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
        self._changing: asyncio.Task[None] | None = None

    @property
    def about(self) -> dict[str, Any]:
        """What a page must know to offer a choice of robot and cameras."""
        return {'outfit': self._outfit.told(), 'changeable': self._outfit.changeable}

    @property
    def now(self) -> dict[str, str]:
        """The robot and the cameras that there are; '': nobody has said it."""
        return {'robot': self._outfit.robot, 'cameras': self._outfit.cameras}

    async def begin(
        self, *, task: str, seed: int, words: Mapping[str, str], perturbation: str = '', robot: str = '', cameras: str = ''
    ) -> Mapping[str, Any]:
        """Begin an episode, with `words` for split, axis and prompt; return the robot and the cameras that it has.

        Raises:
            CommandError: the bench refuses, does not start again, or does not answer.
        """
        if self._begins.locked() or (self._changing is not None and not self._changing.done()):
            raise CommandError('An episode is being begun. Wait for it.')
        self._changing = None
        async with self._begins:
            if changes := self._outfit.changes(task, robot, cameras):
                self._changing = asyncio.create_task(self._change(changes))
            if self._changing is not None:  # a page that is closed meanwhile stops nothing
                await asyncio.shield(self._changing)
                self._changing = None
            begun = self._bench.begin(task=task, seed=seed, words=words, perturbation=perturbation)
            await done(begun, busy=lambda: self._live.question is not None)
        return self.now

    async def halt(self) -> Mapping[str, Any]:
        """End the running episode.

        Raises:
            CommandError: none runs, or the bench does not answer.
        """
        return await done(self._bench.halt())

    async def _change(self, changes: dict[str, str]) -> None:
        if self._live.running:
            try:
                await self.halt()
            except CommandError:
                if self._live.running:
                    raise
            await newer(lambda: not self._live.running and self._live.verdict is not Verdict.RUNNING, seconds=ENDED_S)
            if self._live.running:
                raise CommandError(f'The episode has not ended for {ENDED_S:g} s. Stop it, and begin again.')
        await done(self._bench.change(changes))
        self._outfit.changed(changes)
