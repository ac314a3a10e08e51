"""The window around a real arm: a person lays the table, drives, and judges, all on its page."""

import asyncio
import json

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('websockets')

from running_real import RunningReal
from test_dash import SIZE, driven, page

from vlm_bench_sim.bags.reader import events, open_bag
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dashboard.timeline import timeline
from vlm_bench_tasks.dataset.reel import Reel
from vlm_bench_tasks.judging.person_judge import questions

pytestmark = [pytest.mark.ros, pytest.mark.long]
TASK = 'vlmbench/pick_place'
PATIENT = {'dash': True, 'dash_port': 0, 'patience': 20.0, 'observer_timeout': 30.0}  # the person lays the table at once, before all is up
WORDS = questions(catalogue.build(TASK, 'seen', 1000).goal)


async def asked(told, kind):
    """Wait for a question, and return it."""
    return (await told.until(lambda now: now['question'] and now['question']['kind'] == kind))['question']


async def begun(told, other, **more):
    """Begin an episode on one page, and lay the table on another one."""
    beginning = asyncio.create_task(told.ask('begin', task=TASK, seed=1000, **more))
    question = await asked(other, 'lay_table')
    assert 'Lay the table' in question['text'] and question['proven']
    assert pixels(await other.ask('show')).shape == (512, 512, 3)
    assert await other.ask('answer', question=question['id'], said='yes') == {}
    assert 'does not ask this any more' in await other.ask('answer', question=question['id'], said='no')
    assert (await beginning)['robot'] == 'panda'


async def judged(told, said, reason=''):
    for clause in WORDS:
        question = await told.until(lambda now, clause=clause: now['question'] and clause in now['question']['text'])
        assert await told.ask('answer', question=question['question']['id'], said=said, reason=reason) == {}
    return await told.until(lambda now: now['state'] == 'ended' and now['judged']['verdict'] != 'running')


def test_a_person_lays_the_table_drives_and_judges_on_the_page(domains, tmp_path):
    bags = tmp_path / 'bags'
    with RunningReal(domains(), tmp_path, record=str(bags), **PATIENT) as bench:

        async def run():
            async with page(bench) as told, page(bench) as other:
                assert 'does not ask' in await other.ask('answer', question='x', said='yes')
                await begun(told, other)
                assert await told.ask('take', operator='anna') == {}
                seen = await told.until(lambda now: now['state'] == 'running' and now['free'] and now['tool'] and now['robot'])
                bench.token = seen['token']
                robot = pixels((await told.ask('see', **SIZE))[4:])
                assert robot.shape == (48, 64, 3) and robot.std() > 10, 'the robot is drawn, though nobody sees the things'
                moved = await driven(told, 20, linear=[0, 0, 1])
                assert 0.05 < moved[2] < 0.3 and max(map(abs, moved[:2])) < 0.01
                going = json.dumps({'id': 900, 'do': 'go', 'position': [0.45, -0.2, 0.3], 'orientation': [1, 0, 0, 0]})
                await told.socket.send(going)
                while (answer := json.loads(await told.socket.recv()))['id'] != 900:
                    pass
                assert 'silent' in answer['error'], 'nobody said that a person is there'
                assert await told.ask('halt') == {}
                over = await judged(told, 'no', 'it lies\nbeside it')
                assert (over['judged']['verdict'], over['judged']['causes'], over['question']) == ('failure', ['stopped'], None)
                said = [mark['text'] for mark in over['marks'] if mark['kind'] == 'answer']
                assert len(said) == len(WORDS) and all('beside it' in text for text in said)

        asyncio.run(run())
        bag = open_bag(bench.bag_in(bags))
    assert (bag.custom['operator'], bag.custom['devices'], bag.custom['verdict']) == ('anna', 'keyboard', 'failure')
    reel = Reel.of(bag)  # nobody saw the things, so the robot alone is drawn
    assert not reel.moments[-1].scene.props
    told = timeline(bag.path)
    assert told['periods'] == told['judged']['seq'] + 1 < len(reel.moments) and [row['words'] for row in told['clauses']] == list(WORDS)
    assert [told.text for told in events(bag) if told.kind == EventKind.ANSWER] == [f'no {clause}\nit lies beside it' for clause in WORDS]


def test_scored_the_window_hears_what_the_person_is_asked_and_no_truth(domains, tmp_path):
    with RunningReal(domains(), tmp_path, scored=True, **PATIENT) as bench:

        async def run():
            async with page(bench) as told, page(bench) as other:
                await begun(told, other)
                seen = await told.until(lambda now: now['state'] == 'running' and now['tool'])
                assert not seen['free'] and 'seed' not in seen and seen['clauses'] == seen['things'] == []
                assert await told.ask('halt') == {}
                over = await judged(told, 'yes')
                assert over['judged']['verdict'] == 'success' and not over['free'] and 'seed' not in over and over['marks'] == []

        asyncio.run(run())
