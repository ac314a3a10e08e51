"""Looking again, by a person: real keys and a real mouse on a real page."""

import re
import shutil
from base64 import b64decode

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from test.browser.conftest import dash
from test.evaluation.test_page import report, score
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_tasks.dataset.rendering import drawn
from vlm_bench_tasks.run import Bench

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.fixture(scope='module')
def address(bags):
    with dash('--bags', bags) as found:
        yield found


def row(page, verdict, task='pick_place'):
    return page.locator('.row').filter(has_text=task).filter(has=page.locator(f'.mark.{verdict}'))


def at(page):
    """The control period that the first picture shows, once it is there and sharp."""
    wanted = int(page.locator('.timeline').first.get_attribute('aria-valuenow'))
    expect(page.locator(f'canvas[data-seq="{wanted}"][data-samples="3"]').first).to_be_visible()
    return wanted


def redrawn(page, act):
    """The pixels of the first picture after something was done to it, once they are sharp; before that, they must be, too."""
    state = 'document.querySelector("canvas").dataset'
    before = int(page.evaluate(f'{state}.count'))
    act()
    for _ in range(400):
        page.wait_for_timeout(50)
        now = page.evaluate(f'({{...{state}}})')
        if int(now['count']) > before and now['samples'] == '3':
            return seen(page).astype(float)
    raise AssertionError(f'nothing was drawn after {before} pictures')


def seen(page):
    """The pixels of the first picture, (height, width, 3)."""
    data = page.evaluate('document.querySelector("canvas").toDataURL("image/png")')
    return cv2.imdecode(np.frombuffer(b64decode(data.partition(',')[2]), np.uint8), cv2.IMREAD_COLOR)[..., ::-1]


def due(seq):
    """Draw one control period alone."""
    return lambda now: now if now.seq == seq else None


def test_an_episode_is_looked_at_by_keys_alone(opened, address, bags):
    page = opened(address)
    expect(page.locator('.row')).to_have_count(3)
    page.keyboard.press('j')
    page.keyboard.press('j')
    expect(page.locator('.instruction')).to_contain_text('the violet object')
    expect(page.locator('.badge')).to_have_text('success, score 100')
    assert at(page) == 0
    expect(page.locator('.clauses li.true')).to_have_count(0)
    page.keyboard.press('End')
    end = at(page)
    expect(page.locator('.clauses li.true')).to_have_count(1)
    page.keyboard.press('ArrowLeft')
    page.keyboard.press('Shift+ArrowLeft')
    assert at(page) == end - 21
    page.keyboard.press('[')
    before = at(page)
    page.keyboard.press(']')
    assert before < end - 21 <= at(page)
    page.keyboard.press('Home')
    assert at(page) == 0
    free = seen(page).astype(float)
    assert np.abs(redrawn(page, lambda: page.keyboard.press('a')) - free).mean() > 2, 'the free view turned'


def test_a_jump_in_the_timeline_shows_the_pixels_of_a_render(opened, address, bags):
    page = opened(address)
    row(page, 'success').click()
    at(page)
    page.select_option('#camera', 'vlmbench:front')
    box = page.locator('.timeline').bounding_box()
    page.mouse.click(box['x'] + 0.7 * box['width'], box['y'] + box['height'] / 2)
    seq = at(page)
    assert 40 < seq < int(page.locator('.timeline').get_attribute('aria-valuemax'))
    found = seen(page)
    height, width = found.shape[:2]
    (frame,) = drawn(open_bag(bags / 'solved'), Bench('panda', 'vlmbench:front', width=width, height=height), due(seq), samples=3)
    want = frame.pictures['front'].color
    assert np.abs(found.astype(float) - want).mean() < 2.0  # a jpeg
    assert np.abs(found[:, ::-1].astype(float) - want).mean() > 10


def test_the_time_is_dragged_and_the_free_view_turned_by_the_mouse(opened, address):
    page = opened(address)
    row(page, 'success').click()
    at(page)
    box = page.locator('.timeline').bounding_box()
    page.mouse.move(box['x'] + 0.5 * box['width'], box['y'] + 30)
    page.mouse.down()
    page.mouse.move(box['x'] + 0.9 * box['width'], box['y'] + 30, steps=4)
    page.mouse.up()
    assert at(page) > 60
    before, picture = seen(page).astype(float), page.locator('canvas').bounding_box()
    middle = picture['x'] + picture['width'] / 2, picture['y'] + picture['height'] / 2

    def turn():
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] + 200, middle[1] + 40, steps=4)
        page.mouse.up()

    turned = redrawn(page, turn)
    assert np.abs(turned - before).mean() > 5
    assert np.abs(redrawn(page, lambda: page.mouse.wheel(0, -400)) - turned).mean() > 5


def test_the_episode_of_the_same_seed_is_set_beside_it_at_the_same_moment(opened, address):
    page = opened(address)
    row(page, 'success').click()
    at(page)
    page.keyboard.press('c')
    expect(page.locator('.panel')).to_have_count(2)
    expect(page.locator('.badge').nth(1)).to_have_text(re.compile('^failure'))
    page.keyboard.press('Shift+ArrowRight')
    expect(page.locator('canvas[data-seq="20"]')).to_have_count(2)
    page.keyboard.press('c')
    expect(page.locator('.panel')).to_have_count(1)
    page.get_by_role('button', name='Compare').click()
    expect(page.locator('.panel')).to_have_count(2)


def test_it_plays_to_the_end_and_stops(opened, address):
    page = opened(address)
    row(page, 'success').click()
    at(page)
    page.select_option('#speed', '4')
    page.locator('main').focus()
    page.keyboard.press('Space')
    expect(page.get_by_role('button', name='Pause')).to_be_visible()
    expect(page.get_by_role('button', name='Play')).to_be_visible(timeout=30_000)
    assert at(page) == int(page.locator('.timeline').get_attribute('aria-valuemax'))
    assert int(page.locator('canvas').get_attribute('data-count')) > 10


def test_who_seeks_while_it_plays_stays_where_he_went(opened, address):
    page = opened(address)
    row(page, 'success').click()
    at(page)
    page.select_option('#speed', '0.25')
    page.locator('main').focus()
    page.keyboard.press('End')
    page.keyboard.press('Home')
    page.keyboard.press('Space')
    box = page.locator('.timeline').bounding_box()
    page.mouse.click(box['x'] + 0.9 * box['width'], box['y'] + 40)
    page.wait_for_timeout(300)
    page.keyboard.press('Space')
    assert at(page) > 0.7 * int(page.locator('.timeline').get_attribute('aria-valuemax'))


def test_another_episode_is_chosen_for_a_comparison_by_keys(opened, address):
    page = opened(address)
    row(page, 'failure', 'clevrskills').or_(row(page, 'failure', 'pick ·')).first.click()
    at(page)
    page.locator('main').focus()
    page.keyboard.press('c')
    page.keyboard.press('ArrowDown')
    expect(page.locator('.row.cursor')).to_have_count(1)
    page.keyboard.press('ArrowDown')
    page.keyboard.press('Enter')
    expect(page.locator('.panel')).to_have_count(2)


def test_the_pictures_of_an_instruction_are_shown(opened, address):
    page = opened(address)
    row(page, 'failure', 'clevrskills').or_(row(page, 'failure', 'pick ·')).first.click()
    picture = page.locator('.prompts img')
    expect(picture).to_have_attribute('src', re.compile('^blob:'))
    assert picture.evaluate('async image => { await image.decode(); return image.naturalWidth; }') > 50


def test_words_and_chips_choose_and_failures_of_a_report_stand_by_cause(opened, bags, tmp_path):
    scores = [
        score(3),
        *(score(seed, 'failure', causes=('time_limit',)) for seed in (4, 5)),
        score(6, 'failure', causes=('stopped: it said so',)),
    ]
    (tmp_path / 'scores.json').write_text(report(*scores).model_dump_json())
    with dash(tmp_path / 'scores.json', '--bags', bags) as address:
        page = opened(address)
        expect(page.locator('#count')).to_have_text('4 episodes')
        page.locator('#causes-box summary').click()
        expect(page.locator('#causes button').first).to_contain_text('time_limit')
        page.locator('#causes button').first.click()
        expect(page.locator('#count')).to_have_text('2 of 4 episodes')
        page.locator('.row').first.click()
        expect(page.get_by_role('alert')).to_contain_text('has no bag')
        page.locator('#causes button').first.click()
        page.get_by_role('button', name='1 success').click()
        page.locator('.row').click()
        expect(page.locator('.panel')).to_have_count(1)
        page.get_by_role('button', name='1 success').click()
        page.keyboard.press('/')
        page.keyboard.type('seed nothing')
        expect(page.locator('#count')).to_have_text('0 of 4 episodes')


def test_what_an_instruction_holds_stays_text(opened, bags, tmp_path):
    shutil.copytree(bags / 'solved', tmp_path / 'solved')
    metadata = tmp_path / 'solved' / 'metadata.yaml'
    metadata.write_text(re.sub(r'("instruction": ).*', rf'\1"{HOSTILE}"', metadata.read_text()))
    with dash('--bags', tmp_path) as address:
        page = opened(address)
        page.locator('.row').click()
        expect(page.locator('.instruction')).to_have_text(HOSTILE)
        assert page.locator('.words').inner_text() == HOSTILE
        assert page.evaluate('document.querySelectorAll("script, img[src=x]").length') == 1


def test_it_is_light_or_dark_as_the_system_or_its_reader_wants(opened, address):
    ground = 'getComputedStyle(document.body).backgroundColor'
    light, dark = (opened(address, color_scheme=scheme) for scheme in ('light', 'dark'))
    bright, black = light.evaluate(ground), dark.evaluate(ground)
    assert bright != black
    light.get_by_role('button', name='Light or dark').click()
    assert light.evaluate(ground) == black


def test_the_token_leaves_the_address_and_another_one_opens_nothing(opened, address):
    page = opened(address)
    expect(page.locator('.row')).to_have_count(3)
    assert '#' not in page.url
    page.reload()
    expect(page.locator('.row')).to_have_count(3)


@pytest.mark.filterwarnings('default')
def test_a_wrong_token_and_a_lost_server_are_said(browser, bags):
    page = browser.new_context().new_page()
    with dash('--bags', bags) as address:
        page.goto(address.partition('#')[0] + '#wrong')
        expect(page.locator('#link')).to_contain_text('Not connected')
        page.goto(address)  # in the same tab: nothing but the part behind # is another one
        expect(page.locator('.row')).to_have_count(3)
    expect(page.locator('#link')).to_contain_text(re.compile('Connection lost|Not connected'))
