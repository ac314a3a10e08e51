"""One more file is one more task: nothing else has to be changed for it to be listed, checked, run and swept."""

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
def clone(tmp_path_factory) -> Path:
    """The project with one more file, the page's example, and another that is wrong."""
    root = tmp_path_factory.mktemp('clone')
    for folder in ('vlm_bench_sim', 'vlm_bench_msgs', 'config'):
        (root / folder).symlink_to(ROOT / folder)
    subprocess.run(['cp', '-r', ROOT / 'vlm_bench_tasks', root / 'vlm_bench_tasks'], check=True)
    text = search(r'```python\n(.*?)```', PAGE.read_text(), DOTALL)[1]
    suite = root / 'vlm_bench_tasks' / 'suite' / 'vlmbench'
    (suite / 'toy.py').write_text(text)
    (suite / 'wrong.py').write_text(text.replace("'{a} and {b} belong in {box}.'", "'Please put {a} and {b} into {box} now.'"))
    return root


def call(clone: Path, *words: str) -> subprocess.CompletedProcess:
    program = 'from vlm_bench_tasks.cli.main import app; app()'
    return subprocess.run(
        [sys.executable, '-c', program, *words],
        cwd=clone, env=os.environ | {'PYTHONPATH': str(clone), 'COLUMNS': '200'}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_page_shows_a_task_of_20_to_60_lines():
    lines = search(r'```python\n(.*?)```', PAGE.read_text(), DOTALL)[1].splitlines()
    assert 20 <= len(lines) <= 60


def test_every_task_file_has_20_to_60_lines():
    files = [path for path in (ROOT / 'vlm_bench_tasks' / 'suite').glob('*/*.py') if not path.stem.startswith('_')]
    assert {path.name: count for path in files if not 20 <= (count := len(path.read_text().splitlines())) <= 60} == {}


def test_it_is_listed(clone):
    listed = {row['task']: row for row in json.loads(call(clone, 'tasks', '--json').stdout)}
    expected = {'task': 'vlmbench/toy', 'level': '', 'robot': 'panda', 'axes': ['color'], 'splits': ['seen', 'unseen']}
    assert listed['vlmbench/toy'] == expected


def test_it_is_checked(clone):
    good = call(clone, 'check', 'vlmbench/toy', '--seeds', '2', '--plays', '0')
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.count('yes ') == 9
    wrong = call(clone, 'check', 'vlmbench/wrong', '--seeds', '2', '--plays', '0')
    assert wrong.returncode == 1
    assert wrong.stdout.count('yes ') == 8
    assert 'no   words' in wrong.stdout
    assert '5 sentences have 4 different forms' in wrong.stdout
    assert '--split seen --axis color --seed 0' in wrong.stdout


@pytest.mark.slow
def test_it_is_solved(clone):
    run = call(clone, 'run', '--task', 'vlmbench/toy', '--json')
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)['verdict'] == 'success'


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
