"""An evaluation: the same bytes whoever plays it and where, nothing lost when it is interrupted, and refusals in a sentence."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vlm_bench_sim.core.errors import AxisError, ConfigError, SeedError, SplitError, TaskError
from vlm_bench_tasks.campaign import Watcher
from vlm_bench_tasks.evaluation import evaluate as evaluating
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.partial import Partial
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.workers import Lost

HERE = Path(__file__).parent
TASK = 'vlmbench/pick_place'
ASKED = Asked('moody:Nods', TASK, range(100_000, 100_004), axis='color')


def in_folder(folder, monkeypatch):
    """Go to a folder of its own that holds the policy."""
    folder.mkdir()
    shutil.copy(HERE / 'moody.py', folder)
    monkeypatch.chdir(folder)
    return folder / 'report.json'


def without_times(path):
    found = json.loads(path.read_text())
    del found['circumstances']
    return json.dumps(found)


@pytest.mark.long
def test_one_worker_here_and_two_there_write_the_same_but_for_times(tmp_path, monkeypatch):
    alone, together = in_folder(tmp_path / 'here', monkeypatch), None
    first = evaluated(planned(ASKED), alone, processes=1)
    together = in_folder(tmp_path / 'there', monkeypatch)
    second = evaluated(planned(ASKED), together, processes=2)
    assert without_times(alone) == without_times(together)
    assert first.conditions.purpose == 'test'
    assert first.overall.causes == {'stopped': 4}
    assert len({episode.state_hash for episode in first.episodes}) == 4  # the arm moved, and not through the same scene
    assert (first.circumstances.workers, second.circumstances.workers) == (1, 2)
    assert all(seconds > 0 for seconds in first.circumstances.episode_seconds)
    assert EvaluationReport.load(alone) == first


@pytest.mark.parametrize('policy', [pytest.param('moody:Looks', marks=pytest.mark.long), pytest.param('oracle', marks=pytest.mark.slow)])
def test_what_is_seen_is_the_same_with_one_worker_and_two(tmp_path, monkeypatch, policy):
    pytest.importorskip('moderngl')
    monkeypatch.chdir(HERE)
    asked = Asked(policy, TASK, range(100_000, 100_002), axis='color', cameras='vlmbench:front', size='64x48')
    plan = planned(asked)
    alone, together = tmp_path / 'alone.json', tmp_path / 'together.json'
    first, _ = (evaluated(plan, out, processes=count) for out, count in ((alone, 1), (together, 2)))
    assert without_times(alone) == without_times(together)
    assert first.conditions.renderer != 'none'
    assert len({episode.state_hash for episode in first.episodes}) == 2
    assert first.overall.causes == ({} if policy == 'oracle' else {'stopped': 2})


class Interrupted(Watcher):
    """Interrupts once so many episodes have ended."""

    def __init__(self, after):
        self.after, self.resumed = after, 0

    def begun(self, total, known):
        self.resumed = known

    def ended(self, trial, result):
        self.after -= 1
        if self.after == 0:
            raise KeyboardInterrupt


@pytest.mark.long
def test_what_was_played_before_an_interruption_is_not_played_again(tmp_path, monkeypatch):
    monkeypatch.chdir(HERE)
    plan, out = planned(ASKED), tmp_path / 'report.json'
    with pytest.raises(KeyboardInterrupt):
        evaluated(plan, out, processes=1, watcher=Interrupted(2))
    assert not out.exists()
    kept = out.with_name('report.json.partial.jsonl')
    assert len(kept.read_text().splitlines()) == 3  # what it is of, and two episodes
    kept.write_text(kept.read_text() + '{"result": {"task": "vlmb')  # as a killed process leaves it
    again = Interrupted(-1)
    report = evaluated(plan, out, processes=1, watcher=again)
    assert (again.resumed, report.circumstances.resumed) == (2, 2)
    assert os.listdir(tmp_path) == ['report.json']
    whole = evaluated(plan, tmp_path / 'whole.json', processes=1)
    assert without_times(out) == without_times(tmp_path / 'whole.json')
    assert whole.circumstances.resumed == 0


def test_episodes_of_another_evaluation_are_neither_taken_nor_overwritten(tmp_path):
    out = tmp_path / 'report.json'
    plan = planned(Asked('still', TASK, range(2), axis='color'))
    kept, first = Partial(out, plan, finished={}), plan.trials[0]
    assert kept.known(plan.trials) == {}
    kept.keep(first, evaluating.Scored(Result.blank(first, 'failure', 'stopped')))
    assert set(kept.known(plan.trials)) == {first}
    for other, differs in (
        (Asked('random', TASK, range(2), axis='color'), 'Its policy was still; now it is random'),
        (Asked('still', TASK, range(3), axis='color'), 'Its digest of tasks, seeds and conditions was [0-9a-f]+…; now it is [0-9a-f]+…'),
    ):
        with pytest.raises(ConfigError, match=rf'holds episodes of another evaluation. {differs}. .*Remove it'):
            Partial(out, planned(other), finished={}).known(())
    with pytest.raises(ConfigError, match='name another report'):
        Partial(tmp_path / 'report.json.partial.jsonl' / 'report.json', plan, finished={}).known(())


def test_two_do_not_evaluate_into_one_report(tmp_path):
    out, plan = tmp_path / 'report.json', planned(Asked('still', TASK, range(1), axis='color'))
    with Partial(out, plan, finished={}).held(), pytest.raises(ConfigError, match='Another process is writing'):
        evaluated(plan, out, processes=1)
    assert os.listdir(tmp_path) == []
    evaluated(plan, out, processes=1)
    out.unlink()
    (tmp_path / 'report.json.partial.lock').touch()  # as a killed process leaves it
    evaluated(plan, out, processes=1)
    assert os.listdir(tmp_path) == ['report.json']


def test_episodes_of_a_policy_that_was_edited_since_are_not_taken(tmp_path, monkeypatch):
    out = in_folder(tmp_path / 'here', monkeypatch)
    plan = planned(ASKED)
    with pytest.raises(KeyboardInterrupt):
        evaluated(plan, out, processes=1, watcher=Interrupted(1))
    assert len(Partial(out, plan, finished={}).known(plan.trials)) == 1
    code = out.with_name('moody.py')
    code.write_text(code.read_text().replace('-0.05, 0.05', '-0.06, 0.05'))
    with pytest.raises(ConfigError, match='holds episodes of another evaluation'):
        Partial(out, planned(ASKED), finished={}).known(())
    one, other = (each.jobs(each.trials, tmp_path)[0].token for each in (planned(ASKED), plan))
    assert one != other


def test_an_episode_whose_process_was_killed_is_played_once_more(monkeypatch):
    plan = planned(Asked('still', TASK, range(2), axis='color'))
    rounds = []

    def lossy(jobs, work, *, workers, pulse):
        """Lose the first job of each round, as a kill would."""
        rounds.append([job.trial.seed for job in jobs])
        for number, job in enumerate(jobs):
            yield job, Lost('killed') if number == 0 else evaluating.Scored(Result.blank(job.trial, 'success'))

    monkeypatch.setattr(evaluating.workers, 'play', lossy)
    found = {trial.seed: scored.result for trial, scored in evaluating.played(plan, list(plan.trials), 1)}
    assert rounds == [[0, 1], [0]]
    assert found[1].verdict == 'success'
    assert (found[0].verdict, found[0].causes) == ('unobservable', ('bench: killed',))  # it was not the policy's turn


@pytest.mark.parametrize(
    ('changed', 'error', 'words'),
    [
        ({'policy': 'oracel'}, TaskError, 'Did you mean oracle'),
        ({'tasks': 'vlmbench/pick_plaice'}, TaskError, 'Did you mean vlmbench/pick_place'),
        ({'axis': 'colour'}, AxisError, 'Did you mean color'),
        ({'split': 'sean'}, SplitError, 'seen'),
        ({'seeds': range(79_999, 80_001)}, SeedError, 'do not all have one purpose'),
        ({'robot': 'pandas'}, ConfigError, 'panda'),
        ({'cameras': 'vlmbunch'}, ConfigError, 'vlmbench'),
        ({'size': '0x0'}, ConfigError, 'WIDTHxHEIGHT'),
        ({'perturb': ('lite=1',)}, ConfigError, 'light'),
        ({'assist': ('sub_goals',)}, ConfigError, 'Did you mean subgoals'),
        ({'assist': ('oracle_stop,gripper',)}, ConfigError, "no aid called 'gripper'"),
        ({'answer_seconds': 0.0}, ConfigError, 'above 0'),
        ({'answer_seconds': float('nan')}, ConfigError, 'above 0'),
        ({'rows': -1}, ConfigError, 'or 0 for all'),
        ({'policy': 'ftp://127.0.0.1:8000'}, ConfigError, 'Write ws://host:port'),
        ({'tasks': 'lohoravens/match_bowls', 'seeds': range(100_000, 100_002)}, SeedError, 'These are seeds of --split test'),
        ({'tasks': 'lohoravens/match_bowls', 'seeds': range(1_000, 1_002)}, SeedError, 'Use published seeds; run plays any.$'),
    ],
)
def test_what_was_asked_for_wrongly_is_said_before_anything_is_played(changed, error, words):
    asked = {'policy': 'still', 'tasks': TASK, 'seeds': range(2)} | changed
    with pytest.raises(error, match=words):
        planned(Asked(**asked))


def test_a_plan_holds_every_axis_and_split_and_says_what_decides():
    plan = planned(Asked('oracle', TASK, range(3), split='seen,unseen', perturb=('light=0.2',), size='64x48'))
    row = plan.conditions.tasks[0]
    assert row.splits == ('seen', 'unseen')
    assert len(row.axes) > 1
    assert len(plan.trials) == 3 * 2 * len(row.axes)
    assert [trial.key for trial in plan.trials] == sorted(trial.key for trial in plan.trials)
    assert plan.conditions.assistance == ('truth',)  # the expert is shown it
    assert plan.conditions.perturbations == ('light=0.2',)
    assert plan.conditions.renderer == 'none'
    assert any(version.startswith('pybullet=') for version in plan.conditions.versions)
    assert planned(Asked('still', TASK, range(3))).conditions.assistance == ()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kill_9_in_the_middle_loses_no_episode_that_had_ended(tmp_path):
    words = [
        'evaluate', '--policy', 'oracle', '--tasks', TASK, '--axis', 'color', '--seeds', '0:6',
        '--out', str(tmp_path / 'report.json'),
    ]  # fmt: skip
    command = [sys.executable, '-c', 'from vlm_bench_tasks.cli.main import app; app()', *words]
    kept = tmp_path / 'report.json.partial.jsonl'
    running = subprocess.Popen(command, cwd=HERE.parents[1], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and (not kept.exists() or len(kept.read_text().splitlines()) < 3):
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = len(kept.read_text().splitlines()) - 1
    assert 2 <= before < 6
    subprocess.run(command, cwd=HERE.parents[1], check=True, stdout=subprocess.DEVNULL)
    report = EvaluationReport.load(tmp_path / 'report.json')
    assert report.circumstances.resumed == before
    assert report.overall.successes == 6
