"""A person watches a running bench, and begins and ends its episodes."""

import re

import pytest
from playwright.sync_api import expect

from test.browser.conftest import served
from vlm_bench_tasks.launching.domain import free

pytest.importorskip('rclpy')
WORDS = 'Move the orange object over to the red container and drop it inside.'
SET = ('--set', 'dash_port:=0', '--set', 'autostart:=false')
UP = ('up', '--dash', '--policy', 'oracle', '--cameras', 'vlmbench:front', '--size', '128x96', *SET)


@pytest.fixture(scope='module')
def address():
    with served(*UP, ROS_DOMAIN_ID=str(free(40))) as found:
        yield found


def test_an_episode_is_begun_and_seen_to_its_end(opened, address):
    page = opened(address)
    expect(page.locator('#ask-task option')).not_to_have_count(0)
    page.select_option('#ask-task', 'vlmbench/pick_place')
    page.fill('#ask-seed', '1000')
    page.get_by_role('button', name='Begin').click()
    expect(page.locator('.instruction')).to_have_text(WORDS, timeout=60_000)
    expect(page.locator('.badge')).to_have_text('success, score 100', timeout=60_000)
    expect(page.locator('.clauses li.true')).to_have_count(1)
    expect(page.locator('#clock')).to_contain_text('ended')
    expect(page.locator('canvas[data-samples="3"]')).to_be_visible()
    assert int(page.locator('canvas').get_attribute('data-count')) > 5
    other = opened(address)  # whose form says what runs
    expect(other.locator('#ask-seed')).to_have_value('1000')
    page.select_option('#camera', 'front')
    expect(page.locator('.note')).to_have_text('front')
    assert page.locator('canvas').evaluate('canvas => [canvas.width, canvas.height]') == [128, 96]


def test_the_next_seed_is_begun_and_stopped_by_keys(opened, address):
    page = opened(address)
    expect(page.locator('#ask-task option')).not_to_have_count(0)
    page.select_option('#ask-task', 'vlmbench/pick_place')
    page.fill('#ask-seed', '1000')
    page.locator('main').focus()
    page.keyboard.press('n')
    expect(page.locator('.facts').first).to_contain_text('seed 1001', timeout=60_000)
    expect(page.get_by_role('button', name='Done')).to_be_enabled(timeout=60_000)
    page.keyboard.press('x')
    expect(page.locator('.badge')).to_have_text(re.compile('^(failure|success)'), timeout=60_000)
    assert page.locator('#ask-seed').input_value() == '1001'


def test_what_the_bench_refuses_is_said(opened, address):
    page = opened(address)
    expect(page.locator('#ask-task option')).not_to_have_count(0)
    page.fill('#ask-perturb', 'lihgt=1')
    page.get_by_role('button', name='Begin').click()
    expect(page.get_by_role('alert')).to_contain_text('light')


def test_a_task_of_another_suite_begins_with_its_robot_and_other_cameras(opened, address):
    page = opened(address)
    expect(page.locator('#ask-task option')).not_to_have_count(0)
    assert page.locator('#ask-task').input_value() == 'vlmbench/pick_place' and page.locator('#ask-cameras').input_value() == ''
    expect(page.locator('#ask-cameras')).to_have_attribute('placeholder', 'vlmbench:front')
    page.select_option('#ask-task', 'clevrskills/pick')
    page.select_option('#ask-prompt', 'pictures')
    page.fill('#ask-cameras', 'clevrskills:base')
    page.fill('#ask-seed', '1000')
    page.get_by_role('button', name='Begin').click()
    expect(page.locator('#ask-robot')).to_contain_text('starts again')
    expect(page.locator('.facts').first).to_contain_text('xarm6', timeout=90_000)
    expect(page.locator('.prompts img')).not_to_have_count(0)
    expect(page.locator('.badge')).to_have_text('success, score 100', timeout=60_000)
    expect(page.locator('#camera option[value=base]')).to_be_attached()
    page.select_option('#ask-robot-name', 'fr3')
    page.fill('#ask-cameras', 'clevrskils')
    page.get_by_role('button', name='Begin').click()
    expect(page.get_by_role('alert')).to_contain_text('Did you mean clevrskills')
    expect(page.locator('#ask-robot')).not_to_contain_text('starts again')
