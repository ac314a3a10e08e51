"""The window of `vlm-bench up` has the bench started again with another robot or other cameras, and the episode then begins."""

import asyncio

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('websockets')

from test_dash import driven, opened
from test_up import Up, assert_gone, bags

from vlm_bench_sim.bags.reader import open_bag

pytestmark = [pytest.mark.ros, pytest.mark.slow]
CAMERAS = ('--cameras', 'vlmbench:front', '--size', '64x48')


def test_a_task_of_another_suite_gets_its_robot_and_its_cameras(domains, tmp_path):
    folder = tmp_path / 'bags'
    one = Up(domains(), tmp_path, '--dash', '--set', 'dash_port:=0', '--set', 'autostart:=false', '--record', str(folder), *CAMERAS)

    async def run():
        async with opened(one.output) as told:
            about = await told.ask('hello')
            assert about['changeable'] and (about['outfit']['robot'], about['outfit']['cameras']) == ('panda', 'vlmbench:front')
            assert 'There is no robot' in await told.ask('begin', task='vlmbench/pick_place', seed=1000, robot='rodent')
            assert await told.ask('take', operator='anna') == {}
            begun = await told.ask('begin', task='vlmbench/pick_place', seed=1000)
            assert begun['robot'] == 'panda'
            await told.until(lambda now: now['state'] == 'running' and now['tool'] and now['free'])
            await driven(told, 3, linear=[0, 0, 1])
            begun = await told.ask('begin', task='clevrskills/pick', seed=1000, prompt='pictures', cameras='clevrskills:base')
            assert begun == {'robot': 'xarm6', 'cameras': 'clevrskills:base'}
            now = await told.until(lambda now: now['state'] == 'running' and now['robot'] == 'xarm6' and now['cameras'] == ['base'])
            assert now['task'] == 'clevrskills/pick' and now['pictures'] > 0
            moved = await driven(told, 10, linear=[0, 0, 1])
            assert 0.03 < moved[2] < 0.2
            for _ in range(25):  # a person is there
                await told.ask('alive')
                await asyncio.sleep(0.1)
            assert await told.ask('halt') == {}
            await told.until(lambda now: now['judged']['verdict'] != 'running')

    try:
        one.wait(lambda: 'Open http' in one.output, 'the address of the window')
        asyncio.run(run())
        one.wait(lambda: len(bags(folder)) == 2 and not list(folder.glob('.*.part')), 'both bags')
        found = {bag.custom['task']: bag.custom for bag in map(open_bag, bags(folder))}
        assert {task: custom['robot'] for task, custom in found.items()} == {'vlmbench/pick_place': 'panda', 'clevrskills/pick': 'xarm6'}
        assert all(custom['operator'] == 'anna' for custom in found.values())
        _, seconds = one.send(2)
        assert_gone(one, seconds)
    finally:
        one.close()
