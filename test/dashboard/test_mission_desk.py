"""Missions on the page: whose attempt it is, how it ends, and what becomes of a bag that is discarded."""

import asyncio
import json
from concurrent.futures import Future

import pytest

from test.dashboard.arm import TOOL, Arm
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.codes import EpisodeState, Verdict
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.dashboard import mission_desk as desks
from vlm_bench_tasks.dashboard import waiting, wire
from vlm_bench_tasks.dashboard.driving import Driving
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.mission_desk import AWAY, MissionDesk
from vlm_bench_tasks.dashboard.missions import Missions
from vlm_bench_tasks.dashboard.outfit import Outfit
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.starter import Starter
from vlm_bench_tasks.dataset.reel import Moment
from vlm_bench_tasks.judging.report import Report

PLAN = """
name: first
missions:
  - {task: vlmbench/pick_place, seeds: "0:3", axis: shape}
"""


class Studio:
    """Works at once."""

    async def worked(self, work):
        return work()


class Bench:
    """Begins episodes with the tokens e1, e2 and so on."""

    def __init__(self, live):
        self.live, self.asked, self.error = live, [], ''
        self.later = False

    def begin(self, *, task, seed, words, perturbation):
        self.asked.append((task, seed, words['axis'], words['prompt']))
        if not self.error:
            token = f'e{len(self.asked)}'
            if self.later:  # the announcement comes after the answer
                asyncio.get_running_loop().call_later(0.05, self._announce, token)
            else:
                self._announce(token)
        return self._told()

    def _announce(self, token):
        self.live.episode(token, {'robot': 'panda'})
        self.live.status(token, EpisodeState.RUNNING, 60.0)

    def halt(self):
        self.asked.append('halt')
        self.over(Verdict.FAILURE)
        return self._told()

    def over(self, verdict):
        self.live.report(self.live.token, Report(verdict=verdict, token=self.live.token))
        self.live.status(self.live.token, EpisodeState.ENDED, 0.0)

    def _told(self):
        future = Future()
        future.set_result(self.error)
        return future


class Window:
    """The desk, with a page that drives."""

    def __init__(self, folder):
        (folder / 'first.yaml').write_text(PLAN)
        self.folder, self.live, self.page = folder, Live(), Page()
        self.live.moment = lambda: (Moment(Snapshot(0, 0, {}, TOOL, 0.0), Scene(()), {}), 'panda')
        self.bench, self.arm = Bench(self.live), Arm(self.live)
        self.driving = Driving(self.live, self.arm)
        self.missions = Missions(folder / 'first.yaml')
        self.starter, bags = Starter(self.live, self.bench, outfit=Outfit()), folder / 'bags'
        self.desk = MissionDesk(self.live, self.starter, driving=self.driving, studio=Studio(), missions=self.missions, folder=bags)
        asyncio.run(self.driving.answer(wire.Take(id=1, do='take', operator='anna'), self.page))

    def ask(self, do, page=None, **fields):
        return asyncio.run(self.desk.answer(wire.read(json.dumps({'id': 1, 'do': do, **fields})), page or self.page))

    def settle(self):
        asyncio.run(self.desk.settle())

    @property
    def states(self):
        return [row['state'] for row in self.ask('missions')['rows']]


@pytest.fixture
def window(tmp_path, monkeypatch):
    monkeypatch.setattr(waiting, 'PATIENCE_S', 0.1)
    monkeypatch.setattr(desks, 'CLOSED_S', 0.2)
    monkeypatch.setattr(desks, '_TURN_S', 0.02)
    return Window(tmp_path)


def bag(window, token):
    writer = BagWriter(window.folder / 'bags', f'bag_{token}', custom={'token': token})
    return writer.close({})


def test_the_next_mission_is_begun_in_the_name_of_who_drives(window):
    assert window.ask('mission') == {'mission': 'first 1', 'attempt': 1, 'of': 3}
    assert window.bench.asked == [('vlmbench/pick_place', 0, 'shape', 'words')]
    assert window.ask('missions')['now'] == 'first 1' and window.states == ['open', 'waiting', 'waiting']
    asyncio.run(window.driving.answer(wire.Alive(id=1, do='alive'), window.page))
    told, token = window.arm.told[-1]
    assert (token, told.name, told.mission, told.attempt) == ('e1', 'anna', 'first 1', 1)
    with pytest.raises(CommandError, match='does not drive'):
        window.ask('mission', Page())


@pytest.mark.parametrize(('verdict', 'state'), [(Verdict.SUCCESS, 'done'), (Verdict.FAILURE, 'waiting'), (Verdict.UNOBSERVABLE, 'waiting')])
def test_its_end_is_written_down_once(window, verdict, state):
    window.ask('mission')
    window.settle()
    assert window.states[0] == 'open'
    window.bench.over(verdict)
    window.settle()
    assert window.states[0] == state
    (row, *_) = window.ask('missions')['rows']
    assert row['failed'] == (verdict is Verdict.FAILURE), 'nobody fails through the fault of the bench'
    window.settle()
    assert window.ask('missions')['rows'][0] == row


def test_an_attempt_that_gives_way_to_another_episode_has_failed(window):
    window.ask('mission')
    window.ask('mission', name='first 3')
    assert window.states == ['waiting', 'waiting', 'open']
    window.bench.begin(task='x', seed=0, words={'axis': '', 'prompt': ''}, perturbation='')
    window.settle()
    assert [row['failed'] for row in window.ask('missions')['rows']] == [1, 0, 1]


def test_who_presses_twice_begins_one_mission(window):
    async def run():
        ask = wire.BeginMission(id=1, do='mission')
        return await asyncio.gather(*(window.desk.answer(ask, window.page) for _ in range(2)), return_exceptions=True)

    window.bench.later = True
    first, second = asyncio.run(run())
    assert first['mission'] == 'first 1' and 'is being begun' in str(second) and window.states == ['open', 'waiting', 'waiting']


def test_an_attempt_that_the_bench_refuses_is_none(window):
    window.bench.error = 'The scene could not be laid.'
    with pytest.raises(CommandError, match='could not be laid'):
        window.ask('mission')
    assert window.states == ['waiting'] * 3 and window.ask('missions')['rows'][0]['failed'] == 0


def test_what_is_discarded_is_ended_does_not_count_and_its_bag_is_put_away(window):
    window.ask('mission')
    path, other = bag(window, 'e1'), bag(window, 'another')
    assert window.ask('discard') == {'bag': str(window.folder / 'bags' / AWAY / path.name)}
    assert window.bench.asked[-1] == 'halt' and window.states[0] == 'waiting'
    assert not path.exists() and other.exists() and (window.folder / 'bags' / AWAY / path.name / 'metadata.yaml').exists()


def test_a_success_can_be_discarded_too(window):
    window.ask('mission')
    window.bench.over(Verdict.SUCCESS)
    window.settle()
    bag(window, 'e1')
    window.ask('discard')
    assert window.states[0] == 'waiting' and 'halt' not in window.bench.asked


def test_a_bag_that_is_not_there_is_told(window):
    with pytest.raises(CommandError, match='no episode to discard'):
        window.ask('discard')
    window.ask('mission')
    (window.folder / 'bags').mkdir()
    with pytest.raises(CommandError, match='No bag of this episode was completed'):
        window.ask('discard')


def test_without_missions_episodes_can_be_discarded_and_nothing_else(window):
    desk = MissionDesk(window.live, window.starter, driving=window.driving, studio=Studio())
    assert desk.about == {'missions': '', 'records': False}
    window.bench.begin(task='x', seed=0, words={'axis': '', 'prompt': ''}, perturbation='')
    assert asyncio.run(desk.answer(wire.Discard(id=1, do='discard'), window.page)) == {'bag': ''}
    with pytest.raises(CommandError, match='has no missions'):
        asyncio.run(desk.answer(wire.ListMissions(id=1, do='missions'), window.page))
