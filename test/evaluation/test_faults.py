"""Policies that do wrong, in real processes: each costs its own episode, under its own name, and no other."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.command import Chunk, Joints, Point, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.evaluation import plan as planning
from vlm_bench_tasks.evaluation.answers import checked
from vlm_bench_tasks.evaluation.evaluate import evaluated, played
from vlm_bench_tasks.evaluation.faults import NOT_FINITE, SHAPE, TYPE, PolicyFault, ending, told
from vlm_bench_tasks.evaluation.guard import sealed
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.policy import Observation

TASK = 'vlmbench/pick_place'
CAUSES = {
    'raises': 'policy_raised: ValueError: no idea',
    'exits': 'policy_raised: SystemExit: 3',
    'hangs': 'policy_timeout: It gave no answer in 1.5 s.',
    'dies': 'policy_died: Its process ended with exit code 7.',
    'crashes': 'policy_died: Its process was killed by SIGSEGV.',
    'nan': 'policy_not_finite: A Joints holds nan.',
    'nan_pose': 'policy_not_finite: A pose needs 3 + 4 finite numbers; found [nan',
    'short': 'policy_wrong_shape: A Joints of this robot takes 7 numbers; found 3.',
    'words': "policy_wrong_type: Moody.act returned 'open the drawer'.",
    'typed': "policy_wrong_type: A Grip takes numbers; found 'open'.",
    'nothing': 'policy_wrong_type: Moody.act returned None.',
    'peeks': 'policy_privileged: It read observation.truth',
    'stops': 'stopped',
}
ESCAPES = {
    'cancelled': 'policy_raised: CancelledError: the loop is gone',
    'interrupted': 'policy_raised: KeyboardInterrupt',
    'unspeakable': 'policy_raised: Unspeakable',
    'unwritable': 'policy_raised: RuntimeError: half a ? pair',
    'deserts': 'policy_died: Its process ended with exit code 5.',
    'rings': 'policy_raised: ValueError: no idea',
    'deaf': 'policy_timeout: It gave no answer in 1.5 s.',
}
HERE = Path(__file__).parent


def scored(moods, tmp_path, monkeypatch):
    """Evaluate a policy that has these moods, one an episode, and check that each episode failed for its own reason."""
    mood_of(moods, tmp_path, monkeypatch)
    asked = Asked('moody:Moody', TASK, range(len(moods)), axis='color', answer_seconds=1.5)
    report = evaluated(planned(asked), tmp_path / 'report.json', processes=2)
    for episode, mood in zip(report.episodes, moods, strict=True):
        assert (mood, episode.verdict) == (mood, 'failure')
        assert episode.causes[0].startswith((CAUSES | ESCAPES)[mood])
    assert report.overall.unobservable == 0
    return report


def mood_of(moods, tmp_path, monkeypatch):
    """Let a policy have these moods, one an episode."""
    monkeypatch.chdir(HERE)
    told = {catalogue.build(TASK, 'seen', seed, 'color').instruction.text: mood for seed, mood in enumerate(moods)}
    assert len(told) == len(moods)  # so that each episode has a mood of its own
    (tmp_path / 'moods.json').write_text(json.dumps(told))
    monkeypatch.setenv('MOODS', str(tmp_path / 'moods.json'))


def test_a_fault_is_a_counted_failure_with_its_cause_and_the_run_goes_on(tmp_path, monkeypatch):
    report = scored(('raises', 'hangs', 'nan', 'peeks', 'stops'), tmp_path, monkeypatch)
    causes = {'policy_raised': 1, 'policy_timeout': 1, 'policy_not_finite': 1, 'policy_privileged': 1, 'stopped': 1}
    assert report.overall.causes == causes
    assert report.isolation == 'none'


def test_no_policy_takes_its_episodes_out_of_the_rate(tmp_path, monkeypatch):
    report = scored(tuple(ESCAPES), tmp_path, monkeypatch)
    assert report.overall.causes == {'policy_raised': 5, 'policy_died': 1, 'policy_timeout': 1}


def test_an_episode_whose_process_is_killed_from_outside_while_the_world_steps_is_nobodys_failure(tmp_path, monkeypatch):
    mood_of(('killed',), tmp_path, monkeypatch)
    plan = planned(Asked('moody:Moody', TASK, range(1), axis='color'))
    (_, first), (_, found) = played(plan, list(plan.trials), 1)
    assert (first.again, first.result.causes) == (True, ('bench: Its process was killed by SIGKILL.',))
    assert (found.result.verdict, found.result.causes) == ('unobservable', ('bench: Its process was killed by SIGKILL.',))


def test_a_policy_that_is_never_made_ends_the_evaluation_at_the_first_try(tmp_path, monkeypatch):
    monkeypatch.chdir(HERE)
    monkeypatch.setenv('TRIES', str(tmp_path / 'tries'))
    monkeypatch.setattr(planning, 'MAKING_S', 1.5)
    plan = planned(Asked('moody:NeverMade', TASK, range(3), axis='color'))
    with pytest.raises(TaskError, match="policy 'moody:NeverMade' was not created within"):
        list(played(plan, list(plan.trials), 1))
    assert (tmp_path / 'tries').read_text() == 'tried\n'


def test_a_policy_that_cannot_play_like_this_ends_the_evaluation_and_leaves_no_bag(tmp_path, monkeypatch):
    monkeypatch.chdir(HERE)
    plan = planned(Asked('moody:Picky', TASK, range(2), axis='color', record=str(tmp_path)))
    with pytest.raises(TaskError, match=r"policy 'moody:Picky' cannot play 'vlmbench/pick_place' like this: Give me a camera\."):
        list(played(plan, list(plan.trials), 1))
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith('.')]


def test_a_policy_that_says_so_later_has_failed_its_episode(monkeypatch):
    monkeypatch.chdir(HERE)
    plan = planned(Asked('moody:Picky', TASK, range(1), axis='color', policy_arg=('answers=1',)))
    ((_, found),) = played(plan, list(plan.trials), 1)
    assert found.result.verdict == 'failure'
    assert re.fullmatch(r'policy_raised: ConfigError: Give me a camera\. \(moody\.py, line \d+\)', found.result.causes[0])


def soon(true, what):
    deadline = time.monotonic() + 100
    while not true():
        assert time.monotonic() < deadline, f'Not yet: {what}.'
        time.sleep(0.05)


def test_ctrl_c_ends_an_evaluation_whose_policy_hangs(tmp_path):
    words = [
        'evaluate',
        '--policy',
        'moody:Hangs',
        '--tasks',
        TASK,
        '--axis',
        'color',
        '--seeds',
        '0:2',
        '--out',
        str(tmp_path / 'report.json'),
    ]
    heard = 'import signal; signal.signal(signal.SIGINT, signal.default_int_handler)'  # which who starts us in the background turns off
    command = [sys.executable, '-c', f'{heard}; from vlm_bench_tasks.cli.main import app; app()', *words]
    environment = os.environ | {'TRIES': str(tmp_path / 'tries'), 'PYTHONPATH': os.pathsep.join([str(HERE.parents[1]), *sys.path])}
    running = subprocess.Popen(command, cwd=HERE, env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tries = tmp_path / 'tries'
    soon(lambda: tries.exists() and tries.read_text(), 'the policy hangs')
    os.killpg(running.pid, signal.SIGINT)
    said = running.communicate(timeout=300)[0].decode()
    assert running.returncode == 130, said
    assert 'the same command continues from there' in said
    soon(lambda: not Path('/proc', tries.read_text()).exists(), 'the process of the policy has ended')


def test_bags_say_what_the_report_says_and_judging_them_again_agrees(tmp_path, monkeypatch):
    monkeypatch.chdir(HERE)
    bags = tmp_path / 'bags'
    asked = Asked('moody:Fails', TASK, range(2), axis='color', record=str(bags), assist=('oracle_stop',))
    first = evaluated(planned(asked), tmp_path / 'first.json', processes=1)
    assert first.overall.causes == {'policy_raised': 2}
    for score, name in zip(first.episodes, first.circumstances.bags, strict=True):
        found = judge(bags / name)
        assert found.agrees
        assert found.report.verdict is Verdict.FAILURE
        assert found.report.causes == score.causes
        assert re.fullmatch(r'policy_raised: ValueError: no idea \(moody\.py, line \d+\)', score.causes[0])
        assert found.report.assistance == first.conditions.assistance == ('oracle_stop',)
        assert (found.report.sim_seconds, found.report.reward) == (score.sim_seconds, score.reward)
        assert score.sim_seconds < 1.0  # it ends with the fault
        assert score.reward > 0.0
        custom = open_bag(bags / name).custom
        assert (custom['verdict'], custom['assistance']) == ('failure', 'oracle_stop')
    names = sorted(path.name for path in bags.iterdir())
    (bags / f'.{names[0]}.part').mkdir()  # as a killed process leaves it
    second = evaluated(planned(asked), tmp_path / 'second.json', processes=1)
    assert sorted(path.name for path in bags.iterdir()) == names
    assert second.circumstances.bags == first.circumstances.bags
    plain = evaluated(planned(replace(asked, record='')), tmp_path / 'plain.json', processes=1)
    assert plain.episodes == first.episodes


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_fault_is_told_apart(tmp_path, monkeypatch):
    report = scored(tuple(CAUSES), tmp_path, monkeypatch)
    assert report.overall.causes == {
        'policy_raised': 2, 'policy_timeout': 1, 'policy_died': 2, 'policy_not_finite': 2, 'policy_wrong_shape': 1,
        'policy_wrong_type': 3, 'policy_privileged': 1, 'stopped': 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ('name', 'error'),
    [('Unmade', 'could not be created without arguments: OSError: no weights'), ('Leaves', 'could not be created: SystemExit: no weights')],
)
def test_a_policy_that_cannot_be_made_is_asked_for_wrongly(tmp_path, monkeypatch, name, error):
    monkeypatch.chdir(HERE)
    with pytest.raises(TaskError, match=error):
        evaluated(planned(Asked(f'moody:{name}', TASK, range(2), axis='color')), tmp_path / 'report.json', processes=1)
    assert not (tmp_path / 'report.json').exists()


@pytest.mark.parametrize(
    ('answer', 'word'),
    [
        (7, TYPE),
        (Joints, TYPE),
        (Joints(3.0), TYPE),
        (Joints('1234567'), TYPE),
        (Joints((True,) * 7), TYPE),
        (Joints((0.0,) * 8), SHAPE),
        (Joints((float('inf'),) * 7), NOT_FINITE),
        (Grip(None), TYPE),
        (Grip(0.02, float('nan')), NOT_FINITE),
        (Seal('yes'), TYPE),
        (Wait(float('inf')), NOT_FINITE),
        (Chunk((3,)), TYPE),
        (Chunk((Point(1, (0.0,) * 6),)), SHAPE),
        (Chunk((Point(1, (0.0,) * 7, (0.0,)),)), SHAPE),
        (Chunk((Point(float('nan'), (0.0,) * 7),)), NOT_FINITE),
        (Chunk((Point(1, (0.0,) * 7),), path_tolerance=(1.0,)), SHAPE),
        (ToolPose(Pose(), allowed='cube'), TYPE),
        (ToolPose(Pose(), constraint='upright'), TYPE),
        (ToolPose(Pose(), speed='fast'), TYPE),
        (ToolPose(Pose(), straight='very'), TYPE),
    ],
)
def test_what_is_no_command_never_reaches_the_world(answer, word):
    with pytest.raises(PolicyFault) as found:
        checked(answer, 7)
    assert found.value.word == word


def test_numbers_of_numpy_are_made_plain():
    joints = checked(Joints(np.zeros(7, dtype=np.float32)), 7)
    assert joints == Joints((0.0,) * 7)
    assert all(type(value) is float for value in joints.positions)
    assert type(checked(Grip(np.float32(0.5)), 7).opening) is float
    assert checked(Seal(np.bool_(1)), 7) == Seal(on=True)
    chunk = Chunk([Point(np.int64(50_000_000), np.zeros(7))])
    assert checked(chunk, 7) == Chunk((Point(50_000_000, (0.0,) * 7),))
    pose = ToolPose(Pose((0.4, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0)), straight=True, allowed=('cube',), speed=0.5)
    assert checked(pose, 7) == pose
    assert checked(Stop(), 7) == Stop()


def test_what_a_policy_says_is_one_line_without_what_differs_from_run_to_run():
    assert told('bad <Net object at 0x7f00ab12>\n  in line 3') == 'bad <Net object> in line 3'
    assert len(told('x' * 10_000)) < 400


@pytest.mark.parametrize(
    ('fault', 'event'),
    [
        ('', (EventKind.STOP, '')),
        ('policy_died: out of memory', (EventKind.POLICY_FAULT, 'policy_died: out of memory')),
        ('policy_died', (EventKind.POLICY_FAULT, 'policy_raised: policy_died')),
        ('success: all is well', (EventKind.POLICY_FAULT, 'policy_raised: success: all is well')),
        ('\ud800\n', (EventKind.POLICY_FAULT, 'policy_raised: ?')),
        ('x' * 1000, (EventKind.POLICY_FAULT, f'policy_raised: {"x" * 300}…')),
    ],
)
def test_what_a_node_says_of_its_fault_begins_with_a_known_word_and_is_one_short_line(fault, event):
    assert ending(fault) == event
    assert ending(event[1])[1] == event[1] or not fault  # as said again


def test_a_sealed_observation_shows_all_but_the_truth():
    profile = profiles.robot('panda')
    seen = Observation(1.0, {name: JointState(0.0) for name in profile.joints}, Pose(), 0.08)
    peeked: list[str] = []
    shown = sealed(seen, peeked)
    assert (shown.seconds, shown.joints, shown.tool, shown.opening) == (1.0, seen.joints, Pose(), 0.08)
    assert 'truth' not in repr(shown)
    assert peeked == []
    with pytest.raises(PolicyFault, match='policy_privileged'):
        _ = shown.truth
    assert peeked == ['truth']
