"""What happened in an episode, and when, is what its states and its report say."""

import json

import pytest

from test.plays import bench
from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.core.errors import BagError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dashboard.timeline import timeline
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.policies import policy


@pytest.fixture(scope='module')
def solved(bags):
    return timeline(bags / 'solved')


def test_it_is_plain_json_and_of_one_number_a_period(solved, bags):
    count = sum(1 for _ in snapshots(open_bag(bags / 'solved')))
    assert json.loads(json.dumps(solved, allow_nan=False)) == solved
    assert solved['periods'] == len(solved['progress']) == len(solved['reward']) == count
    assert (solved['task'], solved['seed'], solved['pictures']) == ('vlmbench/pick_place', '3', 0)


def test_a_clause_holds_from_the_period_at_which_progress_is_made(solved):
    (clause,) = solved['clauses']
    ((first, last),) = clause['holds']
    assert clause['at_end'] and last == solved['periods'] - 1
    assert solved['progress'][first - 1 : first + 1] == [0.0, 1.0]
    assert solved['judged'] == {
        'verdict': 'success', 'causes': [], 'seq': last, 'score': 100.0, 'progress': 1.0, 'by': 'truth',
        'agrees': True, 'violations': 0, 'drops': 0,
    }  # fmt: skip


def test_the_thing_is_held_between_the_first_touch_and_the_last_state_that_says_so(solved, bags):
    held = [now.seq for now in snapshots(open_bag(bags / 'solved')) if now.held]
    (thing,) = solved['things']
    assert [seq for first, last in thing['held'] for seq in range(first, last + 1)] == held
    assert thing['touched'][0][0] <= held[0]
    episode = judge(bags / 'solved').episode
    prop = next(prop for prop in episode.goal.props() if prop.kind != 'tray')
    assert thing['words'] == f'{prop.color.name} {prop.kind}'


def test_the_steps_and_skills_of_the_expert_stand_in_it_and_those_of_others_do_not(solved, bags):
    assert [step['seq'] for step in solved['steps']] == sorted(step['seq'] for step in solved['steps']) and len(solved['steps']) > 5
    assert {skill['depth'] for skill in solved['skills']} >= {0, 1} and solved['skills'][0]['name'] == 'put'
    still = timeline(bags / 'still')
    assert still['steps'] == still['skills'] == still['things'] == []
    assert [mark['kind'] for mark in still['marks']] == ['stop'] and still['judged']['causes'][0] == 'stopped'


def test_pictures_of_an_instruction_are_counted(bags):
    assert timeline(bags / 'asked')['pictures'] == 1


def test_perturbed_commands_do_not_flood_it(tmp_path, monkeypatch):
    monkeypatch.setattr('vlm_bench_tasks.dashboard.timeline.MOST_MARKS', 3)
    episode = catalogue.perturbed(catalogue.build('vlmbench/pick_place', 'seen', 3), catalogue.perturbation(['action_noise=0.004']))
    recorder = Recorder(bench(), episode, folder=tmp_path)
    found = timeline(recorder.close(bench().run(episode, policy('oracle'), recorder).report))
    assert len(found['marks']) == 3 and found['marks_left_out'] > 3
    assert {mark['kind'] for mark in found['marks'][1:]} == {'displaced'} and found['perturbations'] == 'action_noise=0.004 m'


def test_what_is_no_bag_is_refused(tmp_path):
    with pytest.raises(BagError, match='is not a bag'):
        timeline(tmp_path)
