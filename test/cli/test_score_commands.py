"""evaluate and compare, as somebody at a terminal meets them."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from vlm_bench_sim.core.aids import AIDS
from vlm_bench_tasks.actions import SPACES
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.evaluation.compare import differences
from vlm_bench_tasks.evaluation.faults import FAULTS
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import Played
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.variation.seeds import read_seeds

ROOT = Path(__file__).parents[2]
TASK = 'vlmbench/pick_place'


def call(*words: object):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope='module')
def evaluated(tmp_path_factory):
    """What evaluating the still policy prints, its report, and the folder of its bags."""
    folder = tmp_path_factory.mktemp('evaluated')
    report, bags = folder / 'still.json', folder / 'bags'
    words = ('--tasks', TASK, '--axis', 'color', '--seeds', '80000:80002', '--perturb', 'light=0.2', '--record', bags)
    said = call('evaluate', '--policy', 'still', *words, '--workers', 1, '--out', report)
    return said, report, bags


def test_evaluate_says_what_came_of_it_and_writes_the_report(evaluated):
    said, path, bags = evaluated
    assert said.exit_code == 0, said.output
    report = EvaluationReport.load(path)
    assert f'decides {report.decides}' in said.output
    assert 'seeds 80000 to 80001, which are for: validate' in said.output
    assert 'perturbed by light=0.2' in said.output
    assert '0/2 = 0.0 % (0.0 to 65.8)' in said.output
    assert '2 stopped' in said.output
    assert report.circumstances.wall_seconds > 0
    assert [bool(name) for name in report.circumstances.bags] == [True, True]
    assert sorted(path.name for path in bags.iterdir()) == sorted(report.circumstances.bags)


@pytest.mark.parametrize(
    ('words', 'error'),
    [
        (('--policy', 'oracel', '--seeds', '0:2'), 'Did you mean oracle'),
        (('--policy', 'still', '--seeds', '2:0'), 'Seeds are given as first:last'),
        (('--policy', 'still', '--seeds', '0:2', '--workers', 0), 'at least one worker'),
        (('--policy', 'still', '--seeds', '0:2', '--assist', 'gripper'), 'no aid called'),
        (('--policy', 'nowhere:Policy', '--seeds', '0:1', '--axis', 'color'), 'cannot be imported'),
        (('--policy', 'still'), 'An evaluation needs seeds'),
        (('--policy', 'still', '--seeds', '0:1', '--level', 'L0'), 'their levels: none'),
        (('--policy', 'still', '--seeds', '0:1', '--trained-on', 'L0'), 'Add one, such as --protocol clevrskills'),
        (('--policy', 'still', '--protocol', 'ravens'), "no protocol called 'ravens'"),
        (('--policy', 'still', '--protocol', 'vlmbench', '--cameras', 'none'), "--cameras 'none' contradicts"),
        (('--policy', 'still', '--protocol', 'vlmbench', '--split', ''), "--split '' contradicts"),
        (('--policy', 'still', '--protocol', 'arnold'), 'has no task vlmbench/pick_place'),
    ],
)
def test_what_is_asked_for_wrongly_exits_with_2_and_a_sentence(tmp_path, words, error):
    said = call('evaluate', *words, '--tasks', TASK, '--out', tmp_path / 'report.json')
    assert said.exit_code == 2
    assert error in ' '.join(said.output.split())
    assert not (tmp_path / 'report.json').exists()


def other(report, path, verdicts, **changes):
    """Write a report like another one, but with these verdicts and these conditions."""
    conditions = report.conditions.model_copy(update=changes)
    episodes = tuple(
        Result(**(episode.model_dump() | {'verdict': verdict, 'seed': seed}))
        for episode, verdict, seed in zip(report.episodes, verdicts, range(*conditions.seeds), strict=True)
    )
    update = {'policy': 'other', 'conditions': conditions, 'decides': conditions.decides, 'episodes': episodes}
    report.model_copy(update=update | {'groups': groups(episodes), 'overall': summed(episodes)}).save(path)
    return path


def test_compare_pairs_the_episodes_by_task_and_all_together(evaluated, tmp_path):
    _, path, _ = evaluated
    better = other(EvaluationReport.load(path), tmp_path / 'other.json', ['success', 'failure'])
    said = call('compare', path, better)
    assert said.exit_code == 0, said.output
    assert 'first:  still\nsecond: other\n' in said.output
    assert 'second minus first +50.0 %' in said.output
    found = json.loads(call('compare', path, better, '--json').output)
    group, overall = found['comparisons']
    assert (group['task'], group['axis'], group['split'], overall['task']) == (TASK, 'color', 'seen', '')
    assert (overall['pairs'], overall['second_only'], overall['neither']) == (2, 1, 1)
    assert (overall['difference'], overall['p_value']) == (0.5, 1.0)
    assert overall['interval'][0] < 0.5 < overall['interval'][1]


def test_episodes_that_nobody_saw_in_one_report_are_left_out_and_counted(evaluated, tmp_path):
    _, path, _ = evaluated
    blind = other(EvaluationReport.load(path), tmp_path / 'blind.json', ['unobservable', 'success'])
    overall = json.loads(call('compare', path, blind, '--json').output)['comparisons'][-1]
    assert (overall['pairs'], overall['unobservable'], overall['second_only']) == (1, 1, 1)


def test_compare_refuses_what_is_not_comparable_and_names_every_reason(evaluated, tmp_path):
    _, path, _ = evaluated
    report = EvaluationReport.load(path)
    task = report.conditions.tasks[0]
    changes = {
        'seeds': (80_001, 80_003),
        'assistance': ('truth',),
        'perturbations': (),
        'tasks': (task.model_copy(update={'revision': task.revision + 1, 'robot': 'ur5e'}),),
        'versions': tuple('numpy=0' if version.startswith('numpy=') else version for version in report.conditions.versions),
    }
    said = call('compare', path, other(report, tmp_path / 'other.json', ['success', 'success'], **changes))
    assert said.exit_code == 2
    text = ' '.join(said.output.split())
    for reason in (
        'They differ in seeds (first and one past the last): 80000, 80002 and 80001, 80003.',
        'They differ in assistance: none and truth.',
        'They differ in perturbations: light=0.2 and none.',
        f'{TASK} differs in revision: {task.revision} and {task.revision + 1}.',
        f'{TASK} differs in robot: panda and ur5e.',
        'The versions of numpy differ:',
    ):
        assert reason in text
    assert '(6)' in text
    assert '(7)' not in text


@pytest.fixture(scope='module')
def protocolled(tmp_path_factory):
    """What evaluating the still policy on a part of VLMbench's protocol without aids prints, and its report."""
    path = tmp_path_factory.mktemp('protocol') / 'still.json'
    words = ('--protocol', 'vlmbench', '--assist', 'none', '--tasks', 'vlmbench/door', '--seeds', '100000:100001')
    return call('evaluate', '--policy', 'still', *words, '--out', path), path


def test_a_protocol_is_one_option_and_what_is_left_out_is_told(protocolled):
    said, path = protocolled
    assert said.exit_code == 0, said.output
    assert 'protocol vlmbench (unaided); a part of it: 1 of 8 tasks, seed 100000 instead of seeds 100000 to 100099' in said.output
    assert re.search(r'vlmbench/door seen +0.0 % \(0.0 to 79.3\)   score 0.0   tasks 1, episodes 1', said.output)
    report = EvaluationReport.load(path)
    assert (report.conditions.cameras, report.conditions.size, report.conditions.assistance) == ('vlmbench', '360x360', ())
    assert {one.split for one in report.episodes} == {'seen', 'unseen'} and str(report.declared) == 'protocol vlmbench (unaided)'


def test_a_report_stands_beside_the_published_rows_of_its_protocol_alone(protocolled, evaluated, tmp_path):
    _, path = protocolled
    said = call('protocol', 'vlmbench', path)
    assert said.exit_code == 0 and '| still [1] | here |' in said.output
    for name, file, error in (
        ('arnold', path, 'is a report of the protocol vlmbench, not of arnold'),
        ('vlmbench', evaluated[1], 'is a report of no protocol, not of vlmbench'),
        ('vlmbnch', path, 'Did you mean vlmbench'),
        ('vlmbench', tmp_path / 'nothing.json', 'cannot be read as an evaluation report'),
    ):
        refused = call('protocol', name, file)
        assert refused.exit_code == 2 and error in ' '.join(refused.output.split())


def test_the_tables_of_a_protocol_are_written_and_replace_only_tables(protocolled, tmp_path):
    out = tmp_path / 'table.md'
    for files in ((), (protocolled[1],)):
        assert call('protocol', 'vlmbench', *files, '--out', out).exit_code == 0
    assert 'still [1]' in out.read_text()
    refused = call('protocol', 'arnold', '--out', out)
    assert refused.exit_code == 2 and 'does not hold these tables' in ' '.join(refused.output.split()) and 'still' in out.read_text()
    assert call('protocol', 'arnold', '--out', tmp_path).exit_code == 2


def test_compare_says_what_is_declared(protocolled):
    _, path = protocolled
    assert 'first:  still (protocol vlmbench (unaided))\nsecond: still (' in call('compare', path, path).output


def test_compare_says_in_what_arguments_two_policies_of_one_name_differ(evaluated, tmp_path):
    _, path, _ = evaluated
    report = EvaluationReport.load(path)
    for name in ('first', 'second'):
        options, code = {'checkpoint': f'{name}.safetensors', 'same': '1'}, name[0] * 64
        report.model_copy(update={'options': options, 'code': code}).save(tmp_path / f'{name}.json')
    said = call('compare', tmp_path / 'first.json', tmp_path / 'second.json')
    assert 'first:  still with checkpoint=first.safetensors   SHA-256 ffffffffffffffff\n' in said.output
    assert 'second: still with checkpoint=second.safetensors   SHA-256 ssssssssssssssss\n' in said.output


def test_compare_refuses_what_is_no_report(tmp_path):
    (tmp_path / 'a.json').write_text('{}')
    said = call('compare', tmp_path / 'a.json', tmp_path / 'b.json')
    assert said.exit_code == 2
    assert 'is not an evaluation report' in ' '.join(said.output.split())


def test_the_example_of_the_page_on_evaluation_can_be_run_as_it_stands(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = (ROOT / 'docs' / 'evaluation.md').read_text()
    lines = [shlex.split(line) for block in re.findall(r'^```sh\n(.*?)^```', page, re.M | re.S) for line in block.splitlines()]
    commands = typer.main.get_command(app)
    given = [(name, commands.get_command(None, name).make_context(name, words).params) for _, name, *words in lines]
    assert {words[0] for words in lines} == {'.venv/bin/vlm-bench'}
    assert [name for name, _ in given] == [
        'evaluate',
        'evaluate',
        'compare',
        'report',
        'evaluate',
        'verify',
        'verify',
        'leaderboard',
        'leaderboard',
    ]
    plans = {
        str(made['report']): planned(Asked(made['policy'], made['tasks'], read_seeds(made['seeds']), made['split'], made['axis']))
        for name, made in given
        if name == 'evaluate'
    }
    (_, compared), (_, drawn), *_ = given[2:]
    first, second = (plans[str(compared[which])] for which in ('first', 'second'))
    assert differences(first.conditions, second.conditions) == []
    assert str(drawn['file']) in plans
    assert isinstance(policy(second.manner.policy), Played)
    truthful = planned(Asked('oracle', TASK, range(100_000, 100_001)))
    assert truthful.conditions.assistance == ('truth',)  # why the oracle is not in the example


def test_the_page_on_evaluation_names_every_fault_action_space_and_aid_and_every_option():
    page = (ROOT / 'docs' / 'evaluation.md').read_text()
    for name in (*FAULTS, *SPACES, *AIDS):
        assert f'`{name}`' in page
    known = {option.name for option in typer.main.get_command(app).get_command(None, 'evaluate').params}
    others = {'html', 'json', 'help', 'scored', 'ros-args', 'fps', 'random', 'checkpoint', 'adapter', 'port'}  # of other commands
    others |= {option.name for option in typer.main.get_command(app).get_command(None, 'verify').params} - known
    shown = set(re.findall(r'--([a-z][a-z-]+)', page)) - others
    assert {name.replace('-', '_') for name in shown} - {'out'} <= known
    assert known - {'report', 'help'} <= {name.replace('-', '_') for name in shown}
