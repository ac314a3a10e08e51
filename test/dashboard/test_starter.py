"""Episodes begin with the robot and the cameras that they want, and one at a time."""

import asyncio
from concurrent.futures import Future

import pytest

from vlm_bench_sim.core.codes import EpisodeState, Verdict
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard import starter as starters
from vlm_bench_tasks.dashboard import waiting
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.outfit import Outfit
from vlm_bench_tasks.dashboard.question import Question
from vlm_bench_tasks.dashboard.starter import Starter
from vlm_bench_tasks.judging.report import Report

PANDA, XARM = 'vlmbench/pick_place', 'clevrskills/pick'
WORDS = {'split': '', 'axis': '', 'prompt': ''}


class Bench:
    """Does at once what it is asked, and notes it; what is left open is answered by a test."""

    def __init__(self):
        self.live, self.asked, self.error, self.open = Live(), [], '', []

    def begin(self, **asked):
        return self._told(('begin', asked['task']))

    def halt(self):
        self.live.status('a', EpisodeState.ENDED, 0.0)
        self.live.report('a', Report(verdict=Verdict.FAILURE))
        return self._told('halt')

    def change(self, settings):
        return self._told(('change', settings))

    def _told(self, what):
        self.asked.append(what)
        told = Future()
        if self.error is None:
            self.open.append(told)
        else:
            told.set_result(self.error)
        return told


def begun(bench, outfit, task=PANDA, **more):
    starter = Starter(bench.live, bench, outfit=outfit)
    return asyncio.run(starter.begin(task=task, seed=1, words=WORDS, **more))


def test_each_task_gets_the_robot_for_which_it_is_made():
    bench, outfit = Bench(), Outfit(task=PANDA, robot='panda', cameras='vlmbench', changeable=True)
    assert begun(bench, outfit) == {'robot': 'panda', 'cameras': 'vlmbench'}
    assert begun(bench, outfit, XARM) == {'robot': 'xarm6', 'cameras': 'vlmbench'}
    assert begun(bench, outfit, XARM, cameras='clevrskills:base') == {'robot': 'xarm6', 'cameras': 'clevrskills:base'}
    assert begun(bench, outfit, XARM, robot='ur5e', cameras='clevrskills:base') == {'robot': 'ur5e', 'cameras': 'clevrskills:base'}
    assert begun(bench, outfit, 'no/task')['robot'] == 'ur5e'
    changes = [('change', {'robot': 'xarm6'}), ('change', {'cameras': 'clevrskills:base'}), ('change', {'robot': 'ur5e'})]
    assert [each for each in bench.asked if each[0] == 'change'] == changes
    assert [each[1] for each in bench.asked if each[0] == 'begin'] == [PANDA, XARM, XARM, XARM, 'no/task']


def test_a_robot_that_was_chosen_at_the_start_stays():
    bench, outfit = Bench(), Outfit(task=PANDA, robot='fr3', cameras='none', changeable=True)
    assert begun(bench, outfit, XARM)['robot'] == 'fr3' and bench.asked == [('begin', XARM)]
    assert outfit.told()['robots'] and 'none' in outfit.told()['sets'] and not outfit.told()['follows']


def test_where_nobody_would_start_the_bench_again_nothing_is_changed():
    bench, outfit = Bench(), Outfit(task=PANDA, robot='panda', cameras='vlmbench')
    assert begun(bench, outfit, XARM, robot='ur5e')['robot'] == 'panda' and bench.asked == [('begin', XARM)]
    assert 'robots' not in outfit.told()


def test_an_episode_that_runs_ends_before_the_bench_does():
    bench, outfit = Bench(), Outfit(task=PANDA, robot='panda', changeable=True)
    bench.live.status('a', EpisodeState.RUNNING, 9.0)
    begun(bench, outfit, XARM)
    assert bench.asked == ['halt', ('change', {'robot': 'xarm6'}), ('begin', XARM)]


def test_a_change_that_is_refused_is_none():
    bench, outfit = Bench(), Outfit(task=PANDA, robot='panda', changeable=True)
    bench.error = 'There is no robot called rodent.'
    with pytest.raises(CommandError, match='rodent'):
        begun(bench, outfit, robot='rodent')
    assert outfit.robot == 'panda' and bench.asked == [('change', {'robot': 'rodent'})]


def test_one_begins_at_a_time_and_waits_as_long_as_a_person_lays_the_table(monkeypatch):
    monkeypatch.setattr(waiting, 'ANSWER_S', 0.1)
    bench = Bench()
    bench.error = None
    starter = Starter(bench.live, bench, outfit=Outfit())

    async def run():
        bench.live.asked(Question(id='1', kind='lay_table', text='Is it done?'))
        first = asyncio.create_task(starter.begin(task=PANDA, seed=1, words=WORDS))
        await asyncio.sleep(0.35)
        assert not first.done()
        with pytest.raises(CommandError, match='is being begun'):
            await starter.begin(task=PANDA, seed=2, words=WORDS)
        bench.live.withdrawn('1')
        with pytest.raises(CommandError, match='has not answered'):
            await asyncio.wait_for(first, 5)

    asyncio.run(run())


def test_a_page_that_is_closed_while_the_bench_starts_again_stops_nothing():
    bench, outfit = Bench(), Outfit(task=PANDA, robot='panda', changeable=True)
    bench.error = None
    starter = Starter(bench.live, bench, outfit=outfit)

    async def run():
        first = asyncio.create_task(starter.begin(task=XARM, seed=1, words=WORDS))
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.sleep(0.05)
        with pytest.raises(CommandError, match='is being begun'):
            await starter.begin(task=PANDA, seed=1, words=WORDS)
        bench.open.pop().set_result('')
        await asyncio.sleep(0.05)
        assert outfit.robot == 'xarm6'
        bench.error = ''
        assert (await starter.begin(task=PANDA, seed=1, words=WORDS))['robot'] == 'panda'

    asyncio.run(run())
    assert bench.asked == [('change', {'robot': 'xarm6'}), ('change', {'robot': 'panda'}), ('begin', PANDA)]


def test_an_episode_that_does_not_end_is_not_cut_off(monkeypatch):
    monkeypatch.setattr(starters, 'ENDED_S', 0.1)
    bench, outfit = Bench(), Outfit(task=PANDA, robot='panda', changeable=True)
    bench.live.status('a', EpisodeState.RUNNING, 9.0)
    bench.halt = lambda: bench._told('halt')
    with pytest.raises(CommandError, match='has not ended'):
        begun(bench, outfit, XARM)
    assert bench.asked == ['halt'] and outfit.robot == 'panda'
