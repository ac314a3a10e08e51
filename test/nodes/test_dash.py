"""The window beside a running bench shows what it says, and begins and ends episodes; of a scored one it knows what policies know."""

import asyncio
import json
import re
from contextlib import asynccontextmanager

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('websockets')

from websockets.asyncio.client import connect

from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_sim.ros import names

pytestmark = pytest.mark.ros
TASK = 'vlmbench/pick_place'
CAMERA = {'cameras': 'vlmbench:front', 'width': 64, 'height': 48, 'camera_rate': 4.0}
SIZE = {'width': 64, 'height': 48}


class Page:
    """A page's socket."""

    def __init__(self, socket):
        self.socket, self.number = socket, 0

    async def ask(self, do, **fields):
        self.number += 1
        await self.socket.send(json.dumps({'id': self.number, 'do': do, **fields}))
        answer = await asyncio.wait_for(self.socket.recv(), 60)
        if isinstance(answer, bytes):
            return answer[4:]
        told = json.loads(answer)
        return told['ok'] if 'ok' in told else told['error']

    async def until(self, true):
        """Watch until something is true of what is told, and return that."""
        since = 0
        for _ in range(2000):
            told = await self.ask('watch', since=since)
            if true(told):
                return told
            since = told['version']
        raise AssertionError(told)


@asynccontextmanager
async def page(bench):
    bench.wait((bench._folder / 'dash_node.log').exists, 'its output')
    bench.wait(lambda: 'Open http' in bench.log('dash_node'), 'the address of the window')
    port, token = re.search(r'Open http://127.0.0.1:(\d+)/#(\S+)', bench.log('dash_node')).groups()
    async with connect(f'ws://127.0.0.1:{port}/socket?token={token}', origin=f'http://127.0.0.1:{port}', max_size=None) as socket:
        yield Page(socket)


def test_an_episode_is_begun_watched_and_ended_from_the_page(start_bench, domains):
    with start_bench(domain=domains(), dash=True, dash_port=0, **CAMERA) as bench:

        async def run():
            async with page(bench) as told:
                assert 'vlmbench/pick_plaice' in await told.ask('begin', task='vlmbench/pick_plaice')
                assert await told.ask('begin', task=TASK, seed=1000) == {}
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
                assert await told.ask('begin', task=TASK, seed=1001) == {}
                again = await told.until(lambda now: now['token'] != over['token'] and now['state'] == 'running')
                assert again['seed'] == '1001' and again['marks'] == []

        asyncio.run(run())


def test_of_a_scored_bench_no_truth_is_shown(start_bench, domains):
    with start_bench(domain=domains(), dash=True, dash_port=0, scored=True, **CAMERA) as bench:

        async def run():
            async with page(bench) as told:
                assert await told.ask('begin', task=TASK, seed=1000) == {}
                seen = await told.until(lambda now: now['state'] == 'running' and 'front' in now['cameras'])
                assert not seen['free'] and 'seed' not in seen and seen['clauses'] == seen['things'] == seen['progress'] == []
                assert seen['instruction'] and pixels((await told.ask('see', camera='front'))[4:]).shape == (48, 64, 3)
                assert await told.ask('see', **SIZE) == {'shown': 0}
                assert await told.ask('halt') == {}
                over = await told.until(lambda now: now['state'] == 'ended' and now['judged']['verdict'] != 'running')
                assert over['judged']['causes'][0] == 'stopped' and 'seed' not in over and over['things'] == over['marks'] == []

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
            assert await told.ask('begin', task=TASK, seed=1001) == {}
            assert (await told.until(lambda now: now['state'] == 'running'))['seed'] == '1001'

    asyncio.run(run())
    bench.check()
    assert 'INFO' not in next(line for line in bench.log('dash_node').splitlines() if 'Open http' in line), 'the log goes to the domain'
