"""Watching: answers what pages ask about a running bench, and begins and ends episodes for them."""

import asyncio
from collections.abc import Mapping
from struct import pack
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.errors import BagError, CommandError
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.access import ROLES, Access
from vlm_bench_tasks.dashboard.answering import Answering
from vlm_bench_tasks.dashboard.asking import Judge
from vlm_bench_tasks.dashboard.driving import Driving
from vlm_bench_tasks.dashboard.live import FREE, Live
from vlm_bench_tasks.dashboard.mission_desk import MissionDesk
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.starter import Starter
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dashboard.waiting import newer

BETWEEN_S = 0.2
"""Between two answers to a page about everything but pictures, wall-clock s."""


class Watching:
    """Answers about a running bench.

    Args:
        live: what the bench says.
        starter: begins and ends episodes.
        driving: moves the arm.
        answering: answers what the bench asks a person.
        missions: keeps missions, and puts episodes away.
        studio: draws the free view.
        access: who may use the window.
    """

    def __init__(
        self, live: Live, starter: Starter, *, driving: Driving, answering: Answering, missions: MissionDesk, studio: Studio, access: Access
    ) -> None:
        self._live, self._starter, self._driving, self._answering = live, starter, driving, answering
        self._missions, self._studio, self._access = missions, studio, access

    async def answer(self, ask: wire.Ask, page: Page) -> Mapping[str, Any] | bytes:
        """Answer a page.

        Raises:
            VlmBenchError: the bench refuses, or there is nothing to draw.
        """
        if isinstance(ask, wire.Hello):
            tasks = await self._studio.worked(choices)
            about = {**self._missions.about, **self._starter.about, **self._shared(page), 'suction': await self._studio.worked(sucking)}
            return {'source': 'a running bench', 'live': True, 'cameras': [], 'tasks': tasks, **about}
        if isinstance(ask, wire.Watch):
            await asyncio.sleep(min(ask.since, 1) * BETWEEN_S)
            await newer(lambda: self._live.version > ask.since)
            await self._missions.settle()
            return {**self._live.told(), 'outfit': self._starter.now, 'driven': self._driving.taken}
        if isinstance(ask, wire.See):
            return await self._picture(ask, page)
        if isinstance(ask, wire.Image):
            if (image := self._live.image(ask.number)) is None:
                raise CommandError(f'The instruction has no picture number {ask.number}.')
            return image
        if isinstance(ask, wire.Aim):
            return await self._studio.worked(lambda: self._aimed(ask))
        return await self._done(ask, page)

    async def _done(self, ask: wire.Ask, page: Page) -> Mapping[str, Any] | bytes:
        """Do what a page asks the bench to do."""
        if isinstance(ask, wire.Begin):
            perturbation = dumps(catalogue.perturbation([ask.perturb])) if ask.perturb else ''
            words = {'split': ask.split, 'axis': ask.axis, 'prompt': ask.prompt}
            return await self._starter.begin(
                task=ask.task, seed=ask.seed, words=words, perturbation=perturbation, robot=ask.robot, cameras=ask.cameras
            )
        if isinstance(ask, wire.Halt):
            return await self._starter.halt()
        if isinstance(ask, wire.Errand):
            return await self._missions.answer(ask, page)
        if isinstance(ask, wire.Drive):
            return await self._driving.answer(ask, page)
        if isinstance(ask, Judge):
            return await self._answering.answer(ask)
        raise BagError('This window shows a running bench. For what was recorded: vlm-bench dash --bags FOLDER.')

    def _shared(self, page: Page) -> dict[str, Any]:
        """Return what a page may do, and to one that may do everything the secrets of the addresses of others."""
        tokens = {role: self._access.token_of(role) for role in ROLES if role != 'all'} if page.role == 'all' else {}
        return {'role': page.role, 'tokens': tokens}

    async def _picture(self, ask: wire.See, page: Page) -> Mapping[str, Any] | bytes:
        """Return the number of a picture as 4 bytes, and the picture; or that there is none but the one that the page has."""
        page.looks = ask.id
        await newer(lambda: self._live.shown(ask.camera) not in (0, ask.since) or page.looks != ask.id)
        number = self._live.shown(ask.camera)
        if number in (0, ask.since) or page.looks != ask.id:
            return {'shown': ask.since}
        if ask.camera != FREE:
            return pack('<I', number) + (self._live.seen_by(ask.camera) or b'')
        return pack('<I', number) + await self._studio.worked(lambda: self._free(ask))

    def _free(self, ask: wire.See) -> bytes:
        return jpeg(self._drawn(ask.orbit.camera(ask.width, ask.height), ask.samples))

    def _aimed(self, ask: wire.Aim) -> Mapping[str, Any]:
        camera = ask.orbit.camera(ask.width, ask.height)
        across, down = min(int(ask.x * ask.width), ask.width - 1), min(int(ask.y * ask.height), ask.height - 1)
        depth = float(self._drawn(camera).depth[down, across])
        if depth == 0.0:
            raise CommandError('There is nothing at this place. Point at the table, or at a thing.')
        ray = ((across + 0.5 - ask.width / 2) / camera.focal, (down + 0.5 - ask.height / 2) / camera.focal, 1.0)
        return {'position': camera.pose.apply([[part * depth for part in ray]])[0].tolist()}

    def _drawn(self, camera: Camera, samples: int = 1) -> Picture:
        found = self._live.moment()
        if found is None:
            raise CommandError('Nothing is known of the table. A scored bench hides it: choose a camera of the policy.')
        moment, robot = found
        return self._studio.projector(0, robot).moment(moment, camera, samples=samples)


def choices() -> list[dict[str, Any]]:
    """Return the tasks that can be begun: id, words about it, robot, axes, splits and prompts."""
    made, _ = catalogue.sound(catalogue.tasks())
    return [
        {'name': name, 'robot': task.robot, 'axes': list(task.axes), 'splits': list(catalogue.splits(name)), 'prompts': list(task.prompts)}
        for name, task in made.items()
    ]


def sucking() -> list[str]:
    """Return the robots with suction cups."""
    return [name for name, profile in profiles.sound().items() if profile.gripper.suction]
