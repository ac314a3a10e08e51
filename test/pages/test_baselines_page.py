"""The page of learned baselines, from made-up reports."""

import pytest
from typer import Typer
from typer.testing import CliRunner

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.report import Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.pages.baselines_page import baselines_page, main, name
from vlm_bench_tasks.result import Result

TASK, SEEDS = 'vlmbench/pick_place', (100000, 100020)
POLICY = 'vlm_bench_baselines.key_frame.policy:KeyFramePolicy'


def report(policy, solved, *, split='seen', options=None, **more):
    """A report in which so many of the first episodes of both axes were solved."""
    episodes = tuple(
        Result(task=TASK, axis=axis, split=split, seed=seed, verdict='success' if seed - SEEDS[0] < solved else 'failure', chance=0.25)
        for axis in ('color', 'size') for seed in range(*SEEDS)
    )  # fmt: skip
    task = TaskConditions(task=TASK, revision=1, robot='panda', axes=('color', 'size'), splits=(split,), horizon=30.0, step_limit=0)
    conditions = Conditions(
        tasks=(task,),
        seeds=SEEDS,
        purpose='test',
        cameras='vlmbench',
        size='256x256',
        answer_seconds=10.0,
        versions=('vlm_bench=0.1.0',),
        **more,
    )
    return EvaluationReport(
        policy=policy, code='0123456789abcdef' * 4 if ':' in policy else '', options=options or {}, conditions=conditions,
        decides=conditions.decides, groups=groups(episodes), overall=summed(episodes), episodes=episodes,
    )  # fmt: skip


def learned(solved, more=None, **conditions):
    return report(POLICY, solved, options={'checkpoint': 'some/where/pick_place.safetensors'} | (more or {}), **conditions)


def lines(*reports):
    return baselines_page(reports).splitlines()


def test_a_row_says_what_was_solved_along_each_axis_and_how_surely_more_than_without_the_sentence():
    found = lines(learned(16), report('language_ignored', 4, assistance=('truth',)))
    assert '## vlmbench/pick_place, seen' in found
    assert '| policy | color | size | all | p |' in found
    assert '| KeyFramePolicy · pick_place | 16/20 | 16/20 | 32/40 = 80.0 % (65.2 to 89.5) | 1e-07 |' in found
    assert '| language_ignored · truth | 4/20 | 4/20 | 8/40 = 20.0 % (10.5 to 34.8) | – |' in found
    assert '| chance | 25.0 % | 25.0 % | 25.0 % | – |' in found


def test_what_was_changed_stands_in_the_name_and_other_episodes_are_not_compared():
    blind = learned(2, {'blank': 'words', 'rehearsals': 'a/maps'}, perturbations=('pixel_noise=0.02',))
    assert name(blind) == 'KeyFramePolicy · pick_place · blank=words · rehearsals=maps · pixel_noise=0.02'
    row = next(line for line in lines(blind, report('language_ignored', 4)) if 'blank=words' in line)
    assert row.endswith('| – |')


def test_fewer_than_the_control_is_worse_and_what_was_given_right_is_an_aid_and_not_compared():
    control = report('language_ignored', 15, assistance=('truth',))
    worse, given = learned(1), learned(20, {'given': 'position', 'rehearsals': 'maps'})
    found = lines(worse, given, control)
    assert next(line for line in found if line.startswith('| KeyFramePolicy · pick_place | 1/20')).endswith('e-09, worse |')
    assert next(line for line in found if '· given=position' in line).endswith('| – |')
    assert any('Aids of the learned policies: given=position.' in line for line in found)


def test_episodes_that_the_control_lacks_are_left_out_and_the_same_twice_is_refused():
    control = report('language_ignored', 4)
    short = control.model_copy(update={'episodes': control.episodes[1:]})
    assert any('| 32/40 = 80.0 %' in line for line in lines(learned(16), short))
    with pytest.raises(ConfigError, match='Two reports are of KeyFramePolicy · pick_place'):
        lines(learned(16), learned(12))


def test_each_split_has_its_table_and_each_policy_its_digest():
    found = lines(learned(5), learned(3, split='unseen'))
    assert '## vlmbench/pick_place, seen' in found and '## vlmbench/pick_place, unseen' in found
    assert '| pick_place | KeyFramePolicy · pick_place | `0123456789abcdef` |' in found
    assert 'Seeds 100000–100019. The learned policies have no aids. 0 episodes could not be observed.' in found


def test_a_report_of_several_tasks_is_a_column_beside_others_and_no_row_of_theirs():
    two = [one.model_copy(update={'task': task, 'score': 50.0}) for one in learned(5).episodes for task in (TASK, 'vlmbench/stack')]
    both = learned(5, assistance=('steps',)).model_copy(update={'episodes': tuple(two)})
    found = lines(learned(16), both)
    assert '## Several tasks, seen' in found
    assert '| task | chance | KeyFramePolicy · pick_place · steps |' in found
    assert '| vlmbench/stack | 25.0 % | 10/40, score 50.0 |' in found
    assert '## vlmbench/stack, seen' not in found and sum('32/40' in line for line in found) == 1
    assert not any('## Several' in line for line in lines(learned(16)))


def test_reports_that_cannot_be_compared_share_no_table():
    first = learned(5)
    for part, value, said in (
        ('seeds', (5, 25), 'seeds'), ('size', '1x1', 'size of the pictures'), ('versions', ('vlm_bench=0.2.0',), 'versions of vlm_bench'),
        ('tasks', tuple(row.model_copy(update={'robot': 'ur5e'}) for row in first.conditions.tasks), 'robot'),
    ):  # fmt: skip
        other = report('language_ignored', 4, assistance=('truth',))
        other = other.model_copy(update={'conditions': other.conditions.model_copy(update={part: value})})
        with pytest.raises(ConfigError, match=f'cannot stand in one table.*{said}'):
            lines(first, other)
    both = first.conditions.model_copy(
        update={'tasks': tuple(row.model_copy(update={'splits': ('seen', 'unseen')}) for row in first.conditions.tasks)}
    )
    more = learned(5).model_copy(update={'conditions': both, 'episodes': (*first.episodes, *learned(5, split='unseen').episodes)})
    with pytest.raises(ConfigError, match='Two reports are of KeyFramePolicy · pick_place in vlmbench/pick_place, seen'):
        lines(first, more)


def test_who_has_other_aids_than_the_control_is_not_compared_with_it():
    control = report('language_ignored', 4, assistance=('truth',))
    assert next(line for line in lines(learned(16, assistance=('steps',)), control) if '· steps' in line).endswith('| – |')
    same = report('language_ignored', 4, assistance=('steps', 'truth'))
    assert next(line for line in lines(learned(16, assistance=('steps',)), same) if 'pick_place · steps' in line).endswith('| 1e-07 |')


def test_aids_are_named():
    assert any('Aids of the learned policies: steps.' in line for line in lines(learned(5, assistance=('steps',))))


def test_without_a_policy_that_learned_there_is_no_page():
    with pytest.raises(ConfigError, match='policy with weights'):
        baselines_page([report('oracle', 20)])


def test_the_command_writes_it_and_keeps_what_it_did_not_write(tmp_path):
    app = Typer()
    app.command()(main)
    learned(5).save(tmp_path / 'a.json')
    done = CliRunner().invoke(app, [str(tmp_path / 'a.json'), '--out', str(tmp_path / 'page.md')])
    assert done.exit_code == 0 and (tmp_path / 'page.md').read_text().startswith('# Learned baselines: scores')
    (tmp_path / 'mine.md').write_text('# Mine')
    for words in (
        [str(tmp_path / 'a.json'), '--out', str(tmp_path / 'mine.md')],
        [str(tmp_path / 'page.md'), '--out', str(tmp_path / 'b.md')],
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2 and 'error: ' in done.stderr
    assert (tmp_path / 'mine.md').read_text() == '# Mine'
