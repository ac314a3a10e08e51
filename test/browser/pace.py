"""Measure the window beside a running bench: `python -m test.browser.pace [--minutes 30]`. It needs what `make browser` installs.

Printed are pictures a second, how long it takes from a key to changed pixels, the share of a core that browser and server take, and
how much memory both gain while a page is open.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from test.browser.conftest import CHROMIUM, served
from test.browser.steering import begin, rest
from vlm_bench_tasks.launching.domain import free

TICKS = os.sysconf('SC_CLK_TCK')
UP = ('up', '--dash', '--cameras', 'vlmbench:front', '--set', 'dash_port:=0', '--set', 'autostart:=false')
STAMP = """() => {
    const canvas = document.querySelector('.picture canvas');
    let pressed = 0;
    window.took = [];
    addEventListener('keydown', (event) => { if (!event.repeat) pressed = performance.now(); }, { capture: true });
    new MutationObserver(() => {
        if (pressed) window.took.push(performance.now() - pressed);
        pressed = 0;
    }).observe(canvas, { attributes: true, attributeFilter: ['data-count'] });
}"""
"""Notes how long each key takes to another picture."""


def processes(word: str) -> list[int]:
    """Return the processes whose command line holds a word."""
    found = []
    for path in Path('/proc').glob('[0-9]*/cmdline'):
        try:
            if word.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue  # it has ended
    return found


def cpu(pids: list[int]) -> float:
    """Return the CPU time of processes so far, s."""
    return sum(sum(map(int, Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[11:13])) for pid in pids) / TICKS


def memory(pids: list[int]) -> float:
    """Return the resident memory of processes, MB."""
    lines = [Path(f'/proc/{pid}/status').read_text() for pid in pids]
    return sum(int(text.split('VmRSS:')[1].split()[0]) for text in lines if 'VmRSS:' in text) / 1024


def keys(page: Page, key: str, times: int) -> str:
    """Press a key again and again, and return median and 95th percentile of the time to the next picture, ms."""
    page.evaluate('window.took = []')
    for _ in range(times):
        page.keyboard.down(key)
        time.sleep(0.25)
        page.keyboard.up(key)
        rest(page)
        time.sleep(0.4)  # until the fine picture is drawn, too
    took = page.evaluate('window.took')
    return f'{np.median(took):.0f} ms, 95 % within {np.percentile(took, 95):.0f} ms ({len(took)} times)'


def drive(page: Page, seconds: float) -> None:
    """Hold keys to and fro."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for key in 'wsadeq':
            page.keyboard.down(key)
            time.sleep(min(0.8, max(0.0, until - time.monotonic())))
            page.keyboard.up(key)


def measure(page: Page, minutes: float) -> None:
    """Print the figures."""
    page.evaluate(STAMP)
    print(f'turn of the free view to pixels: {keys(page, "ArrowLeft", 20)}')
    print(f'held key to a moved arm in the picture: {keys(page, "t", 5)} for the passing of time alone, {keys(page, "a", 30)} to move')
    browser = {*processes(Path(CHROMIUM).name), *processes('--type=')}  # all of it: some builds keep the words of the zygote
    sides = {'browser': sorted(browser), 'server': processes('nodes.dash_node')}
    began, before = time.monotonic(), {pid: cpu([pid]) for pids in sides.values() for pid in pids}
    count = int(page.locator('.picture canvas').get_attribute('data-count'))
    drive(page, 15.0)
    took = time.monotonic() - began
    pictures = int(page.locator('.picture canvas').get_attribute('data-count')) - count
    share = {name: [100 * (cpu([pid]) - before[pid]) / took for pid in pids] for name, pids in sides.items()}
    print(
        f'{pictures / took:.1f} pictures a second while it is driven; of a core, the page takes {max(share["browser"]):.0f} %, '
        f'the whole browser {sum(share["browser"]):.0f} %, and the server {sum(share["server"]):.0f} %'
    )
    first = {name: memory(pids) for name, pids in sides.items()}
    for minute in range(1, int(minutes) + 1):
        page.fill('#ask-seed', str(1000 + minute))
        page.locator('main').focus()
        page.keyboard.press('b')
        page.locator('.badge.running').wait_for(timeout=60_000)
        drive(page, 20.0)
        time.sleep(38.0)
        now = {name: memory(pids) for name, pids in sides.items()}
        if minute in (1, 5) or minute % 10 == 0:
            print(f'after {minute} minutes: ' + ', '.join(f'{name} {now[name]:.0f} MB ({now[name] - first[name]:+.0f})' for name in now))


def main() -> None:
    """Start a bench and a browser, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--minutes', type=float, default=1.0, help='how long the page stays open')
    minutes = parser.parse_args().minutes
    with served(*UP, ROS_DOMAIN_ID=str(free(80))) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM or None, args=['--disable-gpu'])
        page = browser.new_context(viewport={'width': 1400, 'height': 900}).new_page()
        page.goto(address)
        begin(page, 'vlmbench/pick_place')
        measure(page, minutes)
        browser.close()


if __name__ == '__main__':
    main()
