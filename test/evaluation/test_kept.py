"""What lies already where a report, a page or a bag shall go: gone on with where it is the same, never replaced where it is another's."""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from io import StringIO
from multiprocessing import get_context
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from vlm_bench_sim.bags.folder import part_of
from vlm_bench_sim.core.errors import ConfigError, WorldError
from vlm_bench_tasks.campaign import Watcher
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console.scoring import show
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.evaluation.declaration import Declaration
from vlm_bench_tasks.evaluation.evaluate import evaluated, played
from vlm_bench_tasks.evaluation.files import alone, write_whole
from vlm_bench_tasks.evaluation.partial import Partial
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.playing import Scored, play
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.result import Result

HERE = Path(__file__).parent
TASK = 'vlmbench/pick_place'
STILL = Asked('still', TASK, range(2), axis='color')
ON_L0 = Declaration(trained_on=('L0',))


def call(*words):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


def evaluate(out, *words, policy='still'):
    return call('evaluate', '--policy', policy, '--tasks', TASK, '--axis', 'color', '--seeds', '0:2', '--out', out, *words)


class Seeing(Watcher):
    """Remembers what it is told."""

    def __init__(self):
        self.told = []

    def begun(self, total, known):
        self.told.append(('begun', known))

    def whole(self):
        self.told.append('whole')

    def ended(self, trial, result):
        self.told.append(('again', trial.seed) if result.again else trial.seed)


def test_the_same_evaluation_again_plays_nothing_and_says_so(tmp_path):
    out = tmp_path / 'report.json'
    assert evaluate(out).exit_code == 0
    before, born = out.read_bytes(), out.stat().st_ino
    again = evaluate(out)
    assert again.exit_code == 0, again.output
    assert 'already holds this evaluation, so nothing was played' in ' '.join(again.output.split())
    assert '0/2 = 0.0 %' in again.output
    assert (out.read_bytes(), out.stat().st_ino) == (before, born)
    assert os.listdir(tmp_path) == ['report.json']


@pytest.mark.parametrize(
    ('changed', 'told'),
    [
        ({'policy': 'random'}, 'Its policy is still.'),
        ({'seeds': range(3)}, 'They differ in seeds (first and one past the last): 0, 2 and 0, 3.'),
        ({'cameras': 'vlmbench:front'}, 'They differ in cameras: none and vlmbench:front.'),
        ({'split': 'unseen'}, 'differs in splits: seen and unseen.'),
        ({'declared': ON_L0}, 'It is declared as nothing; now as trained on L0.'),
    ],
)
def test_the_report_of_another_evaluation_is_kept(tmp_path, changed, told):
    out = tmp_path / 'report.json'
    first = evaluated(planned(STILL), out, processes=1)
    with pytest.raises(ConfigError, match='holds the report of another evaluation') as found:
        evaluated(planned(Asked(**(vars(STILL) | changed))), out, processes=1)
    assert told in str(found.value)
    assert EvaluationReport.load(out) == first


def test_the_report_of_a_policy_that_was_edited_since_is_kept(tmp_path, monkeypatch):
    shutil.copy(HERE / 'moody.py', tmp_path)
    monkeypatch.chdir(tmp_path)
    asked, out = Asked('moody:Nods', TASK, range(1), axis='color'), tmp_path / 'report.json'
    assert evaluated(planned(asked), out, processes=1).code == planned(asked).manner.code != ''
    (tmp_path / 'moody.py').write_text((tmp_path / 'moody.py').read_text() + '# better\n')
    with pytest.raises(ConfigError, match='file of its policy, or an argument, has changed since'):
        evaluated(planned(asked), out, processes=1)


@pytest.mark.parametrize('text', ['print("mine")', '{}', ''])
def test_what_is_no_report_is_not_replaced_by_one(tmp_path, text):
    out = tmp_path / 'mine.py'
    out.write_text(text)
    with pytest.raises(ConfigError, match='already exists and is not overwritten'):
        evaluated(planned(STILL), out, processes=1)
    assert out.read_text() == text


@pytest.mark.parametrize('out', ['folder', '.', '..', '/', '/dev/null'])
def test_where_no_report_can_be_is_said_before_anything_is_played(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'folder').mkdir()
    said = evaluate(out)
    assert said.exit_code == 2, said.exception
    assert 'The report cannot be written to' in said.stderr
    assert [path.name for path in tmp_path.rglob('*')] == ['folder']


def test_a_file_that_cannot_be_put_in_its_place_leaves_nothing(tmp_path):
    (tmp_path / 'taken').mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / 'taken', 'text')
    assert os.listdir(tmp_path) == ['taken']


def test_episodes_that_could_not_be_observed_are_played_again_and_no_others(tmp_path):
    plan, out = planned(STILL), tmp_path / 'report.json'
    first = evaluated(plan, out, processes=1)
    lost = first.episodes[1].model_copy(update={'verdict': 'unobservable', 'causes': ('bench: [/gone]',)})
    episodes = (first.episodes[0], lost)
    first.model_copy(update={'episodes': episodes, 'groups': groups(episodes), 'overall': summed(episodes)}).save(out)
    seeing = Seeing()
    again = evaluated(plan, out, processes=1, watcher=seeing)
    assert seeing.told == [('begun', 1), 1]
    assert again.episodes == first.episodes
    assert again.circumstances.resumed == 1
    assert again.circumstances.earlier == ((), ('bench: [/gone]',))
    assert (again.again, again.at_first) == (1, Rate(0, 2))
    assert EvaluationReport.load(out) == again


def lost(trial, cause):
    return trial, Scored(Result.blank(trial, 'unobservable', cause))


def all_are(verdict):
    """Return what plays every trial to the same verdict."""
    return lambda trials: ((trial, Scored(Result.blank(trial, verdict))) for trial in trials)


def test_each_try_that_could_not_be_observed_stays_in_the_report_however_often_it_is_resumed(tmp_path):
    plan, out = planned(STILL), tmp_path / 'report.json'

    def interrupted(trials):
        yield lost(trials[0], 'bench: third')
        raise KeyboardInterrupt

    evaluated(plan, out, processes=1, play_all=lambda trials: (lost(trial, 'bench: first') for trial in trials))
    evaluated(plan, out, processes=1, play_all=lambda trials: (lost(trial, 'bench: second') for trial in trials))
    with pytest.raises(KeyboardInterrupt):
        evaluated(plan, out, processes=1, play_all=interrupted)
    found = evaluated(plan, out, processes=1, play_all=all_are('success'))
    assert found.circumstances.earlier == (('bench: first', 'bench: second', 'bench: third'), ('bench: first', 'bench: second'))
    assert (found.overall.share, found.at_first.share) == (1.0, 0.0)
    said = evaluate(out)
    assert said.exit_code == 0
    assert 'played more than once because they were unobservable: 2 of 2; solved at the first try: 0/2' in ' '.join(said.output.split())


def test_a_try_whose_process_died_is_kept_at_once_whatever_interrupts_the_next_one(tmp_path):
    plan, out, seeing = planned(STILL), tmp_path / 'report.json', Seeing()

    def dying(trials):
        trial, scored = lost(trials[0], 'bench: died')
        yield trial, replace(scored, again=True)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluated(plan, out, processes=1, watcher=seeing, play_all=dying)
    found = evaluated(plan, out, processes=1, play_all=all_are('success'))
    assert seeing.told == [('begun', 0), ('again', 0)], 'an episode that is played once more is told as such'
    assert found.circumstances.earlier == (('bench: died',), ())
    assert (found.again, found.at_first.solved, found.overall.successes) == (1, 1, 2)


DAMAGE = {
    'no number': ('result', 'score', float('nan')),
    'beyond all measure': ('result', 'reward', 1e308),
    'not negative': ('result', 'drops', -1),
    'without end': ('seconds', float('inf')),
    'too long for a float': ('seconds', 10**400),
    'half a letter': ('earlier', ['\ud800']),
    'half a letter in a name': ('bag', '\ud800'),
}


@pytest.mark.parametrize('damage', DAMAGE)
def test_a_line_that_no_evaluation_has_written_is_played_again(tmp_path, damage):
    plan, out = planned(STILL), tmp_path / 'report.json'
    partial = Partial(out, plan, finished={})
    partial.known(plan.trials)
    partial.keep(plan.trials[0], Scored(Result.blank(plan.trials[0], 'success')))
    *where, value = DAMAGE[damage]
    head, line = partial.path.read_text().splitlines()
    whole = json.loads(line)
    (whole[where[0]] if len(where) > 1 else whole)[where[-1]] = value
    partial.path.write_text(f'{head}\n{json.dumps(whole)}\n{"[" * 200_000}\n')
    found = evaluated(plan, out, processes=1, play_all=all_are('failure'))
    assert [one.verdict for one in found.episodes] == ['failure', 'failure']
    assert found.circumstances.resumed == 0


def test_what_is_left_of_an_evaluation_with_another_declaration_is_kept(tmp_path):
    out, other = tmp_path / 'report.json', replace(STILL, declared=ON_L0)
    for first, second in ((STILL, other), (other, STILL)):
        partial = Partial(out, planned(first), finished={})
        partial.known(planned(first).trials)
        partial.keep(planned(first).trials[0], Scored(Result.blank(planned(first).trials[0], 'success')))
        with pytest.raises(ConfigError, match=r'holds episodes of another evaluation. Its declared\.\S+ was .*; now it is .*Remove it'):
            Partial(out, planned(second), finished={}).known(planned(second).trials)
        assert len(Partial(out, planned(first), finished={}).known(planned(first).trials)) == 1
        partial.remove()
    found = evaluated(planned(other), out, processes=1, play_all=all_are('failure'))
    assert found.declared == EvaluationReport.load(out).declared == ON_L0
    assert found.decides == planned(STILL).conditions.decides, 'what is declared changes no episode'


def test_while_an_episode_is_unobservable_the_command_fails_and_says_the_rate_had_it_failed(tmp_path):
    plan, out = planned(STILL), tmp_path / 'report.json'

    def half(trials):
        yield from ((trial, Scored(Result.blank(trial, 'success'))) if trial.seed else lost(trial, 'bench: gone') for trial in trials)

    console = Console(file=StringIO(), width=200)
    found = evaluated(plan, out, processes=1, play_all=half)
    show(found, console)
    assert (found.overall.share, found.overall.floor) == (1.0, 0.5)
    assert 'The rates exclude them; with them as failures, 50.0 % are solved.' in console.file.getvalue()


def test_where_nothing_could_be_observed_the_causes_are_told_and_the_command_fails(tmp_path, monkeypatch):
    bags = tmp_path / 'bags'
    command = [sys.executable, '-c', 'from vlm_bench_tasks.cli.main import app; app()']
    words = ['evaluate', '--policy', 'still', '--tasks', TASK, '--axis', 'color', '--seeds', '0:2', '--out', str(tmp_path / 'report.json')]
    little = f'ulimit -f 64; exec "$@" --record {bags}'  # no file may grow beyond this, as on a disk that is full
    done = subprocess.run(
        ['bash', '-c', little, 'bash', *command, *words], cwd=HERE.parents[1], capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 1, done.stdout + done.stderr
    told = ' '.join(done.stdout.split())
    assert '1 unobservable: The bag' in told
    assert 'The rates exclude them; with them as failures, 0.0 % are solved. The same command plays them again;' in told
    report = EvaluationReport.load(tmp_path / 'report.json')
    assert report.overall.unobservable == 2
    assert len(list(bags.iterdir())) == 2
    for episode in report.episodes:  # what is said to be recoverable is there, and is
        (part,) = [part for part in bags.iterdir() if str(part) in episode.causes[0]]
        assert call('recover', part).exit_code == 0
    seeing = Seeing()
    evaluated(planned(STILL), tmp_path / 'report.json', processes=1, watcher=seeing)
    assert seeing.told == [('begun', 0), 0, 1]


def test_a_finished_evaluation_is_not_taken_for_one_whose_bags_are_asked_for(tmp_path):
    out = tmp_path / 'report.json'
    evaluated(planned(STILL), out, processes=1)
    with pytest.raises(ConfigError, match='does not hold all of its bags'):
        evaluated(planned(Asked(**(vars(STILL) | {'record': str(tmp_path / 'bags')}))), out, processes=1)


def into(out, bags):
    """Evaluate in a process of its own, into a folder of bags."""
    evaluated(planned(Asked('still', TASK, range(3), axis='color', record=bags)), Path(out), processes=1)


@pytest.mark.long
def test_two_evaluations_of_one_policy_into_one_folder_of_bags_take_turns(tmp_path):
    bags = tmp_path / 'bags'
    both = [get_context('spawn').Process(target=into, args=(str(tmp_path / f'{name}.json'), str(bags))) for name in ('a', 'b')]
    for process in both:
        process.start()
    for process in both:
        process.join(120)
    found = [EvaluationReport.load(tmp_path / f'{name}.json') for name in ('a', 'b')]
    assert [report.overall.unobservable for report in found] == [0, 0]
    assert found[0].episodes == found[1].episodes
    assert sorted(path.name for path in bags.iterdir()) == sorted(found[0].circumstances.bags)
    assert all(judge(bags / name).agrees for name in found[0].circumstances.bags)


def waits_for(lock):
    """Whether another process has the lock's file open."""
    own = str(os.getpid())
    for folder in Path('/proc').glob('[0-9]*/fd'):
        with suppress(OSError):
            if folder.parts[2] != own and any(link.readlink() == lock for link in folder.iterdir()):
                return True
    return False


@pytest.mark.long
def test_a_bag_that_another_evaluation_writes_is_left_alone_until_that_is_done(tmp_path):
    asked = Asked('still', TASK, range(1), axis='color', record=str(tmp_path))
    plan = planned(asked)
    (job,) = plan.jobs(plan.trials, tmp_path / 'notes')
    (tmp_path / 'notes').mkdir()
    name = play(job).bag
    lock = tmp_path / f'.{name}.lock'
    process = get_context('spawn').Process(target=into, args=(str(tmp_path / 'b.json'), str(tmp_path)))
    with alone(lock, wait=False):
        part_of(tmp_path / name).mkdir()
        process.start()
        deadline = time.monotonic() + 60
        while not waits_for(lock) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.join(0.3)
        assert process.is_alive()
        assert part_of(tmp_path / name).is_dir()
        assert (tmp_path / name).is_dir()
    process.join(60)
    assert process.exitcode == 0
    assert not lock.exists()


def test_a_lock_is_had_by_one_at_a_time_and_leaves_no_file(tmp_path):
    lock = tmp_path / 'lock'
    lock.touch()  # as a killed process leaves it
    with alone(lock, wait=False):
        with pytest.raises(BlockingIOError), alone(lock, wait=False):
            pass
        assert lock.exists()
    assert not lock.exists()
    with alone(lock, wait=True), ExitStack():
        pass
    assert os.listdir(tmp_path) == []


def test_a_process_that_dies_with_a_bag_keeps_nobody_from_it(tmp_path, monkeypatch):
    monkeypatch.chdir(HERE)
    monkeypatch.setenv('TRIES', str(tmp_path / 'tries'))
    asked = Asked('moody:Hangs', TASK, range(1), axis='color', record=str(tmp_path / 'bags'), answer_seconds=0.5)
    plan = planned(asked)
    ((_, found),) = played(plan, list(plan.trials), 1)
    assert found.result.cause == 'policy_timeout'
    assert [path.name for path in (tmp_path / 'bags').iterdir() if path.name.endswith('.lock')] == []


def test_a_run_that_breaks_leaves_nothing_half_recorded(tmp_path, monkeypatch):
    plan = planned(Asked('still', TASK, range(1), axis='color', record=str(tmp_path / 'bags')))
    (job,) = plan.jobs(plan.trials, tmp_path)

    def lost(*_):
        raise WorldError('the world is gone')

    monkeypatch.setattr(Recorder, 'close', lost)
    found = play(job)
    assert (found.result.verdict, found.result.causes) == ('unobservable', ('the world is gone',))
    assert list((tmp_path / 'bags').iterdir()) == []
