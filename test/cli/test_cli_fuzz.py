"""Whatever stands in one place of a command, with real values everywhere else: it is done, or refused in one message; nothing is raised."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from test.fuzz import tries, words
from test.small_bag import recorded
from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.evaluation.report import Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.result import Result

TASK, BAG, REPORT = 'vlmbench/pick_place', 'bag', 'report.json'
NOBODY = '--{}=nobody'
BASE = {
    'tasks': [], 'judge': [BAG], 'replay': [BAG], 'recover': [BAG], 'export numpy': [BAG, 'out'], 'export lerobot': [BAG, 'out'],
    'export maps': [BAG, 'out'], 'export voxels': [BAG, 'out'], 'train key-frame': ['data', '--validation=held_out', '--out=out'],
    'train bc-z': ['data', '--validation=held_out', '--out=out'], 'train per-act': ['data', '--validation=held_out', '--out=out'],
    'aggregate': [BAG, '--out=whole'], 'report': [REPORT, '--html=page.html'], 'compare': [REPORT, REPORT],
    'verify': [REPORT], 'leaderboard': ['.', '--out=board.md'],
    'protocol': ['vlmbench', REPORT], 'new task': ['kitchen/one'], 'new robot': ['one'], 'new cameras': ['one'],
    'check-robot': ['nobody', '--plays=0'], 'check-cameras': ['vlmbench:front', '--sheet=sheet.png'],
}  # fmt: skip
"""Commands that may go to their end, with real values for what they need."""

LATE = {
    'up': ('policy', 'robot'), 'real': ('driver', 'robot'), 'record': ('robot', 'cameras'), 'run': ('policy', 'task'),
    'sweep': ('policy', 'task'), 'evaluate': ('policy', 'tasks'), 'generate': ('executor', 'tasks'), 'check': ('robot', ''),
    'render': ('cameras', ''), 'demo': ('', ''), 'agreement': ('tasks', 'split'), 'dash': ('key', 'host'),
}  # fmt: skip
"""Commands that would go on for long: what is refused, after most other values were looked at, and instead of it where that is fuzzed."""

NEEDED = {
    'evaluate': ['--seeds=100000:100002', '--out=scores.json'], 'generate': ['--seeds=0:2', '--out=data'], 'check': ['nobody/nothing'],
    'render': [BAG, '--out=film'], 'record': ['records'], 'demo': ['--record=a\nb'], 'agreement': ['--seeds=0:2', '--out=study.jsonl'],
}  # fmt: skip
ASIDE = {'doctor', 'person', 'check-driver'}
"""They ask the machine, a bench and a driver, and take next to nothing."""

VALUES = st.one_of(
    words, st.integers(-(2**64), 2**64).map(str), st.floats().map(str),
    st.sampled_from((
        '\udcff', '0:1', '1:0', '0:99999999999', 'seen:0:1', '0x0', '-1x5', '9x9999999', 'vlmbench:front', 'vlmbench:', ':', ',', '=', ':=',
        'seed:=2001-13-45', 'seed:=[', 'friction=nan', 'ros:', 'ws://', 'ws://[', 'http://x:99999999', 'a.b:C', 'os:system', '..:..', '1/0',
        '-1/2', '.', BAG, f'{BAG}/metadata.yaml', REPORT, '*', '[', '**', TASK, 'seen', 'panda', 'tool', '%s',
    )),
).filter(lambda text: not text.startswith('/') and '../' not in text.replace('../..', ''))  # fmt: skip


def commands(command, path=()):
    if hasattr(command, 'commands'):
        return {name: one for key, inner in command.commands.items() for name, one in commands(inner, (*path, key)).items()}
    return {' '.join(path): command}


COMMANDS = commands(typer.main.get_command(app))


@dataclass(frozen=True)
class Desk:
    """A folder in which a command finds a bag and a report."""

    path: Path


@pytest.fixture(scope='module')
def desk(tmp_path_factory):
    path = tmp_path_factory.mktemp('desk')
    recorded(path / 'made').rename(path / BAG)
    shutil.rmtree(path / 'made')
    conditions = Conditions(
        tasks=(TaskConditions(task=TASK, revision=3, robot='panda', axes=('color',), splits=('seen',), horizon=60.0, step_limit=0),),
        seeds=(100000, 100001), purpose='test', cameras='none', size='256x256', answer_seconds=30.0, versions=('vlm_bench=0.1.0',),
    )  # fmt: skip
    score = Result(
        task=TASK, axis='color', split='seen', seed=100000, verdict='failure', causes=('time_limit',), instruction='Go.', score=0.0,
        progress=0.0, reward=0.0, sim_seconds=60.0,
    )  # fmt: skip
    EvaluationReport(
        policy='mine', conditions=conditions, decides=conditions.decides, groups=groups([score]), overall=summed([score]), episodes=(score,)
    ).save(path / REPORT)
    return Desk(path)


def test_every_command_is_fuzzed():
    assert set(BASE) | set(LATE) | ASIDE == set(COMMANDS)


def call(desk, argv):
    """Call a command on a copy of the desk; return its exit code once it was found that all is said as it should be."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        shutil.copytree(desk.path, folder, dirs_exist_ok=True)
        patch.chdir(folder)
        patch.setenv(PATH, '')
        result = CliRunner().invoke(app, argv, env={'COLUMNS': '400', 'TERM': 'dumb'})
    assert result.exception is None or isinstance(result.exception, SystemExit), (argv, result.exception)
    assert result.exit_code in (0, 1, 2), (argv, result.output)
    assert 'Traceback' not in result.output
    if result.exit_code == 2 and not result.stderr.startswith(('Usage', ' Usage', '\nUsage', '\n Usage')):
        assert result.stderr.startswith('error: '), (argv, result.stderr)
        assert result.stderr.count('error: ') == 1, result.stderr
    return result.exit_code


def hostile(draw, name, parameters):
    """Draw one parameter with anything as its value; what is a flag is given or not."""
    parameter = draw(st.sampled_from(parameters))
    if getattr(parameter, 'is_flag', False):
        return parameter.name, [draw(st.sampled_from([*parameter.opts, *parameter.secondary_opts]))]
    value = draw(VALUES)
    return parameter.name, [value if parameter.param_type_name == 'argument' else f'{parameter.opts[0]}={value}']


def argument(name):
    return [each.name for each in COMMANDS[name].params if each.param_type_name == 'argument']


def put(name, base, where, given):
    """Return the words of a command in which something else stands in one place."""
    count = sum(not word.startswith('--') for word in base)
    positional, options = base[:count], base[count:]
    if where in argument(name):
        place = argument(name).index(where)
        positional[place : place + 1] = given[:1]  # behind the others, where the base has none there
        return [*name.split(), *options, '--', *positional]
    flag = given[0].partition('=')[0]
    return [*name.split(), *(word for word in base if word.partition('=')[0] != flag), *given]


@pytest.mark.parametrize('name', BASE)
@tries(6)
@given(data=st.data())
def test_a_command_that_reads_does_what_it_is_for_or_refuses_in_one_message(desk, name, data):
    where, given_ = hostile(data.draw, name, COMMANDS[name].params)
    call(desk, put(name, BASE[name], where, given_))


@pytest.mark.parametrize('name', LATE)
@tries(10)
@given(data=st.data())
def test_a_command_that_would_go_on_for_long_refuses_in_one_message_before_it_begins(desk, name, data):
    parameters = [each for each in COMMANDS[name].params if name != 'demo' or each.name == 'seed']
    where, given_ = hostile(data.draw, name, parameters)
    late = LATE[name][where == LATE[name][0]]
    refused = [NOBODY.format(late)] if late else ['--size=0x0'] if name == 'render' else []
    assert call(desk, put(name, [*NEEDED.get(name, []), *refused], where, given_)) == 2
