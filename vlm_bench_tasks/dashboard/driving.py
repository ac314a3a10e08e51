"""Driving: moves the arm for the one page that has taken it. Time passes only while the person acts."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from math import pi
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
from transforms3d import quaternions

from vlm_bench_sim.core.algebra import matmul, norm
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.operator import Operator
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.waiting import newer

FASTEST, FASTEST_TURN = 0.25, 1.0
"""Of the tool, m/s and rad/s; the first is the reduced speed at which people may stand beside an arm that they guide (ISO 10218-1)."""

FINE = 0.2
"""Share of both in the fine mode."""

NEARING = 5.0
"""Speed towards a pose for each m or rad that is missing, 1/s."""

THERE_M, THERE_RAD = 0.001, 0.01
"""What may be missing."""

DEAD_S = 0.5
"""A page that drives and says nothing for so long has no person before it: a planned motion is stopped, wall-clock s."""

GONE_S = 5.0
"""After so long another page may take the arm, wall-clock s."""

AGAIN_S = 2.0
"""Between two messages to the bench that a person is there, wall-clock s."""

FOLLOWED_S = 2.0
"""Timeout for the robot's next pose, wall-clock s."""

PAUSE_S = 0.3
"""After so long without a command the person begins anew: first the arm comes to rest, wall-clock s."""

MOST_BRAKING = 20
"""Largest number of control periods in which an arm comes to rest."""

STILL_M, STILL_RAD = 0.0003, 0.002
"""Less than this in a control period counts as rest."""

STOPPED_S = 1.0
"""Timeout for a planned motion to end once it was stopped, wall-clock s."""

GRASPED_S = 30.0
"""Timeout for the hand, wall-clock s."""

ASKED = 'The bench asks a person, who may stand at the table. The arm rests until they have answered.'

_TURN_S = 0.005


class Arm(Protocol):
    """What moves. No method waits."""

    @property
    def refusal(self) -> str:
        """Why nobody may drive; '' if one may."""

    @property
    def hears(self) -> bool:
        """Whether somebody hears twists; what is sent before is lost."""

    def twist(self, linear: Vector, angular: Vector) -> None:
        """Move the tool for one control period, m/s and rad/s along and about the axes of the world."""

    def go(self, target: Pose) -> 'Future[str]':
        """Move the tool to a pose in the world on a planned path; the future holds the text of an error, or ''."""

    def grasp(self, *, closed: bool) -> 'Future[str]':
        """Close or open the hand; the future holds the text of an error, or ''."""

    def hold(self) -> None:
        """Stop a planned motion."""

    def operated(self, by: Operator, *, token: str) -> None:
        """Tell a bench that shows its truth who is there, and what they have driven with."""


class Driving:
    """Knows who may drive, and sends the arm what they ask for.

    Args:
        live: what the bench says.
        arm: moves.
    """

    def __init__(self, live: Live, arm: Arm) -> None:
        self._live, self._arm = live, arm
        self._seat: Page | None = None
        self._known: WeakSet[Page] = WeakSet()
        self._heard = self._told = self._due = self._sent = float('-inf')
        self._holds, self._moves = 0, False
        self._token, self._operator, self._said = '', Operator(), Operator()
        self._mission = '', '', 0  # token of its episode, name and attempt

    async def answer(self, ask: wire.Drive, page: Page) -> Mapping[str, Any]:
        """Answer the page that drives, or that wants to.

        Raises:
            CommandError: another page drives, no episode runs, or the robot cannot do it.
        """
        now = asyncio.get_running_loop().time()
        if isinstance(ask, wire.Take):
            return self._take(ask, page, now)
        if isinstance(ask, wire.Hold) and page.role == 'all':  # who started the window may always stop
            self._stop()
            return {}
        self.name_of(page)
        self._heard = now
        if isinstance(ask, wire.Leave):
            self._leave(page)
        elif isinstance(ask, wire.Hold):
            self._stop()
        elif isinstance(ask, wire.Alive):
            self._present(now)
        else:
            return await self._act(ask, now)
        return {}

    @property
    def taken(self) -> bool:
        """Whether somebody drives."""
        return self._seat is not None

    def name_of(self, page: Page) -> str:
        """Return the name of the person who drives from a page.

        Raises:
            CommandError: nobody drives from there.
        """
        if self._seat is not page:
            raise CommandError('This page does not drive. Take control first.')
        return self._operator.name

    def on_mission(self, token: str, name: str, attempt: int) -> None:
        """The episode with this token is an attempt at a mission."""
        self._mission = token, name, attempt

    def _take(self, ask: wire.Take, page: Page, now: float) -> Mapping[str, Any]:
        if self._arm.refusal:
            raise CommandError(self._arm.refusal)
        guest = self._seat is not None and self._seat.role != 'all' and page.role == 'all'
        if self._seat not in (None, page) and now - self._heard < GONE_S and not guest:
            raise CommandError('Another page drives the arm. Let go of it there, or close that page.')
        operator = Operator(ask.operator)
        if page not in self._known:
            self._known.add(page)
            page.farewells.append(lambda: self._leave(page))
        if operator.name != self._operator.name:
            self._operator = operator
        self._seat, self._heard, self._said = page, now, Operator()
        self._present(now)
        return {}

    def _leave(self, page: Page) -> None:
        if self._seat is page:
            self._seat = None
            self._stop()

    def _stop(self) -> None:
        self._holds += 1  # a command that still waits is not sent any more
        self._arm.hold()

    def _present(self, now: float, *devices: str) -> None:
        """Tell the bench who drives this episode: at its beginning, with each other device, and again while the person is there."""
        used = self._operator.devices if self._live.token == self._token else ()
        self._token, (token, mission, attempt) = self._live.token, self._mission
        errand = (mission, attempt) if token == self._token else ()
        self._operator = Operator(self._operator.name, (*used, *devices), *errand)
        news = self._operator != self._said or self._told < now - AGAIN_S
        if self._live.running and news and self._live.moment() is not None:  # nobody hears it of a bench that is scored
            self._arm.operated(self._operator, token=self._token)
            self._said, self._told = self._operator, now
        elif not self._live.running:
            self._said = Operator()

    async def _act(self, ask: wire.Move | wire.Reach | wire.Go | wire.Grasp, now: float) -> Mapping[str, Any]:
        if self._arm.refusal:
            raise CommandError(self._arm.refusal)
        if not self._live.running:
            raise CommandError('No episode is running. Begin one; then drive.')
        if self._live.question is not None:
            raise CommandError(ASKED)
        self._present(now, ask.by)
        if self._moves and (isinstance(ask, (wire.Go, wire.Grasp)) or now - self._sent > PAUSE_S):
            await self._braked()
        if isinstance(ask, wire.Go):
            await self._gone(asyncio.wrap_future(self._arm.go(Pose.of(ask.position, ask.orientation))))
        elif isinstance(ask, wire.Grasp):
            await self._grasped(closed=ask.closed)
        else:
            return await self._moved(ask)
        return {'tool': wire.told_pose(self._live.tool)}

    async def _moved(self, ask: wire.Move | wire.Reach) -> Mapping[str, Any]:
        slow, there = FINE if ask.fine else 1.0, False
        if isinstance(ask, wire.Move):
            linear, angular = np.multiply(ask.linear, slow * FASTEST), np.multiply(ask.angular, slow * FASTEST_TURN)
        else:
            linear, angular, there = self._towards(Pose.of(ask.position, ask.orientation))
        await self._stepped(_at_most(linear, slow * FASTEST), _at_most(angular, slow * FASTEST_TURN))
        return {'tool': wire.told_pose(self._live.tool), 'there': there, 'servo': self._live.servo}

    async def _braked(self) -> None:
        """Come to rest: time was stopped in the middle of a motion."""
        for _ in range(MOST_BRAKING):
            before = self._live.tool
            await self._stepped((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            after = self._live.tool
            if before and after and before[1].distance(after[1]) < STILL_M and before[1].angle(after[1]) < STILL_RAD:
                break
        self._moves = False

    def _towards(self, target: Pose) -> tuple[Floats, Floats, bool]:
        """Return the twist towards a pose, and whether the tool is there."""
        if self._live.tool is None:
            raise CommandError('The robot has not said where its tool is. Does its driver publish /arm/tcp_pose?')
        tool = self._live.tool[1]
        there = tool.distance(target) < THERE_M and tool.angle(target) < THERE_RAD
        return NEARING * np.subtract(target.position, tool.position), NEARING * _turn(tool, target), there

    async def _stepped(self, linear: Vector, angular: Vector) -> None:
        """Move for one control period, no sooner than a period after the last one, and wait until the robot has."""
        loop, holds, seat = asyncio.get_running_loop(), self._holds, self._seat
        early = self._due - loop.time()
        self._due = max(self._due, loop.time()) + PERIOD_S
        if early > 0:
            await asyncio.sleep(early)
        await newer(lambda: self._arm.hears, seconds=FOLLOWED_S)
        if (holds, seat) != (self._holds, self._seat):
            raise CommandError('The arm was stopped.')
        before = self._live.tool
        self._arm.twist(linear, angular)
        self._moves = True
        until = loop.time() + FOLLOWED_S
        while self._live.tool is before:
            if loop.time() > until:
                raise CommandError(f'The robot has not moved for {FOLLOWED_S:g} s. Does its driver run?')
            await asyncio.sleep(_TURN_S)
        self._sent = loop.time()

    async def _gone(self, motion: 'asyncio.Future[str]') -> None:
        """Wait for the end of a planned motion, and stop it if nobody is there any more."""
        loop, holds, late = asyncio.get_running_loop(), self._holds, float('inf')
        while not motion.done():
            await asyncio.wait({motion}, timeout=DEAD_S / 5)
            if holds == self._holds and loop.time() - self._heard > DEAD_S:
                self._stop()
                raise CommandError(f'The page was silent for {DEAD_S:g} s, so the arm was stopped.')
            if holds == self._holds and self._live.question is not None:
                self._stop()
                raise CommandError(ASKED)
            if holds != self._holds:
                late = min(late, loop.time() + STOPPED_S)
            if not motion.done() and loop.time() > late:
                raise CommandError('The arm was stopped.')
        _check(motion.result())

    async def _grasped(self, *, closed: bool) -> None:
        try:
            _check(await asyncio.wait_for(asyncio.wrap_future(self._arm.grasp(closed=closed)), GRASPED_S))
        except asyncio.TimeoutError as error:
            raise CommandError(f'The hand has not answered for {GRASPED_S:g} s. Does its driver run?') from error


def _turn(start: Pose, end: Pose) -> Floats:
    """Return the axis, in the world, and with its length the angle, rad, of the shortest turn from one pose to another."""
    matrix = matmul(end.rotation, start.rotation.T)
    axis, angle = quaternions.quat2axangle(quaternions.mat2quat(matrix))
    turn: Floats = np.asarray(axis, dtype=float) * ((angle + pi) % (2 * pi) - pi)
    return turn


def _at_most(given: Floats, most: float) -> Vector:
    length = norm(given)
    return vector(given if length <= most else given * (most / length))


def _check(error: str) -> None:
    if error:
        raise CommandError(error)
