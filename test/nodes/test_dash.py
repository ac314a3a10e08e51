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
                seen = await told.until(lambda now: now['state'] == 'running' and now['free'] and 'front' in now['cameras'])
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
