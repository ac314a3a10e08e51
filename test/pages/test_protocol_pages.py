"""The tables of a protocol: published rows as published, and ours in the columns to which they belong."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks import catalogue, task_choice
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.evaluation.cells import Cell
from vlm_bench_tasks.evaluation.declaration import Declaration
from vlm_bench_tasks.evaluation.plan import Asked
from vlm_bench_tasks.evaluation.protocol_options import completed
from vlm_bench_tasks.evaluation.protocols import PROTOCOLS
from vlm_bench_tasks.evaluation.report import Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.pages.protocol_tables import Ours, protocol_table
from vlm_bench_tasks.pages.protocols_page import protocols_page, reports_page
from vlm_bench_tasks.pages.published import ARNOLD, ARNOLD_TASKS, CLEVRSKILLS, LOHORAVENS, LOHORAVENS_TASKS, VLMBENCH, VLMBENCH_TASKS
from vlm_bench_tasks.result import Result

ROOT = Path(__file__).parents[2]


def rows(text):
    """The rows of the tables of a page, as cells."""
    return [line.strip('| ').split(' | ') for line in text.splitlines() if line.startswith('| ')]


def cell(name, share, split='seen', condition='', tasks=1):
    return Cell(name, split, condition, tasks, 20, share, (share / 2, (1 + share) / 2), 100 * share)


def columns(name, variant, *ours):
    """The last rows of a table, as dictionaries from the heads of its columns."""
    wanted = PROTOCOLS[name]
    head, *found = rows(protocol_table(wanted, wanted.variant(variant), ours))
    return [dict(zip(head, row, strict=True)) for row in found[-max(1, len(ours)) :]]


def levels(trained_on, fine_tuned_on=()):
    """A row of ours with a tenth, a fifth and so on of each level and split."""
    declared = Declaration(trained_on=trained_on, fine_tuned_on=fine_tuned_on)
    counts = {'L0': 12, 'L1': 15, 'L2': 6}
    every = [(level, split) for level in counts for split in ('seen', 'unseen')]
    return Ours('mine', declared, tuple(
        cell(level, at / 10, split, declared.condition(level), counts[level]) for at, (level, split) in enumerate(every, start=1)
    ))  # fmt: skip


def test_results_of_a_level_stand_where_their_training_belongs():
    (row,) = columns('clevrskills', 'pictures', levels(('L0',), ('L2',)))
    assert row == {
        'whose': 'mine', 'where': 'here', 'training': 'trained on L0, fine-tuned on L2', 'L0': '10.0 (5.0 to 55.0)',
        'L0 unseen': '20.0 (10.0 to 60.0)', 'L1 zero-shot': '30.0 (15.0 to 65.0)', 'L1 fine-tuned': '–', 'L2 zero-shot': '–',
        'L2 fine-tuned': '50.0 (25.0 to 75.0)', 'L1 unseen': '40.0 (20.0 to 70.0) zero-shot', 'L2 unseen': '60.0 (30.0 to 80.0) fine-tuned',
    }  # fmt: skip


def test_a_level_that_was_trained_from_the_start_says_so():
    (row,) = columns('clevrskills', 'words', levels(('L0', 'L1')))
    assert (row['L1 zero-shot'], row['L1 fine-tuned']) == ('–', '30.0 (15.0 to 65.0) trained')
    (row,) = columns('clevrskills', 'words', levels(()))
    assert row['L0'] == '10.0 (5.0 to 55.0)', 'what learns nothing needs no label'


def test_a_level_of_which_tasks_are_missing_says_so():
    part = Ours('mine', Declaration(trained_on=('L0',)), (cell('L0', 0.5, condition='trained', tasks=2),))
    (row,) = columns('clevrskills', 'words', part)
    assert row['L0'] == '50.0 (25.0 to 75.0), 2 of 10 tasks' and row['L2 zero-shot'] == '–'


def test_arnold_has_a_row_for_each_split_and_a_mean_of_all_eight():
    wanted = PROTOCOLS['arnold']
    test = [cell(f'arnold/{task}', at / 10, 'test') for at, task in enumerate(ARNOLD_TASKS)]
    mine = Ours('mine', Declaration(), (*test, cell('arnold/pour_water', 1.0, 'any_state')))
    found = rows(protocol_table(wanted, wanted.variant('given grasp'), [mine]))
    (first,), (second,) = ([row for row in found if row[:2] == [split, 'mine']] for split in ('test', 'any_state'))
    assert first[3:5] == ['0.0 (0.0 to 50.0)', '10.0 (5.0 to 55.0)'] and first[-1].startswith('35.0 (')
    assert second[-3:] == ['100.0 (50.0 to 100.0)', '–', '–'], 'no mean of one task beside the means of eight'
    assert not [row for row in found if row[:2] == ['novel_state', 'mine']]


@pytest.mark.parametrize(('variant', 'mean'), [('own grasp', '42.5'), ('given grasp', '55.2')])
def test_arnold_s_published_means_are_those_of_their_columns(variant, mean):
    """42.47 and 55.24."""
    wanted = PROTOCOLS['arnold']
    (row,) = [row for row in rows(protocol_table(wanted, wanted.variant(variant), [])) if row[:2] == ['test', 'PerAct']]
    assert (row[2], row[-1]) == ('another simulator', mean)


def test_lohoravens_gives_score_and_success_and_means_of_seen_and_unseen_tasks():
    mine = Ours('mine', Declaration(), tuple(cell(f'lohoravens/{task}', at / 10, 'test') for at, task in enumerate(LOHORAVENS_TASKS)))
    (row,) = columns('lohoravens', 'own stop', mine)
    assert row['B match_bowls'] == '10.0; 10.0 (5.0 to 55.0)'
    assert row['seen, B to E'].startswith('25.0; 25.0 (') and row['unseen, F to K'].startswith('75.0; 75.0 (')
    (row,) = columns('lohoravens', 'oracle stop')
    assert (row['whose'], row['A pick_and_place'], row['seen, B to E']) == ('CLIPort', '61.2', '16.9')


def test_vlmbench_gives_seen_and_unseen_and_without_aids_nothing_is_published():
    mine = Ours('mine', Declaration(), (cell('vlmbench/door', 0.5), cell('vlmbench/door', 0.25, 'unseen')))
    for variant, published in (('aided', 5), ('unaided', 0)):
        wanted = PROTOCOLS['vlmbench']
        assert len(rows(protocol_table(wanted, wanted.variant(variant), []))) == 2 + published
        (row,) = columns('vlmbench', variant, mine)
        assert (row['door'], row['wipe']) == ('50.0 (25.0 to 75.0) / 25.0 (12.5 to 62.5)', '– / –')


def test_published_numbers_are_whole_counts_of_the_published_episodes():
    """Percent of VLMbench's 2380 episodes, and of ClevrSkills' 20 of each task of L0."""
    counts = dict(zip(VLMBENCH_TASKS, (396, 392, 296, 300, 300, 500, 100, 96), strict=True))
    for text in VLMBENCH.values():
        for cells, count in zip(text.split(), counts.values(), strict=True):
            for share in map(float, cells.split('/')):
                assert abs(share * count / 100 - round(share * count / 100)) < 0.006 * count / 100 + 1e-9
    for table, columns_of_l0, episodes in (('pictures', 2, 240), ('words', 1, 200)):
        for text in CLEVRSKILLS[table].values():
            for share in map(float, text.split()[:columns_of_l0]):
                assert abs(share * episodes / 100 - round(share * episodes / 100)) < 0.03, (table, text)


def test_every_published_row_has_a_number_for_each_task():
    assert {len(text.split()) for splits in ARNOLD.values() for text in splits.values()} == {len(ARNOLD_TASKS)}
    assert {tuple(splits) for splits in ARNOLD.values()} == {PROTOCOLS['arnold'].splits}
    assert {len(text.split()) for methods in LOHORAVENS.values() for text in methods.values()} == {len(LOHORAVENS_TASKS)}
    for family, tasks in (('arnold', ARNOLD_TASKS), ('lohoravens', LOHORAVENS_TASKS), ('vlmbench', VLMBENCH_TASKS)):
        assert {f'{family}/{task}' for task in tasks} == set(PROTOCOLS[family].tasks(PROTOCOLS[family].variants[0]))
    for family, published in (('clevrskills', CLEVRSKILLS), ('lohoravens', LOHORAVENS)):
        assert set(published) == {variant.name for variant in PROTOCOLS[family].variants}


PICK = 'clevrskills/pick'


def report(variant='words', policy='mine', prompt='words'):
    """A report on one episode of ClevrSkills' protocol."""
    one, pick = Result(task=PICK, axis='look', split='seen', seed=170_000, verdict='success', score=100.0), catalogue.task(PICK)
    task = TaskConditions(
        task=PICK, revision=pick.revision, robot='xarm6', axes=('look', 'shape'), splits=('seen', 'unseen'), horizon=pick.horizon,
        step_limit=pick.step_limit, prompt=prompt,
    )  # fmt: skip
    conditions = Conditions(
        tasks=(task,), seeds=(170_000, 170_001), purpose='test', cameras='clevrskills:base,hand', size='256x256', answer_seconds=60.0,
        versions=(),
    )  # fmt: skip
    declared = Declaration(protocol='clevrskills', variant=variant, trained_on=('L0',))
    return EvaluationReport(
        policy=policy, declared=declared, conditions=conditions, decides=conditions.decides, groups=groups([one]), overall=summed([one]),
        episodes=(one,),
    )  # fmt: skip


def test_reports_stand_below_the_published_rows_of_their_table_with_a_note():
    told = report('pictures', 'other', 'pictures,first_frame')
    text = reports_page('clevrskills', [('mine.json', report()), ('other.json', told)])
    assert text.index('### ClevrSkills: pictures') < text.index('other [2]') < text.index('### ClevrSkills: words') < text.index('mine [1]')
    assert '- [1] mine.json: trained on L0; a part of the protocol (1 of 27 tasks, seed 170000 instead of' in text
    assert [row[1] for row in rows(text) if row[0] == 'Octo'] == ['another simulator'] * 2
    only = reports_page('clevrskills', [('mine.json', report())])
    assert '### ClevrSkills: pictures' not in only
    with pytest.raises(ConfigError, match=r'mine.json is a report of the protocol clevrskills, not of arnold'):
        reports_page('arnold', [('mine.json', report())])


def test_without_reports_the_published_rows_are_told():
    text = reports_page('vlmbench', [])
    assert '6D-CLIPort' in text and '### VLMbench: unaided' not in text and ' here ' not in text
    with pytest.raises(ConfigError, match='Did you mean vlmbench'):
        reports_page('vlmbnch', [])


def test_the_page_sets_our_results_beside_the_published_ones(tmp_path):
    told = {'solved': 30, 'total': 40, 'splits': {'seen': [20, 20], 'unseen': [10, 20]}, 'chance': 0.5}
    old = {'solved': 30, 'total': 40, 'chance': 0.5}
    (tmp_path / 'clevrskills_oracle.json').write_text(json.dumps({'clevrskills/pick': told, 'clevrskills/stack': old}))
    text = protocols_page(tmp_path, 'HEAD')
    mine = [row for row in rows(text) if row[0] == 'oracle']
    assert [row[3:6] for row in mine] == [
        ['100.0 (83.9 to 100.0), 1 of 12 tasks', '50.0 (29.9 to 70.1), 1 of 12 tasks', '–'],
        ['100.0 (83.9 to 100.0), 1 of 10 tasks', '50.0 (29.9 to 70.1), 1 of 10 tasks', '–'],
    ]
    assert text.count('another simulator') > 80 and text.startswith('# Protocols\n\nHEAD\n')


def test_every_command_of_the_page_is_one_that_a_protocol_allows(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = protocols_page(ROOT / 'docs' / 'results', '')
    lines = [
        shlex.split(line)
        for block in re.findall(r'^```sh\n(.*?)^```', page, re.M | re.S)
        for line in block.replace('\\\n', '').splitlines()
    ]
    commands, written = typer.main.get_command(app), []
    for program, name, *words in lines:
        given = commands.get_command(None, name).make_context(name, words).params
        assert program == '.venv/bin/vlm-bench'
        if name == 'protocol':
            assert given['name'] in PROTOCOLS and {str(file) for file in given['files']} <= set(written)
            continue
        if name == 'generate':
            wanted = PROTOCOLS['clevrskills']
            assert (given['prompt'], given['cameras'], given['size']) == (wanted.variants[0].prompt, wanted.cameras, wanted.size)
            assert task_choice.chosen(given['tasks'], given['level'])
            continue
        asked = Asked(given['policy'], given['tasks'], range(0), prompt=given['prompt'])
        chosen = {'prompt'} if given['prompt'] else set()
        found = completed(asked, chosen, **{what: given[what] for what in ('protocol', 'seeds', 'trained_on', 'fine_tuned_on')})
        assert found.declared.protocol == given['protocol']
        written.append(str(given['report']))
    assert len(written) == 4
