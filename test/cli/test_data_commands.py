"""`vlm-bench generate` and `aggregate` with real processes, some of which are killed."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from vlm_bench_sim.bags.choice import ALWAYS
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console import generating
from vlm_bench_tasks.dataset.demonstration import Order, demonstrate
from vlm_bench_tasks.dataset.generated import INDEX, LOCK, MAKING, SETTINGS, Folder
from vlm_bench_tasks.dataset.generation import generation
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.task_choice import chosen

ROOT = Path(__file__).parents[2]
SMALL = ('--axis', 'color', '--cameras', 'none')


def call(*words):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


def started(folder, seeds='0:6', *words):
    """Begin a generate in a process of its own."""
    code = 'from vlm_bench_tasks.cli.main import app; app()'
    command = [sys.executable, '-c', code, 'generate', '--seeds', seeds, '--out', str(folder), *SMALL, '--workers', '2', *words]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))
    env = os.environ | {'PYTHONPATH': path}
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(process):
    """The exit code and all that was printed."""
    told, _ = process.communicate(timeout=300)
    return process.returncode, told


def bags(folder):
    """The whole bags of a folder, each with the time of its file."""
    return {path.name: next(path.glob('*.mcap')).stat().st_mtime_ns for path in folder.glob('vlmbench*')}


def wait_until(true, what):
    deadline = time.monotonic() + 240
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def workers(process):
    """The processes that make episodes."""
    return [child for child in psutil.Process(process.pid).children() if 'spawn_main' in ' '.join(child.cmdline())]


def contents(folder):
    """Every file of a data set."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob('*')) if path.is_file() and path.name != LOCK}


@pytest.mark.parametrize('command', ['generate', 'aggregate'])
def test_the_commands_explain_themselves(command):
    told = call(command, '--help')
    assert told.exit_code == 0
    assert '--out' in told.stdout
    assert command != 'generate' or 'every axis' in told.stdout
    assert command in call('--help').stdout


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (('--seeds', '100000:100003'), 'for tests'),
        (('--seeds', 'all'), 'first:last'),
        (('--seeds', '0:3', '--tasks', 'vlmbench/pick_plaice'), 'pick_place'),
        (('--seeds', '0:3', '--robot', 'pandu'), 'panda'),
        (('--seeds', '0:3', '--tasks', 'clevrskills', '--level', 'L3'), 'no level called'),
        (('--seeds', '0:3', '--level', 'L0'), 'their levels: none'),
        (('--seeds', '0:3', '--cameras', 'vlmbench:frond'), 'front'),
        (('--seeds', '0:3', '--shard', '3/3'), 'from 0/N to N-1/N'),
        (('--seeds', '0:3', '--executor', 'threads'), 'Known: processes, ray'),
        (('--seeds', '0:3', '--rate', '0'), 'rate of 0'),
        (('--seeds', '0:3', '--rate', '15'), 'rate of 15'),
        (('--seeds', '0:3', '--topics', '/joint_state'), 'Did you mean /joint_states'),
        (('--seeds', '0:3', '--leave-out', 'boxen'), 'boxen'),
        (('--seeds', '0:3', '--cameras', 'none', '--topics', '/cameras/*'), '/cameras/*'),
        (('--seeds', '0:3', '--workers', '0'), 'At least one worker'),
    ],
)
def test_what_cannot_be_generated_is_refused_before_anything_is_made(words, told, tmp_path):
    result = call('generate', *words, '--out', tmp_path / 'new')
    assert result.exit_code == 2
    assert told in result.stderr
    assert not (tmp_path / 'new').exists()


def test_a_level_narrows_the_tasks_of_a_data_set(tmp_path, monkeypatch):
    """What is stored are the tasks, so a data set can be continued by naming them."""
    asked = []
    monkeypatch.setattr(generating, 'generate', lambda *given: asked.append(given[0]) or 0)
    for words in (('--tasks', 'clevrskills/*', '--level', 'L2'), ('--tasks', ','.join(chosen('clevrskills', 'L2')))):
        assert call('generate', '--seeds', '0:2', *words, '--out', tmp_path).exit_code == 0
    assert asked[0] == asked[1]
    assert {task.partition('/')[2] for task in asked[0].wanted.tasks} == {
        'balance', 'sort_stack', 'stack_topple', 'swap_push', 'swap_rotate', 'throw_sort',
    }  # fmt: skip


@pytest.mark.long
def test_the_index_is_not_written_again_for_what_is_lost(tmp_path, monkeypatch):
    written, write = [], Folder.write_index
    monkeypatch.setattr(Folder, 'write_index', lambda folder, rows: (written.append(len(rows := list(rows))), write(folder, rows)))
    told = call('generate', '--seeds', '0:3', '--out', tmp_path, *SMALL, '--workers', '1', '--patience', '0.05')
    assert (told.exit_code, told.stdout.count('lost    ')) == (1, 3), told.output
    assert written == [0]


def test_an_episode_is_generated_once(tmp_path):
    code, told = ended(started(tmp_path, '3'))
    assert code == 0, told
    assert '1 episodes to train: 0 exist, 1 are missing' in told
    assert 'solved        1/1' in told and 'peak memory' in told and 'episodes a minute' in told
    before = contents(tmp_path)
    assert set(before) >= {SETTINGS, INDEX}
    again = call('generate', '--seeds', '3', '--out', tmp_path, *SMALL)
    assert again.exit_code == 0
    assert '1 exist, 0 are missing' in again.stdout
    assert contents(tmp_path) == before


@pytest.mark.long
def test_a_bag_in_which_bytes_changed_is_told_and_made_again(tmp_path):
    words = ('generate', '--seeds', '3', '--out', tmp_path, *SMALL, '--workers', '1')
    assert call(*words).exit_code == 0
    before = contents(tmp_path)
    (file,) = tmp_path.glob('*/*.mcap')
    whole = file.read_bytes()
    file.write_bytes(whole[:100_000] + bytes(64) + whole[100_064:])
    again = call(*words)
    assert again.exit_code == 0
    assert f'damaged {file.parent.name}: generated again' in again.stdout and '0 exist, 1 are missing' in again.stdout
    assert contents(tmp_path) == before


def test_a_generated_bag_holds_the_topics_that_were_asked_for(tmp_path):
    words = ('--seeds', '3', '--out', tmp_path, *SMALL, '--workers', '1', '--topics', '/joint_states,/truth/a*')
    assert call('generate', *words).exit_code == 0
    (bag,) = (open_bag(path) for path in tmp_path.glob('vlmbench*'))
    assert set(bag.topics) - {row.name for row in ALWAYS} == {'/joint_states', '/truth/applied'}
    assert judge(bag.path).agrees
    assert '1 exist, 0 are missing' in call('generate', *words).stdout
    other = call('generate', '--seeds', '3', '--out', tmp_path, *SMALL)
    assert other.exit_code == 2 and 'topics /joint_states /truth/a* and none' in other.stderr


@pytest.mark.long
def test_what_two_renderers_drew_is_told_and_is_not_joined(tmp_path, monkeypatch):
    folder = tmp_path / 'one [bold]'
    asked = generation(['vlmbench/pick_place'], '3:5', axis='color')
    trials = asked.trials()
    folder.mkdir()
    Folder(folder).begin(asked)
    demonstrate(Order(trials[0], asked, folder))
    monkeypatch.setattr(Bench, 'renderer_string', property(lambda _: 'Voodoo [2]'))
    demonstrate(Order(trials[1], asked, folder))
    told = call('generate', '--seeds', '3:5', '--out', folder, *SMALL)
    assert told.exit_code == 0
    assert '1 by none, 1 by Voodoo [2]' in told.stdout
    assert f'in {folder}\n' in told.stdout, 'brackets in the name are no markup'
    joined = call('aggregate', folder, '--out', tmp_path / 'all')
    assert joined.exit_code == 2
    assert "rendered by 'Voodoo [2]'" in joined.stderr and 'Pictures of two renderers differ' in joined.stderr
    assert not (tmp_path / 'all').exists()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_file_depends_on_the_count_of_workers_or_on_the_shards(tmp_path):
    for name, words in (('one', ('--workers', 1)), ('two', ('--workers', 2))):
        assert call('generate', '--seeds', '0:4', '--out', tmp_path / name, *SMALL, *words).exit_code == 0
    for i in range(2):
        assert call('generate', '--seeds', '0:4', '--out', tmp_path / f's{i}', *SMALL, '--shard', f'{i}/2').exit_code == 0
    assert len(bags(tmp_path / 's0')) == len(bags(tmp_path / 's1')) == 2
    joined = call('aggregate', tmp_path / 's1', tmp_path / 's0', '--out', tmp_path / 'joined')
    assert joined.exit_code == 0
    assert '4 episodes of 2 folders' in joined.stdout
    assert contents(tmp_path / 'one') == contents(tmp_path / 'two') == contents(tmp_path / 'joined')
    assert call('aggregate', tmp_path / 's1', '--out', tmp_path / 'half').exit_code == 2


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(find_spec('ray') is None, reason='ray is not installed: pip install ray')
def test_a_ray_cluster_makes_the_same_files_as_processes(tmp_path):
    """A cluster of this machine, with workers of its own."""
    assert call('generate', '--seeds', '0:2', '--out', tmp_path / 'here', *SMALL).exit_code == 0
    code, told = ended(started(tmp_path / 'ray', '0:2', '--executor', 'ray'))
    assert code == 0, told
    assert contents(tmp_path / 'ray') == contents(tmp_path / 'here')
    hashes = [[judge(tmp_path / where / bag).hashes for bag in sorted(bags(tmp_path / where))] for where in ('ray', 'here')]
    assert hashes[0] == hashes[1]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_killed_worker_costs_at_most_its_episode_which_the_same_command_makes(tmp_path):
    """None where it is killed just after the bag took its place."""
    process = started(tmp_path)
    wait_until(lambda: bags(tmp_path) and list(tmp_path.glob(f'{MAKING}/.*.part')), 'nothing is being made')
    workers(process)[0].kill()
    code, told = ended(process)
    missing = 6 - len(bags(tmp_path))
    assert missing in (0, 1)
    assert (code, told.count('killed by SIGKILL')) == (missing, missing)
    assert told.count('the same command tries them again') == missing
    assert_made_good(tmp_path, missing)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize('sent', [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_after_the_parent_was_killed_the_same_command_makes_what_is_missing(tmp_path, sent):
    process = started(tmp_path)
    wait_until(lambda: len(bags(tmp_path)) >= 2 and list(tmp_path.glob(f'{MAKING}/.*.part')), 'nothing is being made')
    team = workers(process)
    process.send_signal(sent)
    ended(process)
    assert not psutil.wait_procs(team, timeout=30)[1]
    assert_made_good(tmp_path, missing=6 - len(bags(tmp_path)))


def assert_made_good(folder, missing):
    """The same command makes what is missing, touches nothing else and leaves six whole episodes."""
    before = bags(folder)
    assert len(before) == 6 - missing
    code, told = ended(started(folder))
    assert code == 0, told
    assert f'{6 - missing} exist, {missing} are missing' in told
    after = bags(folder)
    assert len(after) == 6
    assert before.items() <= after.items()
    assert not (folder / MAKING).exists()
    rows = [json.loads(line) for line in (folder / INDEX).read_text().splitlines()]
    assert [row['bag'] for row in rows] == sorted(after)
    assert all(judge(folder / bag).agrees for bag in after)
