"""A person lays the table and judges what happened at a real arm, by the keys alone; and others are given addresses that may do less."""

import re

import pytest
from playwright.sync_api import expect

from test.browser.conftest import served
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.judging.person_judge import questions
from vlm_bench_tasks.launching.domain import free

pytest.importorskip('rclpy')
TASK = 'lohoravens/small_on_big'
REAL = ('real', '--dash', '--task', TASK, '--set', 'dash_port:=0', '--set', 'autostart:=false', '--set', 'driver_timeout:=15.0')
CLAUSES = questions(catalogue.build(TASK, 'train', 3).goal)


@pytest.fixture(scope='module')
def address():
    with served(*REAL, ROS_DOMAIN_ID=str(free(100))) as found:
        yield found


def answer(page, key, why=''):
    """Answer the open question, and not before it can have been seen."""
    expect(page.locator('#question')).to_be_focused()
    page.wait_for_timeout(700)
    expect(page.locator('#question-send')).to_be_disabled()
    other = 'n' if key == 'y' else 'y'
    for pressed in (other, key):  # the last one counts
        page.keyboard.press(pressed)
    if why:
        page.keyboard.press('Tab')
        page.keyboard.type(why)  # whose letters answer nothing
    assert page.locator('#question-said :checked').get_attribute('value') == {'y': 'yes', 'n': 'no', 'u': 'unsure'}[key]
    page.keyboard.press('Enter')


def begin(page):
    """Begin an episode, and confirm by keys that the table is laid."""
    expect(page.locator('#ask-task option')).not_to_have_count(0)
    page.select_option('#ask-task', TASK)
    page.fill('#ask-seed', '3')
    page.get_by_role('button', name='Begin').click()
    expect(page.locator('#question-title')).to_have_text('Lay the table', timeout=60_000)
    expect(page.locator('#question-things li').first).to_contain_text('cm')
    expect(page.locator('#question-picture')).to_be_visible()
    expect(page.locator('#choice-unsure')).to_be_hidden()
    assert page.locator('#live-form').evaluate('form => form.inert')
    assert page.locator('#question-picture').evaluate('picture => picture.decode().then(() => picture.naturalWidth)') == 512
    answer(page, 'y')
    expect(page.locator('#question')).to_be_hidden(timeout=60_000)
    expect(page.locator('#clock')).to_contain_text('running', timeout=60_000)


def test_every_clause_is_answered_by_the_keyboard(opened, address):
    page, asked = opened(address), []
    begin(page)
    page.keyboard.press('x')
    for number in range(len(CLAUSES)):
        expect(page.locator('#question-title')).to_have_text('Judge', timeout=60_000)
        expect(page.locator('#question-text')).not_to_have_text(asked[-1] if asked else '')
        asked.append(page.locator('#question-text').inner_text())
        answer(page, 'n' if number % 2 else 'y', 'your arm hid it' if number % 2 else '')
        expect(page.locator('#question-text')).not_to_have_text(asked[-1]) if number + 1 < len(CLAUSES) else None
    assert asked == [f'Is it true: {clause}? ({n} of {len(CLAUSES)})' for n, clause in enumerate(CLAUSES, 1)] and len(asked) > 3
    expect(page.locator('.badge')).to_have_text(re.compile('^failure'), timeout=60_000)
    expect(page.locator('#question')).to_be_hidden()


def test_others_get_addresses_that_may_do_less(opened, address):
    page = opened(address)
    page.get_by_role('button', name='Share').click()
    watch, drive, judge = (page.locator('#shares input').nth(at).input_value() for at in range(3))
    page.keyboard.press('Escape')
    watching, judging, driving = opened(watch), opened(judge), opened(drive)
    for other in (watching, judging, driving):
        expect(other.locator('#empty, .panel').first).to_be_attached()
        expect(other.get_by_role('button', name='Share')).to_be_hidden()
    begin(page)
    expect(watching.locator('#clock')).to_contain_text('running', timeout=60_000)
    for other in (watching, judging):
        expect(other.locator('#live-form')).to_be_hidden()
        other.keyboard.press('x')
    expect(page.locator('#clock')).to_contain_text('running')
    driving.keyboard.press('x')
    for other in (watching, judging, driving):
        expect(other.locator('#question-title')).to_have_text('Judge', timeout=60_000)
    for other in (watching, driving):
        expect(other.locator('#question-answer')).to_be_hidden()
    answer(judging, 'u', 'it is dark')
    expect(judging.locator('.badge')).to_have_text(re.compile('^unobservable'), timeout=60_000)
    expect(watching.locator('.facts').nth(1)).to_contain_text('it is dark')
