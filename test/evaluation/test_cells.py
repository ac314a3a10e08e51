"""Cells of a report: each task weighs the same, and what is only a part, or another protocol's, is told."""

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.cells import cells, check, mean, part, wilson
from vlm_bench_tasks.evaluation.declaration import Declaration
from vlm_bench_tasks.evaluation.protocols import PROTOCOLS
from vlm_bench_tasks.evaluation.report import Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.result import Result

PICK, TRACE, STACK = 'clevrskills/pick', 'clevrskills/trace', 'clevrskills/stack'
DECLARED = Declaration(protocol='clevrskills', variant='pictures', trained_on=('L0',))


OLDER = TaskConditions(
    task='clevrskills/pick', revision=0, robot='xarm6', axes=('look', 'shape'), splits=('seen', 'unseen'), horizon=30.0, step_limit=0,
    prompt='pictures,first_frame',
)  # fmt: skip


def played(task, solved, total, *, split='seen', axis='', lost=0):
    """Results of so many solved of so many, and some that were not observed."""
    verdicts = ['success'] * solved + ['failure'] * (total - solved) + ['unobservable'] * lost
    axis = axis or catalogue.task(task).axes[0]
    return [
        Result(task=task, axis=axis, split=split, seed=170_000 + at, verdict=verdict, score=100.0 if verdict == 'success' else 50.0)
        for at, verdict in enumerate(verdicts)
    ]


def report(episodes, declared=DECLARED, *, seeds=None, of=None, **changes):
    """A report on episodes, under the conditions of its protocol."""
    wanted = PROTOCOLS[of or declared.protocol]
    variant, names = wanted.variants[0], sorted({one.task for one in episodes})
    rows = tuple(
        TaskConditions(
            task=name, revision=task.revision, robot=task.robot, axes=wanted.axes(name), splits=wanted.splits, horizon=task.horizon,
            step_limit=task.step_limit, prompt=variant.prompt,
        )
        for name, task in ((name, catalogue.task(name)) for name in names)
    )  # fmt: skip
    told = {
        'tasks': rows, 'seeds': seeds or (wanted.seeds.start, wanted.seeds.stop), 'purpose': 'test', 'cameras': wanted.cameras,
        'size': wanted.size, 'assistance': variant.assist, 'answer_seconds': 60.0, 'versions': (),
    }  # fmt: skip
    conditions = Conditions(**(told | changes))
    return EvaluationReport(
        policy='mine', declared=declared, conditions=conditions, decides=conditions.decides, groups=groups(episodes),
        overall=summed(episodes), episodes=tuple(episodes),
    )  # fmt: skip


def test_each_task_of_a_level_weighs_the_same():
    """Pick has two axes and twice the episodes of trace: 8 of 8 and 0 of 4 are a half."""
    found = cells(report([*played(PICK, 4, 4), *played(PICK, 4, 4, axis='shape'), *played(TRACE, 0, 4), *played(STACK, 1, 4, lost=2)]))
    assert [(one.name, one.split, one.condition, one.tasks, one.episodes, one.unobservable) for one in found] == [
        ('L0', 'seen', 'trained', 2, 12, 0), ('L1', 'seen', 'zero-shot', 1, 4, 2),
    ]  # fmt: skip
    assert [one.share for one in found] == [0.5, 0.25] and [one.score for one in found] == [75.0, 62.5]
    assert found[0].interval == wilson(0.5, 4 / (1 / 8 + 1 / 4)) and found[1].interval == pytest.approx(Rate(1, 4).interval)


def test_the_interval_is_wilsons_where_tasks_have_as_many_episodes():
    found = cells(report([*played(PICK, 3, 4), *played(TRACE, 0, 4)]))[0]
    assert found.interval == pytest.approx(Rate(3, 8).interval)
    assert wilson(0.0, 0) == (0.0, 1.0) and wilson(1.0, 20) == pytest.approx(Rate(20, 20).interval)


def test_what_was_not_observed_counts_nowhere_and_is_counted():
    (found,) = cells(report(played(PICK, 0, 0, lost=3)))
    assert (found.tasks, found.episodes, found.unobservable, found.interval) == (0, 0, 3, (0.0, 1.0))
    (found,) = cells(report([*played(PICK, 0, 0, lost=3), *played(TRACE, 1, 1)]))
    assert (found.share, found.tasks, found.unobservable) == (1.0, 1, 3)
    assert mean('', '', []) is None


def test_without_a_protocol_there_are_no_cells():
    plain = report(played('vlmbench/door', 1, 2, axis='amount'), Declaration(), of='vlmbench')
    assert cells(plain) == () and part(plain) == ''


def test_a_part_is_told():
    assert part(report(played(PICK, 0, 1), seeds=(170_000, 170_001))) == '1 of 33 tasks, seed 170000 instead of seeds 170000 to 170019'
    whole = [one for task in PROTOCOLS['clevrskills'].tasks(PROTOCOLS['clevrskills'].variants[0]) for one in played(task, 1, 1)]
    assert part(report(whole)) == ''


def test_a_report_of_the_protocol_passes():
    check(report(played(PICK, 0, 1)), 'clevrskills', 'a.json')
    check(report(played(PICK, 0, 1), assistance=('truth',)), 'clevrskills', 'a.json')


@pytest.mark.parametrize(
    ('given', 'error'),
    [
        ({'declared': Declaration(), 'of': 'clevrskills'}, 'a.json is a report of no protocol, not of clevrskills. Evaluate with'),
        ({'declared': Declaration(protocol='arnold'), 'of': 'clevrskills'}, 'of the protocol arnold, not of clevrskills'),
        ({'declared': Declaration(protocol='clevrskills', variant='song')}, 'no table called'),
        ({'declared': DECLARED.model_copy(update={'variant': 'words'})}, 'it played clevrskills/pick in another way'),
        ({'cameras': 'none', 'size': '1x1'}, 'it has the cameras none, not clevrskills:base,hand; it has the size 1x1'),
        ({'perturbations': ('mass=0.3',)}, 'it has the perturbations mass=0.3, not none'),
        ({'purpose': 'train'}, 'its seeds are for: train, not for: test'),
        ({'tasks': (OLDER,)}, 'it played clevrskills/pick in another way'),
        (
            {'declared': DECLARED.model_copy(update={'trained_on': ('L1',)})},
            'what it declares is not valid .--trained-on takes nothing, L0, L0',
        ),
        ({'declared': DECLARED.model_copy(update={'fine_tuned_on': ('L0',)})}, 'names L0, which --trained-on holds already'),
        ({'declared': DECLARED.model_copy(update={'trained_on': None})}, 'it does not declare what the policy was trained on'),
    ],
)
def test_a_report_that_does_not_follow_the_protocol_is_refused(given, error):
    with pytest.raises(ConfigError, match=error):
        check(report(played(PICK, 0, 1), **given), 'clevrskills', 'a.json')


def test_a_report_without_the_aids_of_its_table_is_refused():
    door = played('vlmbench/door', 0, 1)
    with pytest.raises(ConfigError, match='it lacks the aid gripper_state; it lacks the aid subgoals'):
        check(report(door, Declaration(protocol='vlmbench', variant='aided'), assistance=('grasp_snapping',)), 'vlmbench', 'a.json')
