"""The commands that need no ROS: what they print, and what they exit with."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vlm_bench_sim.bags.choice import ALWAYS
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.cli.options import out
from vlm_bench_tasks.judging.messages import read_report, report_fields
from vlm_bench_tasks.task_choice import chosen

ROOT = Path(__file__).parents[2]
REQUIRED = {
    'task', 'split', 'seed', 'axis', 'revision', 'verdict', 'progress', 'score', 'reward', 'instruction', 'sim_seconds', 'wall_seconds',
    'state_hash', 'renderer', 'robot', 'assistance', 'versions',
}  # fmt: skip


def call(*words: object):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


def started(hash_seed: str) -> subprocess.CompletedProcess:
    """`vlm-bench run --json` in a process of its own."""
    program = 'from vlm_bench_tasks.cli.main import app; app()'
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))
    return subprocess.run(
        [sys.executable, '-c', program, 'run', '--json', '--seed', '3'],
        cwd=ROOT, env=os.environ | {'PYTHONHASHSEED': hash_seed, 'PYTHONPATH': path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope='module')
def finished() -> subprocess.CompletedProcess:
    return started('0')


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    """A recorded run of the policy that stands still, which needs no plan."""
    folder = tmp_path_factory.mktemp('bags')
    result = call('run', '--json', '--policy', 'still', '--record', folder)
    return result, Path(json.loads(result.stdout)['bag'])


def test_run_prints_one_json_object_and_nothing_else(finished):
    assert finished.returncode == 0, finished.stderr
    result = json.loads(finished.stdout)
    assert finished.stdout.count('\n') == 1
    assert result.keys() >= REQUIRED


def test_the_object_says_what_was_run(finished):
    result = json.loads(finished.stdout)
    episode = catalogue.build('vlmbench/pick_place', 'seen', 3)
    asked = {'task': 'vlmbench/pick_place', 'split': 'seen', 'seed': 3, 'axis': 'color', 'robot': 'panda', 'renderer': 'none'}
    assert asked.items() <= result.items()
    assert result['instruction'] == episode.instruction.text
    assert (result['verdict'], result['progress'], result['assistance']) == ('success', 1.0, ['truth'])
    assert 0.0 < result['reward'] <= 1.0
    assert 3.0 < result['sim_seconds'] < 20.0
    assert result['wall_seconds'] > 0.0
    assert result['versions'][0].startswith('vlm_bench=')


@pytest.mark.slow
def test_processes_with_other_hash_seeds_come_to_the_same_state(finished):
    results = [json.loads(run.stdout) for run in (finished, started('12345'))]
    assert len(results[0]['state_hash']) == 64
    first, second = (result | {'wall_seconds': 0} for result in results)
    assert first == second


def test_a_failed_episode_exits_with_one(recorded):
    result, _ = recorded
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told['verdict'], told['causes'][0], told['assistance']) == ('failure', 'stopped', [])


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (['--task', 'vlmbench/pick_plaice'], 'Did you mean vlmbench/pick_place'),
        (['--split', 'sean'], 'Did you mean seen'),
        (['--axis', 'colour'], 'Did you mean color'),
        (['--robot', 'pandda'], 'Did you mean panda'),
        (['--cameras', 'vlmbnch'], 'Did you mean vlmbench'),
        (['--cameras', 'vlmbench:rist'], 'Did you mean wrist'),
        (['--size', '640'], 'such as 640x480'),
        (['--size', '0x48'], 'such as 640x480'),
        (['--policy', 'orcale'], 'Did you mean oracle'),
        (['--mode', 'lokstep'], 'Did you mean lockstep'),
        (['--mode', 'realtime'], 'Use vlm-bench up --mode realtime'),
        (['--seed', '-1'], 'whole number'),
        (['--scored'], 'up --scored'),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_what_does_not_exist_is_one_sentence_on_stderr_and_exit_code_two(words, told):
    for json_too in ([], ['--json']):
        result = call('run', *words, *json_too)
        assert result.exit_code == 2
        assert told in result.stderr
        assert result.stderr.startswith('error: ')
        assert 'Traceback' not in result.stderr
        assert result.stdout == ''


def test_what_the_expert_could_not_do_is_told_once():
    result = call('run', '--task', 'arnold/reorient_object', '--robot', 'ur5e', '--split', 'train', '--seed', '1')
    assert result.exit_code == 1
    (line,) = [line for line in result.stdout.splitlines() if line.startswith('failure ')]
    assert line.split(maxsplit=1)[1].startswith('Suction cups cannot hold bottle while it leans')


def test_a_record_folder_that_is_a_file_is_told_before_the_episode(tmp_path):
    (tmp_path / 'file').write_text('')
    result = call('run', '--policy', 'still', '--record', tmp_path / 'file')
    assert result.exit_code == 2
    assert 'file' in result.stderr


def test_run_tells_people_the_same(tmp_path):
    result = call('run', '--policy', 'still', '--seed', '1', '--record', tmp_path)
    episode = catalogue.build('vlmbench/pick_place', 'seen', 1)
    assert result.exit_code == 1
    for word in (episode.instruction.text, 'failure', 'stopped', 'split seen  seed 1', str(next(tmp_path.glob('vlmbench*')))):
        assert word in result.stdout


def test_judge_agrees_with_the_bag_of_run(recorded):
    result, bag = recorded
    again = call('judge', bag, '--json')
    assert again.exit_code == 0
    ours, theirs = json.loads(again.stdout), json.loads(result.stdout)
    assert ours['agrees'] is True
    same = REQUIRED - {'wall_seconds', 'renderer', 'robot'}
    assert {key: ours[key] for key in same} == {key: theirs[key] for key in same}
    assert 'failure: the same' in call('judge', bag).stdout


def test_judge_exits_with_one_where_the_recorded_report_lies(recorded, tmp_path):
    _, bag = recorded
    rows = {row.name: row for row in names.recorded(robot('panda'), ())}
    writer = BagWriter(tmp_path, 'lying')
    for raw in open_bag(bag).raw():
        if raw.topic == names.REPORT.name:
            ((_, _, message),) = open_bag(bag).messages(raw.topic)
            writer.write_value(names.REPORT, report_fields(read_report(message), raw.stamp_ns) | {'token': message.token, 'verdict': 1})
        else:
            writer.write(rows[raw.topic], raw.data)
    result = call('judge', writer.close(), '--json')
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (told['verdict'], told['recorded_verdict'], told['agrees']) == ('failure', 'success', False)
    assert 'NOT THE SAME' in call('judge', tmp_path / 'lying').stdout


def test_run_records_what_is_chosen(tmp_path):
    words = ('run', '--json', '--policy', 'still', '--cameras', 'vlmbench:front,wrist', '--size', '32x24')
    choice = ('--topics', '/cameras/*/color/*,/clock', '--leave-out', 'wrist', '--rate', '2')
    bag = open_bag(Path(json.loads(call(*words, '--record', tmp_path, *choice).stdout)['bag']))
    jpegs = '/cameras/front/color/image_raw/compressed'
    assert set(bag.topics) - {row.name for row in ALWAYS} == {jpegs, '/cameras/front/color/camera_info', '/clock'}
    assert bag.topics[jpegs].count == -(-bag.topics['/clock'].count // 10)
    assert call('judge', bag.path).exit_code == 0
    alone = call(*words, *choice)
    assert alone.exit_code == 2 and '--record' in alone.stderr


def test_judge_says_what_is_no_bag(tmp_path):
    result = call('judge', tmp_path)
    assert result.exit_code == 2
    assert 'Name the folder of a bag' in result.stderr


def test_a_damaged_bag_is_recovered_as_judge_advises(recorded, tmp_path):
    _, bag = recorded
    copy = Path(shutil.copytree(bag, tmp_path / bag.name))
    (file,) = copy.glob('*.mcap')
    file.write_bytes(file.read_bytes()[:-2000])
    broken = call('judge', copy)
    assert broken.exit_code == 2
    assert 'recover' in broken.stderr
    found = call('recover', copy)
    assert found.exit_code == 0, found.stderr
    assert 'messages in' in found.stdout


def test_tasks_lists_every_task_with_its_axes_and_splits():
    listed = json.loads(call('tasks', '--json').stdout)
    assert [row['task'] for row in listed] == list(catalogue.tasks())
    first = next(row for row in listed if row['task'] == 'vlmbench/pick_place')
    assert first == {
        'task': 'vlmbench/pick_place', 'axes': ['color', 'relative', 'shape', 'size'], 'splits': ['seen', 'unseen'], 'level': '',
        'robot': 'panda',
    }  # fmt: skip
    assert next(row for row in listed if row['task'] == 'clevrskills/swap')['robot'] == 'xarm6'
    assert 'vlmbench/pick_place' in call('tasks').stdout


def test_tasks_are_chosen_by_name_and_level():
    found = json.loads(call('tasks', '--tasks', 'vlmbench/s*,clevrskills', '--level', 'L2', '--json').stdout)
    assert {row['task'] for row in found} == set(chosen('clevrskills', 'L2')) and {row['level'] for row in found} == {'L2'}
    found = json.loads(call('tasks', '--tasks', 'vlmbench/s*,arnold/pour_water', '--json').stdout)
    assert [row['task'] for row in found] == ['arnold/pour_water', 'vlmbench/shape_sorter', 'vlmbench/stack']
    for words, told in (
        (['--level', 'L9'], "error: There is no level called 'L9'. Did you mean L2 or L1 or L0?"),
        (['--tasks', 'vlmbench', '--level', 'L0'], "error: No task of 'vlmbench' has the level L0; their levels: none."),
        (['--tasks', 'vlmbenhc'], "error: There is no task or family called 'vlmbenhc'. Did you mean vlmbench"),
    ):
        refused = call('tasks', *words)
        assert refused.exit_code == 2 and refused.stderr.startswith(told), refused.stderr


@pytest.mark.parametrize('columns', [20, 80, 400])
def test_the_table_of_tasks_holds_every_id_whole_at_any_width(columns, monkeypatch):
    monkeypatch.setattr(out, '_width', columns)
    lines = [[cell.strip() for cell in line.split('│')] for line in call('tasks').stdout.splitlines() if '/' in line]
    assert [cells[0] for cells in lines] == list(catalogue.tasks())
    level = {cells[0]: cells[1] for cells in lines}
    assert columns == 20 or (level['clevrskills/swap'], level['vlmbench/pick_place']) == (catalogue.task('clevrskills/swap').level, '–')


def test_every_command_explains_itself():
    commands = {'doctor', 'tasks', 'run', 'judge', 'recover', 'up', 'demo', 'sweep', 'check'}
    listed = call('--help').stdout
    for command in commands:
        assert command in listed
        told = call(command, '--help')
        assert told.exit_code == 0
        assert command in told.stdout


def test_check_prints_a_row_for_each_check_and_names_those_that_it_leaves_out():
    told = call('check', 'vlmbench/pick_place', '--seeds', '2', '--plays', '0').stdout.splitlines()
    assert [line.split()[0] for line in told[:-1]] == ['yes'] * 9
    assert told[-1] == '9 of 14 checks were made; --plays 0 leaves out those that play: rest, oracle, reward, luck, bag'


def test_up_refuses_what_does_not_exist_before_anything_starts():
    for words, told in (
        (['--task', 'vlmbench/pick_plaice'], 'pick_place'),
        (['--policy', 'orakle'], 'oracle'),
        (['--set', 'wide:=3'], 'width'),
        (['--set', 'camera_rate:=15.0'], 'rate of 15 a second'),
        (['--robot', 'pandu'], 'panda'),
        (['--cameras', 'vlmbunch'], 'vlmbench'),
        (['--record', 'x', '--set', 'topics:=/joint_state'], '/joint_states'),
    ):
        result = call('up', *words)
        assert result.exit_code == 2
        assert told in result.stderr
        assert 'starting' not in result.stdout


@pytest.mark.parametrize('splits', ['seen', 'seen:5:5', 'seen:a:b', 'seen:-1:3', 'seen:0:2,unseen'])
def test_sweep_refuses_splits_it_cannot_read(splits):
    result = call('sweep', '--splits', splits)
    assert result.exit_code == 2
    assert 'name:first:last' in result.stderr


def test_sweep_refuses_what_does_not_exist():
    for words in (['--policy', 'orakle'], ['--task', 'x/y'], ['--splits', 'sean:0:2'], ['--workers', '0']):
        assert call('sweep', *words).exit_code == 2
