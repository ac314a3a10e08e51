"""The commands of docs/first_hour.md run as printed, one after the other, in an empty folder with what a clone has."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'first_hour.md').read_text()
LINES = [line for block in re.findall(r'^```sh\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
ELSEWHERE = ('make demo', '.venv/bin/vlm-bench doctor', '.venv/bin/vlm-bench up --dash')
"""A demo sets up the clone, a window never ends, and tests of their own run all three."""
FAILS = 'run --policy mine:FirstPolicy'


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_command_of_the_first_hour_runs_as_printed(tmp_path):
    for name in ('.venv', 'examples'):
        (tmp_path / name).symlink_to(ROOT / name)
    environment = os.environ | {'PYTHONPATH': str(ROOT)}
    lines = [line for line in LINES if not line.startswith(ELSEWHERE)]
    assert len(lines) > 12
    for line in lines:
        done = subprocess.run(['bash', '-c', line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == (FAILS in line), f'{line}\n{done.stdout}\n{done.stderr}'
    left = {path.name for path in (tmp_path / 'records').iterdir()}
    assert {'look', 'look.mp4', 'mine', 'mine.json', 'mine.html', 'random.json', 'oracle.json', 'demonstrations', 'lerobot'} <= left
