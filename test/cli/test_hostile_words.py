"""Whatever is wrong with a path or a seed is said in a sentence, before anything is started or made."""

import pytest
from typer.testing import CliRunner

from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.variation.streams import LAST_SEED

TASK, TASKS = ('--task', 'vlmbench/pick_place'), ('--tasks', 'vlmbench/pick_place')
PATHS = {
    'judge': ('judge',), 'replay': ('replay',), 'recover': ('recover',), 'report': ('report',), 'aggregate': ('aggregate',),
    'compare': ('compare', 'here'), 'verify': ('verify',), 'leaderboard': ('leaderboard', 'here', '--out'),
    'export': ('export', 'numpy'), 'record': ('record',), 'doctor': ('doctor', '--record'),
    'protocol': ('protocol', 'arnold'), 'render': ('render', 'here', '--out'), 'generate': ('generate', *TASKS, '--seeds', '0:1', '--out'),
    'evaluate': ('evaluate', *TASKS, '--policy', 'still', '--seeds', '0:1', '--out'), 'sweep': ('sweep', '--reports'),
    'dash': ('dash', '--bags'), 'new': ('new', 'robot', 'one', '--into'), 'check-cameras': ('check-cameras', 'vlmbench', '--sheet'),
    'tasks': ('tasks', '--task-path'),
}  # fmt: skip
RANGES = {
    'evaluate': ('evaluate', *TASKS, '--policy', 'still', '--out', 'r.json', '--seeds'),
    'generate': ('generate', *TASKS, '--out', 'data', '--seeds'), 'sweep': ('sweep', *TASK, '--splits'),
}  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not list(tmp_path.iterdir()), 'nothing is made'


def refused(*words):
    """What a command says as it refuses."""
    result = CliRunner().invoke(app, list(words), env={'COLUMNS': '400'})
    assert isinstance(result.exception, SystemExit) and result.exit_code == 2, (result.exception, result.output)
    return result.output


@pytest.mark.parametrize('path', ['', 'x' * 201, '/tmp/' + 'x/' * 3000, 'a\nb', 'a\x1b[31m', '\udcff\udcfe', 'a\0b'])
@pytest.mark.parametrize('command', PATHS)
def test_a_path_that_no_file_can_have_is_refused(command, path):
    assert 'A path' in refused(*PATHS[command], path)


@pytest.mark.parametrize('folder', ['a\nb', '\udcff\udcfe'])
def test_a_folder_that_cannot_be_printed_gets_no_bags(folder):
    for command in ('run', 'up'):
        assert 'unprintable characters' in refused(command, '--record', folder)


@pytest.mark.parametrize('seed', [LAST_SEED + 1, 2**64 - 1, 10**20, -1, 'abc', '1e3', '1' * 5000])
@pytest.mark.parametrize('command', ['run', 'up', 'real'])
def test_a_seed_that_no_node_can_have_is_refused(command, seed):
    said = refused(command, '--seed', str(seed))
    assert 'A seed is a whole number from 0 to 2⁶³ − 1' in said or 'Invalid value for' in said


@pytest.mark.parametrize('last', [LAST_SEED + 2, 10**20, 2**31 + 1, '1' * 5000, 'abc', '-1'])
@pytest.mark.parametrize('command', RANGES)
def test_seeds_that_nobody_can_play_are_refused(command, last):
    split = 'seen:' if command == 'sweep' else ''
    assert 'eeds' in refused(*RANGES[command], f'{split}0:{last}')
