"""A real browser on the page that a real `vlm-bench dash` serves."""

import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip('playwright', reason='needs a browser: make browser')

from playwright.sync_api import expect, sync_playwright

from test.looked_at import record

expect.set_options(timeout=30_000)  # on a busy machine

ROOT = Path(__file__).parents[2]
CHROMIUM = next((found for name in ('chromium', 'chromium-browser', 'google-chrome') if (found := shutil.which(name))), '')
VLM_BENCH = [sys.executable, '-c', 'from vlm_bench_tasks.cli.main import app; app()']


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@contextmanager
def served(*words, **variables):
    """Run a command of vlm-bench, and give the address of the window that it prints."""
    environment = os.environ | {'PYTHONUNBUFFERED': '1', 'COLUMNS': '200'} | variables
    command = [*VLM_BENCH, *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = []
        try:
            for line in process.stdout:
                said.append(line)
                if found := re.search(r'Open (http://\S+#\S+)', line):
                    break
            assert said and found, ''.join(said)
            threading.Thread(target=process.stdout.read, daemon=True).start()  # so that it can go on speaking
            yield found[1]
        finally:
            process.terminate()


def dash(*words):
    """Run `vlm-bench dash`, and give the address."""
    return served('dash', '--port', '0', *words)


@pytest.fixture(scope='session')
def bags(tmp_path_factory):
    return record(tmp_path_factory.mktemp('looked_at'))


@pytest.fixture(scope='session')
def browser():
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM or None, args=['--disable-gpu'])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser):
    """Opens pages, and watches that they ask nobody but this machine and say nothing in their console."""
    contexts, said, asked = [], [], []

    def opens(address, *, script='', **more):
        context = browser.new_context(viewport={'width': 1400, 'height': 900}, **more)
        contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        page.on('console', lambda message: said.append(message.text))
        page.on('pageerror', lambda error: said.append(str(error)))
        page.on('request', lambda request: asked.append(request.url))
        page.goto(address)
        return page

    yield opens
    for context in contexts:
        context.close()
    assert all(url.startswith(('http://127.0.0.1:', 'blob:http://127.0.0.1:')) for url in asked), asked
    assert said == []
