"""The report of an evaluation: counted rightly, written once the same way, read back whole, and never half there."""

import json
import os

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.report import MOST_BYTES, Circumstances, Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.result import Result

TASK = TaskConditions(task='vlmbench/pick_place', revision=1, robot='panda', axes=('color',), splits=('seen',), horizon=60.0, step_limit=0)
CONDITIONS = Conditions(
    tasks=(TASK,),
    seeds=(0, 4),
    purpose='train',
    cameras='none',
    size='256x256',
    answer_seconds=60.0,
    versions=('vlm_bench=1', 'renderer=Mesa'),
)
TASK_AND_SPLIT = dict(task='vlmbench/pick_place', axis='color', split='seen')
FOUR = tuple(
    Result(**TASK_AND_SPLIT, seed=seed, verdict=verdict, causes=causes, score=score, sim_seconds=2.0)
    for seed, verdict, causes, score in [
        (0, 'success', (), 100.0),
        (1, 'failure', ('policy_raised: ValueError: 3',), 50.0),
        (2, 'failure', ('policy_raised: KeyError: 4', 'stopped'), 0.0),
        (3, 'unobservable', ('bench: lost',), 0.0),
    ]
)


def report(**changes):
    whole = dict(
        policy='still', conditions=CONDITIONS, decides=CONDITIONS.decides, groups=groups(FOUR), overall=summed(FOUR), episodes=FOUR
    )
    return EvaluationReport(**(whole | changes))


def test_unobservable_episodes_are_counted_beside_the_rate_and_causes_by_their_first_word():
    (group,) = groups(FOUR)
    assert (group.episodes, group.successes, group.unobservable) == (3, 1, 1)
    assert group.mean_score == 50.0
    assert group.causes == {'policy_raised': 2}
    assert (group.low, group.high) == pytest.approx((0.0615, 0.7923), abs=1e-4)  # Wilson's interval of 1 of 3


def test_groups_are_told_apart_by_task_split_and_axis_and_of_nothing_there_is_no_mean():
    other = FOUR[0].model_copy(update={'split': 'unseen'})
    assert [(group.split, group.episodes) for group in groups([*FOUR, other])] == [('seen', 3), ('unseen', 1)]
    assert summed(FOUR[3:]).mean_score is None
    assert summed(FOUR[3:]).share == 0.0


def test_a_report_is_read_back_as_it_was_written_and_its_text_has_sorted_keys(tmp_path):
    path = tmp_path / 'made' / 'report.json'
    report().save(path)
    assert EvaluationReport.load(path) == report()
    text = path.read_text()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1, ensure_ascii=False) + '\n'
    assert os.listdir(path.parent) == ['report.json']


def test_only_circumstances_differ_where_the_machine_was_slower():
    slow = report(circumstances=Circumstances(workers=2, wall_seconds=9.0))
    ours, theirs = json.loads(report().text()), json.loads(slow.text())
    assert {key for key in ours if ours[key] != theirs[key]} == {'circumstances'}


@pytest.mark.parametrize(
    'change',
    [
        {'seeds': (0, 5)},
        {'cameras': 'vlmbench'},
        {'size': '128x128'},
        {'perturbations': ('light=0.1',)},
        {'assistance': ('subgoals',)},
        {'answer_seconds': 1.0},
        {'versions': ('vlm_bench=2', 'renderer=Mesa')},
        {'tasks': (TASK.model_copy(update={'revision': 2}),)},
        {'tasks': (TASK.model_copy(update={'robot': 'ur5e'}),)},
    ],
)
def test_whatever_decides_a_score_changes_the_hash(change):
    assert CONDITIONS.model_copy(update=change).decides != CONDITIONS.decides


def test_the_hash_is_that_of_canonical_json_and_so_the_same_tomorrow():
    assert CONDITIONS.decides == '1b5741c6d1102664bac4ab5469fd481d57cd6824b2f204cf1d3dfe3b3f52d66d'


def test_a_report_that_is_far_too_large_is_not_read(tmp_path):
    with (tmp_path / 'a.json').open('wb') as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ConfigError, match='larger than 256 MiB'):
        EvaluationReport.load(tmp_path / 'a.json')


def test_a_report_with_altered_conditions_is_refused(tmp_path):
    path = tmp_path / 'report.json'
    report().save(path)
    path.write_text(path.read_text().replace('"cameras": "none"', '"cameras": "vlmbench"'))
    with pytest.raises(ConfigError, match='was altered'):
        EvaluationReport.load(path)


@pytest.mark.parametrize(
    ('episodes', 'said'),
    [
        (FOUR[:3], 'it lacks 1 episodes that its conditions name, has 0 others, and repeats 0'),
        ((*FOUR[:3], FOUR[0]), 'it lacks 1 episodes that its conditions name, has 0 others, and repeats 1'),
        ((*FOUR, FOUR[0].model_copy(update={'seed': 7})), 'it lacks 0 episodes that its conditions name, has 1 others'),
        ((*FOUR[:3], FOUR[3].model_copy(update={'split': 'unseen'})), 'it lacks 1 episodes that its conditions name, has 1 others'),
    ],
)
def test_a_report_with_other_episodes_than_its_conditions_name_is_refused(tmp_path, episodes, said):
    report(episodes=episodes, overall=summed(episodes)).save(tmp_path / 'report.json')
    with pytest.raises(ConfigError, match=f'was altered: {said}'):
        EvaluationReport.load(tmp_path / 'report.json')


@pytest.mark.parametrize(
    'change',
    [
        {'seeds': (4, 4)}, {'seeds': (4, 0)}, {'seeds': (0, 10**30)}, {'seeds': (-1, 4)}, {'tasks': (TASK, TASK)},
        {'tasks': (TASK.model_copy(update={'axes': TASK.axes * 2}),)}, {'tasks': (TASK.model_copy(update={'splits': TASK.splits * 2}),)},
    ],
)  # fmt: skip
def test_conditions_name_seeds_and_each_task_axis_and_split_once(change):
    with pytest.raises(ValueError, match=r'the seeds must be a range of 0 to|a task stands twice|an axis or a split twice'):
        Conditions(**(dict(CONDITIONS) | change))


@pytest.mark.parametrize('text', ['', '{}', '[1]', 'no json', '{"format": 2}'])
def test_what_is_no_report_is_refused_in_a_sentence(tmp_path, text):
    path = tmp_path / 'report.json'
    path.write_text(text)
    with pytest.raises(ConfigError, match='is not an evaluation report'):
        EvaluationReport.load(path)
    with pytest.raises(ConfigError, match='No such file'):
        EvaluationReport.load(tmp_path / 'absent.json')


@pytest.mark.parametrize('name', ['episode_seconds', 'bags', 'earlier'])
def test_a_report_whose_circumstances_are_of_other_episodes_is_refused(tmp_path, name):
    path = tmp_path / 'report.json'
    whole = json.loads(report().text())
    whole['circumstances'][name] = [{'episode_seconds': 1.0, 'bags': 'a', 'earlier': ['lost']}[name]]
    path.write_text(json.dumps(whole))
    with pytest.raises(ConfigError, match=f'circumstances.{name} has 1 entries for 4 episodes'):
        EvaluationReport.load(path)


def test_where_a_report_cannot_be_written_nothing_is_left_behind(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigError, match='cannot be written'):
        report().save(tmp_path / 'file' / 'report.json')
    assert os.listdir(tmp_path) == ['file']
