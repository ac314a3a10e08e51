"""A person drives the arm through the page, with real keys and a real mouse: demonstrations are judged and exported like the expert's."""

import json
import subprocess
import time

import numpy as np
import pytest
from playwright.sync_api import expect
from transforms3d import euler

from test.browser.conftest import VLM_BENCH, served
from test.browser.steering import DOWN, above, begin, go, hand, lower, pull_arrow, slide, steer, tool, touch_down, turn_ring
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.launching.domain import free

pytest.importorskip('rclpy')
SET = ('--set', 'dash_port:=0', '--set', 'autostart:=false')
UP = ('up', '--dash', '--cameras', 'vlmbench:front', '--size', '128x96', *SET)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('driven')


@pytest.fixture(scope='module')
def address(folder):
    missions = folder.with_suffix('.yaml')
    missions.write_text(MISSIONS)
    with served(*UP, '--record', folder, '--set', f'missions:={missions}', ROS_DOMAIN_ID=str(free(70))) as found:
        yield found


def complete(folder, task=''):
    return {path.parent for path in folder.glob(f'{task.replace("/", "-") or "[!.]"}*/metadata.yaml')}


def demonstrated(folder, before, task=''):
    """Return the one bag of a task that is new, once it is complete; it is judged as a success again."""
    (newest,) = complete_soon(folder, before, task)
    judgement, bag = judge(newest), open_bag(newest)
    assert judgement.agrees and judgement.report.verdict.value == bag.custom['verdict'] == 'success'
    assert bag.custom['operator'] == 'anna' and 'truth_view' in bag.custom['assistance'].split()
    return newest


@pytest.mark.parametrize('prompt', ['words', 'pictures'])
def test_pick_place_is_demonstrated_by_pointing_and_keys(opened, address, folder, prompt):
    props = {prop.name: prop for prop in catalogue.build('vlmbench/pick_place', 'seen', 1000).scene.props}
    thing, container = props['object_2'], props['container_2']  # orange, red
    page, before = opened(address), complete(folder)
    begin(page, 'vlmbench/pick_place', prompt=prompt)
    assert (page.locator('.prompts img').count() > 0) is (prompt == 'pictures')
    above(page, thing.pose.position)
    lower(page, (*thing.pose.position[:2], 0.02))
    hand(page, 'Open gripper')
    steer(page, Pose.of((*thing.pose.position[:2], 0.2), DOWN), within=0.02)
    above(page, container.pose.position)
    hand(page, 'Close gripper')
    expect(page.locator('.badge')).to_have_text('success, score 100', timeout=60_000)
    expect(page.locator('#clock')).to_contain_text('recorded')
    page.locator('#discard').click()
    expect(page.locator('#discard')).to_have_text('Discard a success?')
    about = open_bag(demonstrated(folder, before)).custom
    assert (about['devices'], about['prompt']) == ('keyboard pointer', prompt)


def test_a_drawer_is_demonstrated_by_the_handle_at_the_tool_and_keys(opened, address, folder):
    """The hand is turned level before the chest by the rings, reaches for the handle of the drawer, closes, and pulls."""
    page, before = opened(address), complete(folder)
    begin(page, 'vlmbench/drawer')
    level = Pose.of((0.6, 0.17, 0.265), (0.31676793, -0.63218516, 0.63218516, -0.31676793))  # how the expert holds it in this seed
    page.keyboard.press('p')
    first = tool(page)
    for axis, angle in zip('xyz', euler.mat2euler(level.rotation @ first.rotation.T, 'sxyz'), strict=True):
        if abs(angle) > 0.02:
            turn_ring(page, first.position, axis, angle)
    middle = np.array(first.position)
    for axis, metres in zip('xyz', np.subtract(level.position, first.position), strict=True):
        pull_arrow(page, middle, axis, metres)
        middle['xyz'.index(axis)] += metres
    go(page)
    assert tool(page).distance(level) < 0.02 and tool(page).angle(level) < 0.1
    page.keyboard.press('p')
    slide(page, (0.742, 0.0664))
    hand(page, 'Open gripper')
    slide(page, (0.654, 0.132))
    page.keyboard.press('Space')  # the goal is watched while the hand opens: it must hold at rest
    expect(page.locator('.badge')).to_have_text('success, score 100', timeout=60_000)
    demonstrated(folder, before)


def test_the_demonstrations_are_exported_to_lerobot(folder, tmp_path):
    out = tmp_path / 'lerobot'
    subprocess.run([*VLM_BENCH, 'export', 'lerobot', folder, out, '--cameras', 'front'], check=True, capture_output=True)
    assert json.loads((out / 'meta' / 'info.json').read_text())['total_episodes'] == 3


MISSIONS = """
name: lessons
attempts: 2
missions:
  - {task: vlmbench/stack, seeds: "1000:1002"}
  - {task: vlmbench/drawer, seeds: 1000, prompt: pictures}
"""


def test_missions_are_carried_out_discarded_and_failed(opened, address, folder):
    page, before = opened(address), complete(folder)
    page.fill('#operator', 'anna')
    expect(page.locator('#missions-count')).to_have_text('0 of 3 done, 0 failed, 0 begun')
    page.get_by_role('button', name='Next mission').click()
    expect(page.locator('#mission-says')).to_have_text('lessons 1, attempt 1')
    expect(page.locator('body.driving')).to_be_attached()
    expect(page.locator('#mission-rows [aria-current]')).to_contain_text('seed 1000 · anna')
    expect(page.locator('.facts').first).to_contain_text('vlmbench/stack')
    page.keyboard.down('w')
    time.sleep(0.5)
    page.keyboard.up('w')
    page.get_by_role('button', name='Discard').click()
    expect(page.locator('#mission-says')).to_contain_text('Moved to .discarded: vlmbench-stack', timeout=60_000)
    away = {path.name for path in (folder / '.discarded').iterdir()}
    assert len(away) == 1 and complete(folder) == before
    page.locator('#mission-rows button').nth(2).click()
    expect(page.locator('#mission-says')).to_have_text('lessons 3, attempt 1')
    expect(page.locator('.facts').first).to_contain_text('vlmbench/drawer')
    page.locator('main').focus()
    page.keyboard.press('t', delay=200)
    page.keyboard.press('x')
    expect(page.locator('#mission-rows button').nth(2)).to_contain_text('1 of 2 failed', timeout=60_000)
    (bag,) = complete_soon(folder, before)
    about = open_bag(bag).custom
    assert (about['operator'], about['mission'], about['attempt'], about['cause']) == ('anna', 'lessons 3', '1', 'stopped')


def complete_soon(folder, before, task=''):
    """Return the bags of a task that are new, once there are any."""
    until = time.monotonic() + 60
    while not (found := complete(folder, task) - before):
        assert time.monotonic() < until, list(folder.iterdir())
        time.sleep(0.1)
    return found


def periods(page):
    """Return the control periods of the episode that is shown; -1 while the next one is being set up."""
    first = page.locator('#clock').inner_text().split()[0]
    return round(20 * float(first)) if first[0].isdigit() else -1


def stands(page):
    """Return whether time stands still, for as long as ten control periods take; what a busy page shows late has three seconds to come."""
    before = None
    for _ in range(6):
        if (now := periods(page)) == before:
            return True
        before = now
        time.sleep(0.5)
    return False


COUNT = """
const { send } = WebSocket.prototype;
window.moves = 0;
WebSocket.prototype.send = function (text) {
    if (text.includes('"do":"move"')) window.moves += 1;
    return send.call(this, text);
};
for (const end of ['keyup', 'blur']) addEventListener(end, () => { window.then = window.moves; }, { capture: true });
"""
"""Counts the commands that a page sends, each of which moves the arm for a period, and notes how many there were at the end."""


@pytest.mark.parametrize('end', ['key-up', 'button', 'blur', 'lost socket'])
def test_the_arm_stops_when_nobody_acts(opened, address, end):
    page = opened(address, script=COUNT)
    begin(page, 'vlmbench/stack')
    assert stands(page)
    page.keyboard.down('d')
    before = periods(page)
    for _ in range(200):
        if periods(page) > before + 5:
            break
        time.sleep(0.02)
    assert periods(page) > before + 5
    if end == 'key-up':
        page.keyboard.up('d')
    elif end == 'button':
        page.get_by_role('button', name='Stop the arm').click()
    elif end == 'blur':
        page.evaluate("window.dispatchEvent(new Event('blur'))")
    else:
        page.close()
        page = opened(address)
        expect(page.locator('#clock')).to_contain_text('running')
    assert stands(page)
    if end in ('key-up', 'blur'):
        assert page.evaluate('[window.then > 0, window.moves - window.then]') in ([True, 0], [True, 1])


def test_the_tool_follows_the_handle_to_where_it_is_held(opened, address):
    page, second = opened(address), opened(address)
    begin(page, 'vlmbench/stack')
    first = tool(page)
    pull_arrow(page, np.array(first.position), 'y', -0.12, holding=lambda: time.sleep(2.0))
    assert np.allclose(np.subtract(tool(page).position, first.position), [0, -0.12, 0], atol=0.005)
    assert stands(page)
    expect(second.locator('#clock')).to_contain_text('running')
    second.locator('main').focus()
    second.keyboard.press('r')
    expect(second.locator('.alert')).to_contain_text('Another page drives the arm')


PAD = """
window.sticks = [0, 0, 0, 0];
const button = { pressed: false, value: 0 };
navigator.getGamepads = () => [null, { connected: true, mapping: 'standard', axes: window.sticks, buttons: Array(8).fill(button) }];
"""


def test_a_gamepad_drives_and_its_dead_zone_does_not(opened, address):
    page = opened(address, script=PAD)
    begin(page, 'vlmbench/stack')
    page.evaluate('window.sticks = [0.1, -0.12, 0.14, -0.1]')
    first = tool(page)
    assert stands(page) and tool(page) == first
    page.evaluate('window.sticks = [0, 0, 0, -1]')
    for _ in range(100):
        if tool(page).position[2] > first.position[2] + 0.03:
            break
        time.sleep(0.02)
    page.evaluate('window.sticks = [0, 0, 0, 0]')
    off = np.subtract(tool(page).position, first.position)
    assert off[2] > 0.03 and np.abs(off[:2]).max() < 0.01
    assert stands(page)


def test_a_task_of_another_suite_asked_in_pictures_is_demonstrated_with_suction_cups(opened, address, folder):
    (cube,) = catalogue.build('clevrskills/pick', '', 1000, '', 'pictures').scene.props
    x, y, z = cube.pose.position
    page, before = opened(address), complete(folder)
    begin(page, 'clevrskills/pick', prompt='pictures')
    expect(page.locator('.facts').first).to_contain_text('xarm6')
    assert page.locator('.prompts img').count() > 0
    expect(page.locator('#drive-hand')).to_have_text('Suction on')
    above(page, cube.pose.position)
    lower(page, (x, y, z + cube.size[2] / 2 - 0.002), within=0.003, turn=0.05)
    touch_down(page)
    hand(page, 'Suction off')
    page.keyboard.press('t', delay=300)
    steer(page, Pose.of((x, y, z + 0.15), DOWN), within=0.02, turn=0.3, over=lambda: 'success' in page.locator('.badge').inner_text())
    expect(page.locator('.badge')).to_have_text('success, score 100', timeout=60_000)
    assert open_bag(demonstrated(folder, before, 'clevrskills/pick')).custom['robot'] == 'xarm6'
