"""Missions on the page: begins their episodes, writes down how they end, and puts away what is discarded."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vlm_bench_sim.bags.folder import bag_name
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.bags.reader import about
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import BagError, CommandError, VlmBenchError
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.driving import Driving
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.missions import Missions, Outcome
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.starter import Starter
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dashboard.waiting import newer

AWAY = '.discarded'
"""Folder among the bags for those that were discarded: exports do not look into hidden folders."""

ANNOUNCED_S, CLOSED_S = 20.0, 20.0
"""Timeouts for an episode to be announced once it has begun, and for its bag to be completed, wall-clock s."""

_TURN_S = 0.2
_ENDS: dict[Verdict, Outcome] = {Verdict.SUCCESS: 'done', Verdict.FAILURE: 'failed', Verdict.UNOBSERVABLE: 'discarded'}  # the bench's fault


@dataclass(frozen=True)
class _Attempt:
    mission: str
    number: int
    token: str
    outcome: Outcome = 'open'


class MissionDesk:
    """Answers about missions.

    Args:
        live: what the bench says.
        starter: begins and ends episodes.
        driving: who drives.
        studio: its thread reads and writes files.
        missions: the missions; None: there are none.
        folder: where the bench records bags; None: nowhere.
    """

    def __init__(
        self,
        live: Live,
        starter: Starter,
        *,
        driving: Driving,
        studio: Studio,
        missions: Missions | None = None,
        folder: Path | None = None,
    ) -> None:
        self._live, self._starter, self._driving, self._studio = live, starter, driving, studio
        self._missions, self._folder = missions, folder
        self._attempt: _Attempt | None = None
        self._begins = False

    @property
    def about(self) -> dict[str, Any]:
        """What a page must know to offer missions: their name, and whether bags are recorded."""
        return {'missions': self._missions.name if self._missions else '', 'records': self._folder is not None}

    async def answer(self, ask: wire.Errand, page: Page) -> Mapping[str, Any]:
        """Answer a page.

        Raises:
            VlmBenchError: there are no missions, none waits, the bench refuses, or nothing can be discarded.
        """
        if isinstance(ask, wire.Discard):
            return await self._discard()
        if self._missions is None:
            raise CommandError('This window has no missions. Name a file: vlm-bench up --dash --set missions:=FILE.')
        missions = self._missions
        if isinstance(ask, wire.BeginMission):
            operator = self._driving.name_of(page)
            if self._begins:
                raise CommandError('A mission is being begun. Wait for its episode.')
            self._begins = True
            try:
                return await self._begin(missions, ask.name, operator)
            finally:
                self._begins = False
        return {'rows': await self._studio.worked(missions.told), 'now': self._attempt.mission if self._attempt else ''}

    async def settle(self) -> None:
        """Write down how the attempt has ended, once it has."""
        attempt, decided = self._attempt, self._live.verdict
        if attempt is None or attempt.outcome != 'open':
            return
        if attempt.token == self._live.token and decided is not Verdict.RUNNING:
            await self._decide(attempt, _ENDS[decided])
        elif self._live.token not in ('', attempt.token):  # another episode was begun instead
            await self._decide(attempt, 'failed')

    async def _begin(self, missions: Missions, name: str, operator: str) -> Mapping[str, Any]:
        if self._attempt is not None and self._attempt.outcome == 'open':
            await self._decide(self._attempt, 'failed')
        mission, number = await self._studio.worked(lambda: missions.begin(operator, name))
        attempt, before = _Attempt(mission.name, number, ''), self._live.token
        words = {'split': mission.split, 'axis': mission.axis, 'prompt': mission.prompt}
        try:
            await self._starter.begin(task=mission.task, seed=mission.seed, words=words)
            await newer(lambda: self._live.token not in ('', before), seconds=ANNOUNCED_S)
            if self._live.token in ('', before):
                raise CommandError('The bench has not announced the episode of the mission. Does it run?')
        except VlmBenchError:
            await self._decide(attempt, 'discarded')
            raise
        self._attempt = replace(attempt, token=self._live.token)
        self._driving.on_mission(self._live.token, mission.name, number)
        return {'mission': mission.name, 'attempt': number, 'of': mission.attempts}

    async def _discard(self) -> Mapping[str, Any]:
        token, folder = self._live.token, self._folder
        if not token:
            raise CommandError('There is no episode to discard.')
        if self._live.running:
            await self._starter.halt()
        if self._attempt is not None and self._attempt.token == token:
            await self._decide(self._attempt, 'discarded')
        if folder is None:
            return {'bag': ''}
        loop = asyncio.get_running_loop()
        until = loop.time() + CLOSED_S
        while not (found := await self._studio.worked(lambda: put_away(folder, token))):
            if loop.time() > until:
                raise CommandError(f'No bag of this episode was completed in {folder} within {CLOSED_S:g} s, so none was put away.')
            await asyncio.sleep(_TURN_S)
        return {'bag': str(found)}

    async def _decide(self, attempt: _Attempt, outcome: Outcome) -> None:
        missions = self._missions
        self._attempt = replace(attempt, outcome=outcome)
        if missions is not None:
            await self._studio.worked(lambda: missions.decide(attempt.mission, attempt.number, outcome, attempt.token))


def put_away(folder: Path, token: str) -> Path | None:
    """Move the bag of an episode to the folder of those that were discarded, and return its path; None if it is not complete.

    Raises:
        BagError: it cannot be moved.
    """
    ending = bag_name('', '', '', token)[2:]  # there may be thousands of others
    for metadata in folder.glob(f'[!.]*/{FILE}'):
        bag = metadata.parent
        try:
            if not bag.name.endswith(ending) or about(bag).get('token') != token:
                continue
        except VlmBenchError:
            continue  # of a damaged bag of another episode
        away = folder / AWAY / bag.name
        try:
            away.parent.mkdir(exist_ok=True)
            bag.rename(away)
        except OSError as error:
            raise BagError(f'{bag} cannot be put away in {away.parent}: {error.strerror}.') from error
        return away
    return None
