"""The window beside a running bench shows what it says, and begins and ends episodes; of a scored one it knows what policies know."""

import asyncio
import json
import re
import time
from contextlib import asynccontextmanager

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('websockets')

from websockets.asyncio.client import connect

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_sim.ros import names

pytestmark = pytest.mark.ros
TASK = 'vlmbench/pick_place'
CAMERA = {'cameras': 'vlmbench:front', 'width': 64, 'height': 48, 'camera_rate': 4.0}
SIZE = {'width': 64, 'height': 48}
LONGEST_S = 90.0


class Page:
    """A page's socket."""

    def __init__(self, socket):
        self.socket, self.number = socket, 0

    async def ask(self, do, **fields):
        self.number += 1
        await self.socket.send(json.dumps({'id': self.number, 'do': do, **fields}))
        while True:
            answer = await asyncio.wait_for(self.socket.recv(), 60)
            if isinstance(answer, bytes):
                return answer[4:]
            told = json.loads(answer)
            if told['id'] == self.number:  # no late answer to another question
                return told['ok'] if 'ok' in told else told['error']

    async def until(self, true):
        """Watch until something is true of what is told, and return that."""
        since, end = 0, time.monotonic() + LONGEST_S
        while time.monotonic() < end:
            told = await self.ask('watch', since=since)
            if true(told):
                return told
            since = told['version']
        raise AssertionError({name: told[name] for name in ('state', 'token', 'question', 'judged', 'tool', 'free', 'cameras')})


@asynccontextmanager
async def page(bench):
    bench.wait((bench._folder / 'dash_node.log').exists, 'its output')
    bench.wait(lambda: 'Open http' in bench.log('dash_node'), 'the address of the window')
    async with opened(bench.log('dash_node')) as made:
        yield made


@asynccontextmanager
async def opened(output):
    """Open the address that a window has printed."""
    port, token = re.search(r'Open http://127.0.0.1:(\d+)/#(\S+)', output).groups()
    async with connect(f'ws://127.0.0.1:{port}/socket?token={token}', origin=f'http://127.0.0.1:{port}', max_size=None) as socket:
        yield Page(socket)


def test_an_episode_is_begun_watched_and_ended_from_the_page(start_bench, domains):
    with start_bench(domain=domains(), dash=True, dash_port=0, **CAMERA) as bench:

        async def run():
            async with page(bench) as told:
                assert 'vlmbench/pick_plaice' in await told.ask('begin', task='vlmbench/pick_plaice')
                assert (await told.ask('begin', task=TASK, seed=1000))['robot'] == 'panda'
                seen = await told.until(
                    lambda now: now['state'] == 'running' and now['free'] and now['clauses'] and 'front' in now['cameras']
                )
                assert (seen['task'], seen['seed'], seen['robot'], seen['judged']['verdict']) == (TASK, '1000', 'panda', 'running')
                assert seen['instruction'] and seen['clauses'] and not seen['clauses'][0]['holds']
                free, front = await told.ask('see', **SIZE), await told.ask('see', camera='front')
                assert pixels(free[4:]).shape == pixels(front[4:]).shape == (48, 64, 3)
                assert await told.ask('halt') == {}
                over = await told.until(lambda now: now['state'] == 'ended' and now['judged']['verdict'] != 'running')
                assert over['judged']['causes'][0] == 'stopped' and [mark['kind'] for mark in over['marks']] == ['stop']
                assert over['periods'] == over['judged']['seq'] + 1
                assert 'No episode is running' in await told.ask('halt')
                assert (await told.ask('begin', task=TASK, seed=1001))['robot'] == 'panda'
                again = await told.until(lambda now: now['token'] != over['token'] and now['state'] == 'running')
                assert again['seed'] == '1001' and again['marks'] == []

        asyncio.run(run())


def test_of_a_scored_bench_no_truth_is_shown(start_bench, domains):
    with start_bench(domain=domains(), dash=True, dash_port=0, scored=True, **CAMERA) as bench:

        async def run():
            async with page(bench) as told:
                assert (await told.ask('begin', task=TASK, seed=1000))['robot'] == 'panda'
                seen = await told.until(lambda now: now['state'] == 'running' and 'front' in now['cameras'])
                assert not seen['free'] and 'seed' not in seen and seen['clauses'] == seen['things'] == seen['progress'] == []
                assert seen['instruction'] and pixels((await told.ask('see', camera='front'))[4:]).shape == (48, 64, 3)
                assert await told.ask('see', **SIZE) == {'shown': 0}
                assert await told.ask('halt') == {}
                over = await told.until(lambda now: now['state'] == 'ended' and now['judged']['verdict'] != 'running')
                assert over['judged']['causes'][0] == 'stopped' and 'seed' not in over and over['things'] == over['marks'] == []

        asyncio.run(run())


def apart(one, other):
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


async def driven(told, periods, **how):
    """Move, and return how the tool has moved, m."""
    before = (await told.ask('watch'))['tool']['position']
    for _ in range(periods):
        answer = await told.ask('move', **how)
        assert not isinstance(answer, str), answer
        after = answer['tool']['position']
    return [b - a for a, b in zip(before, after, strict=True)]


def test_a_person_drives_and_time_passes_only_meanwhile(start_bench, domains, tmp_path):
    """The bench waits for one who thinks, for longer than for a silent policy, and no longer for one who has left."""
    short = {'policy_timeout': 4.0, 'participant_timeout': 3.0}
    with start_bench(domain=domains(), dash=True, dash_port=0, record=str(tmp_path), **CAMERA, **short) as bench:

        async def run():
            async with page(bench) as other:
                async with page(bench) as told:
                    await told.ask('take', operator='anna')
                    assert 'No episode is running' in await told.ask('move')
                    assert (await told.ask('begin', task=TASK, seed=1000))['robot'] == 'panda'
                    began = await told.until(lambda now: now['state'] == 'running' and now['tool'] and now['free'])
                    moved = await driven(told, 10, linear=[0, 1, 0])
                    assert 0.03 < moved[1] < 0.14 and abs(moved[0]) < 0.005 > abs(moved[2])
                    assert 'does not drive' in await other.ask('move') and 'Another page' in await other.ask('take')
                    for _ in range(60):
                        await told.ask('alive')
                        await asyncio.sleep(0.1)
                    seen = await told.until(lambda now: now['periods'] >= began['periods'] + 10)
                    assert seen['state'] == 'running' and seen['periods'] <= began['periods'] + 12, 'no time has passed'
                    assert (await told.ask('grasp', closed=True))['tool']
                over = await other.until(lambda now: now['judged']['verdict'] == 'failure')
                assert (over['judged']['causes'][0], over['assistance']) == ('policy_timeout', 'truth_view')
                assert [mark['text'] for mark in over['marks'] if mark['kind'] == 'assistance'] == ['aid: truth_view']

        asyncio.run(run())
        bench.wait(lambda: 'Recorded' in bench.log('recorder_node'), 'the bag')
    (bag,) = map(open_bag, tmp_path.iterdir())
    assert (bag.custom['operator'], bag.custom['devices']) == ('anna', 'keyboard')


def test_a_planned_motion_ends_with_its_page(start_bench, domains):
    with start_bench(domain=domains(), dash=True, dash_port=0, scored=True, **CAMERA) as bench:

        async def run():
            async with page(bench) as told:
                assert (await told.ask('begin', task=TASK, seed=1000))['robot'] == 'panda'
                await told.until(lambda now: now['state'] == 'running' and now['tool'])
                await told.ask('take')
                target = {'position': [0.45, -0.2, 0.2], 'orientation': [1, 0, 0, 0]}
                await told.socket.send(json.dumps({'id': 900, 'do': 'go', **target}))
                await asyncio.sleep(0.05)
            async with page(bench) as told:
                await asyncio.sleep(1.0)
                first = (await told.ask('watch'))['tool']['position']
                await asyncio.sleep(0.5)
                assert (await told.ask('watch'))['tool']['position'] == first
                assert apart(first, target['position']) > 0.05
                assert await told.ask('take') == {}
                await told.socket.send(json.dumps({'id': 901, 'do': 'go', **target}))
                for _ in range(200):
                    await told.socket.send(json.dumps({'id': 902, 'do': 'alive'}))
                    answer = json.loads(await told.socket.recv())
                    if answer['id'] == 901:
                        break
                    await asyncio.sleep(0.05)
                assert apart(answer['ok']['tool']['position'], target['position']) < 0.005
                assert apart((await told.ask('watch'))['tool']['position'], target['position']) < 0.005
                assert await told.ask('halt') == {}
                over = await told.until(lambda now: now['judged']['verdict'] == 'failure')
                assert over['judged']['causes'][0] == 'stopped' and over['assistance'] == ''

        asyncio.run(run())


def test_whoever_closes_a_page_or_forges_what_it_shows_ends_no_window(start_bench, domains):
    """A page that is closed while its wish is open wants it no more; and the bench has no key, so anybody can say anything."""
    bench = start_bench(domain=domains(), dash=True, dash_port=0, only=('dash_node',))
    bench.client.listen(names.SCENE)

    async def run():
        async with page(bench) as told:
            for _ in range(3):
                await told.socket.send(json.dumps({'id': 1, 'do': 'begin', 'task': TASK}))
            await asyncio.sleep(0.5)
        bench.client.say(names.STATUS, {'token': 'x', 'state': 77, 'time_left': 1.0})
        bench.client.say(names.LAG, {'data': float('nan')})
        async with page(bench) as told:
            assert (await told.ask('watch'))['state'] == 'idle'
        for name in bench.specs.keys() - {'dash_node'}:
            bench.start(name)
        bench.wait(lambda: bench.client.heard(names.SCENE), 'the simulator', 60)
        async with page(bench) as told:
            assert (await told.ask('begin', task=TASK, seed=1001))['robot'] == 'panda'
            assert (await told.until(lambda now: now['state'] == 'running'))['seed'] == '1001'

    asyncio.run(run())
    bench.check()
    assert 'INFO' not in next(line for line in bench.log('dash_node').splitlines() if 'Open http' in line), 'the log goes to the domain'
