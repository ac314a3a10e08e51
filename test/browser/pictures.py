"""Draw the pictures of docs/dashboard.md: `python -m test.browser.pictures`. It needs what `make browser` installs."""

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from playwright.sync_api import Page, sync_playwright

from test.browser.conftest import CHROMIUM, ROOT, dash, served
from test.browser.steering import above, begin, pull_arrow, tool
from test.browser.test_judging import REAL
from test.browser.test_watching import SET
from test.evaluation.test_page import report, score
from test.plays import Scripted, bench
from vlm_bench_sim.core.command import Wait
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dashboard.missions import Missions
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.launching.domain import free
from vlm_bench_tasks.policies import policy

FOLDER = ROOT / 'docs' / 'dashboard'
QUALITY = 80
SEEDS = range(1000, 1008)
CAUSES = (*['time_limit'] * 9, *['stopped'] * 4, *['broken: the red cube fell from the table'] * 2, 'policy_raised')
PLAYED = (
    *(('vlmbench/pick_place', seed, 'oracle') for seed in SEEDS),
    ('lohoravens/match_bowls', 1, 'oracle'), ('arnold/open_drawer', 1000, 'oracle'), ('clevrskills/simple_manipulation', 1000, 'oracle'),
    ('vlmbench/pick_place', 1000, ''),
)  # fmt: skip


def record(folder: Path) -> None:
    """Record episodes of several suites, most by the expert and one of the same seed by nobody."""
    for task, seed, player in PLAYED:
        episode = catalogue.build(task, catalogue.splits(task)[0], seed)
        table = bench(catalogue.task(task).robot)
        recorder = Recorder(table, episode, folder=folder)
        recorder.close(table.run(episode, policy(player) if player else Scripted(Wait(1.0)), recorder).report)


def sharp(page: Page, panels: int = 1) -> None:
    """Wait until the pictures are drawn with smooth edges."""
    page.wait_for_timeout(600)
    for at in range(panels):
        page.locator('canvas').nth(at).and_(page.locator('[data-samples="3"]')).wait_for(timeout=20_000)
    page.wait_for_timeout(400)


def keep(page: Page, name: str) -> None:
    """Write what the page shows."""
    found = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    cv2.imwrite(str(FOLDER / f'{name}.jpg'), found, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


def shoot(browser, folder: Path) -> None:
    """Draw the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with dash('--bags', folder) as address:
        page = browser.new_context(viewport={'width': 1280, 'height': 860}).new_page()
        page.goto(address)
        page.locator('.row').filter(has_text='match_bowls').click()
        sharp(page)
        for _ in range(12):
            page.keyboard.press(']')
        sharp(page)
        keep(page, 'episode')
        page.locator('.row').filter(has_text='pick_place').filter(has_text='seed 1000').filter(has=page.locator('.mark.success')).click()
        sharp(page)
        page.keyboard.press('c')
        sharp(page, 2)
        for _ in range(5):
            page.keyboard.press('Shift+ArrowRight')
        sharp(page, 2)
        keep(page, 'compare')
    words = (catalogue.build('vlmbench/pick_place', 'seen', seed).instruction.text for seed in count(SEEDS[0]))
    scores = [score(seed, instruction=next(words)) for seed in SEEDS]
    for seed, cause in enumerate(CAUSES, SEEDS[-1] + 1):
        scores.append(score(seed, 'failure', causes=(cause,), instruction=next(words)))
    file = folder / 'scores.json'
    file.write_text(report(*scores, policy='mine.policies:Pusher').model_dump_json())
    with dash(file, '--bags', folder) as address:
        page = browser.new_context(viewport={'width': 1280, 'height': 860}, color_scheme='dark').new_page()
        page.goto(address)
        page.locator('#causes-box summary').click()
        page.locator('.row').filter(has_text='seed 1001').click()
        sharp(page)
        page.select_option('#camera', 'vlmbench:front')
        sharp(page)
        keep(page, 'causes')


def shoot_bench(browser) -> None:
    """Draw the picture of a running bench, in which the expert plays."""
    with served('up', '--dash', '--policy', 'oracle', '--cameras', 'none', *SET, ROS_DOMAIN_ID=str(free(60))) as address:
        page = browser.new_context(viewport={'width': 1280, 'height': 860}).new_page()
        page.goto(address)
        page.locator('#ask-task option').first.wait_for(state='attached')
        page.select_option('#ask-task', 'vlmbench/drawer')
        page.fill('#ask-seed', '1000')
        page.get_by_role('button', name='Begin').click()
        page.locator('.badge.success').wait_for(timeout=120_000)
        sharp(page)
        keep(page, 'watch')


def shoot_drive(browser) -> None:
    """Draw the picture of a person who has gone above a thing, and pulls the handle."""
    props = {prop.name: prop for prop in catalogue.build('vlmbench/pick_place', 'seen', 1000).scene.props}
    with served('up', '--dash', '--cameras', 'none', *SET, ROS_DOMAIN_ID=str(free(65))) as address:
        page = browser.new_context(viewport={'width': 1280, 'height': 860}).new_page()
        page.goto(address)
        begin(page, 'vlmbench/pick_place')
        above(page, props['object_2'].pose.position)
        page.keyboard.press('p')
        pull_arrow(page, np.array(tool(page).position), 'z', -0.08)
        sharp(page)
        keep(page, 'drive')


def shoot_judge(browser) -> None:
    """Draw the pictures of a person who lays the table of a real arm, and of one who judges."""
    with served(*REAL, ROS_DOMAIN_ID=str(free(67))) as address:
        page = browser.new_context(viewport={'width': 1280, 'height': 860}).new_page()
        page.goto(address)
        page.locator('#ask-task option').first.wait_for(state='attached')
        page.fill('#ask-seed', '3')
        page.get_by_role('button', name='Begin').click()
        page.locator('#question-picture').wait_for(timeout=60_000)
        page.wait_for_timeout(800)
        keep(page, 'lay')
        page.keyboard.press('y')
        page.keyboard.press('Enter')
        page.get_by_role('button', name='Done').and_(page.locator(':enabled')).click(timeout=60_000)
        page.locator('#question-title').filter(has_text='Judge').wait_for(timeout=60_000)
        page.wait_for_timeout(800)
        page.keyboard.press('n')
        page.keyboard.press('Tab')
        page.keyboard.type('it lies beside it')
        page.wait_for_timeout(600)  # around a real arm time goes on, so the picture never rests
        keep(page, 'judge')


LESSONS = """
name: lessons
missions:
  - {task: vlmbench/pick_place, seeds: "0:4", axis: shape}
  - {task: vlmbench/drawer, seeds: "7:10"}
"""


def shoot_missions(browser, folder: Path) -> None:
    """Draw the picture of missions, some of which others have carried out."""
    file = folder / 'lessons.yaml'
    file.write_text(LESSONS)
    missions = Missions(file)
    for who, outcome in (('anna', 'done'), ('anna', 'done'), ('bert', 'failed'), ('bert', 'done')):
        mission, attempt = missions.begin(who)
        missions.decide(mission.name, attempt, outcome)
    missions.begin('carl')
    given = ('--record', folder / 'driven', '--set', f'missions:={file}', *SET)
    with served('up', '--dash', '--cameras', 'none', *given, ROS_DOMAIN_ID=str(free(66))) as address:
        page = browser.new_context(viewport={'width': 1280, 'height': 860}, color_scheme='dark').new_page()
        page.goto(address)
        page.fill('#operator', 'dora')
        page.get_by_role('button', name='Next mission').click()
        page.locator('.badge.running').wait_for(timeout=120_000)
        page.locator('#mission-rows [aria-current]').wait_for()
        sharp(page)
        keep(page, 'missions')


def main() -> None:
    """Record, open, and write the pictures."""
    (ROOT / 'records').mkdir(exist_ok=True)
    with TemporaryDirectory(prefix='looked_', dir=ROOT / 'records') as folder, sync_playwright() as playwright:
        record(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM or None, args=['--disable-gpu'])
        shoot(browser, Path(folder).relative_to(ROOT))
        shoot_bench(browser)
        shoot_drive(browser)
        shoot_missions(browser, Path(folder))
        shoot_judge(browser)
        browser.close()


if __name__ == '__main__':
    main()
