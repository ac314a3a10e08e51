"""One more file is one more task, in a folder of one's own: nothing else is needed for it to be listed, checked and run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from re import DOTALL, search

import pytest
from typer.testing import CliRunner

from vlm_bench_tasks.cli.main import app

ROOT = Path(__file__).parents[2]
PAGE = ROOT / 'docs' / 'adding_a_task.md'


@pytest.fixture(scope='module')
def extension(tmp_path_factory) -> Path:
    """A folder of one's own with one file, the page's example as it is printed, and another that is wrong."""
    folder = tmp_path_factory.mktemp('own') / 'my_bench'
    kitchen = folder / 'suite' / 'kitchen'
    kitchen.mkdir(parents=True)
    text = search(r'```python\n(.*?)```', PAGE.read_text(), DOTALL)[1]
    (kitchen / 'sort.py').write_text(text)
    wrong = text.replace("'{a} belongs in {first}, {b} in {second}.'", "'Please put {a} into {first} and {b} into {second} now.'")
    assert wrong != text
    (kitchen / 'wrong.py').write_text(wrong)
    return folder


def call(extension: Path, *words: str) -> subprocess.CompletedProcess:
    program = 'from vlm_bench_tasks.cli.main import app; app()'
    return subprocess.run(
        [sys.executable, '-c', program, *words, '--task-path', str(extension)],
        env=os.environ | {'PYTHONPATH': str(ROOT), 'COLUMNS': '200'}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_page_shows_a_task_of_20_to_60_lines():
    lines = search(r'```python\n(.*?)```', PAGE.read_text(), DOTALL)[1].splitlines()
    assert 20 <= len(lines) <= 60


def test_every_task_file_has_20_to_60_lines():
    files = [path for path in (ROOT / 'vlm_bench_tasks' / 'suite').glob('*/*.py') if not path.stem.startswith('_')]
    assert {path.name: count for path in files if not 20 <= (count := len(path.read_text().splitlines())) <= 60} == {}


def test_it_is_listed(extension):
    listed = {row['task']: row for row in json.loads(call(extension, 'tasks', '--json').stdout)}
    expected = {'task': 'kitchen/sort', 'level': '', 'robot': 'panda', 'axes': ['color'], 'splits': ['seen', 'unseen']}
    assert listed['kitchen/sort'] == expected and 'vlmbench/stack' in listed


def test_it_is_checked(extension):
    good = call(extension, 'check', 'kitchen/sort', '--seeds', '2', '--plays', '1')
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.count('yes ') == 14
    wrong = call(extension, 'check', 'kitchen/wrong', '--seeds', '2', '--plays', '0')
    assert wrong.returncode == 1
    assert wrong.stdout.count('yes ') == 8
    assert 'no   words' in wrong.stdout
    assert '5 sentences have 4 different forms' in wrong.stdout
    assert '--split seen --axis color --seed 0' in wrong.stdout


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (['vlmbench/pick_plaice'], 'Did you mean vlmbench/pick_place'),
        (['vlmbench/pick_place', '--seeds', '1'], '--seeds takes at least 2'),
        (['vlmbench/pick_place', '--plays', '20'], 'found 12 and 20'),
    ],
)
def test_what_cannot_be_checked_is_one_sentence(words, told):
    result = CliRunner().invoke(app, ['check', *words])
    assert result.exit_code == 2
    assert told in result.stderr
