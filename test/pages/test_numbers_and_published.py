"""What a page says of the numbers that goals ask for, and of published results beside ours."""

import re

import pytest

from vlm_bench_tasks.evaluation.entries import Entry
from vlm_bench_tasks.pages.results_page import page

SPLITS = ('test', 'novel_object', 'novel_scene', 'novel_state', 'any_state')


def result(solved: bool, split: str = 'test', **change) -> Entry:
    found = Entry(
        task='arnold/open_drawer', axis='goal', split=split, seed=170_000, policy='oracle', robot='panda', score=100.0, sim_seconds=5.0,
        verdict='success' if solved else 'failure', causes=() if solved else ('stopped',),
    )  # fmt: skip
    return found.model_copy(update=change)


def row(text: str, *begins: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith('| ' + ' | '.join(begins) + ' |')).strip('| ').split(' | ')


def test_numbers_are_told_apart_by_their_distance_from_what_is_seen():
    seen = [result(True, from_seen=0.0), result(False, from_seen=0.0), result(True, from_seen=0.0, end_stop=True)]
    between = [result(True, from_seen=0.25), result(True, from_seen=0.15)]
    text = page([*seen, *between, result(False, from_seen=0.1, extrapolates=True)], 'arnold', 'oracle')
    section = text.partition('## By number')[2]
    assert row(section, 'arnold/open_drawer')[1:] == ['2/3', '2/2; 0.2 away', '0/1; 0.1 away', '1/1']
    assert '## By number' not in page([result(True)], 'arnold', 'oracle'), 'no goal asked for a number'


def test_peract_stands_beside_the_expert_of_arnold_alone():
    text = page([result(True), result(False), result(True, split='novel_state')], 'arnold', 'oracle')
    section = text.partition('## Published results')[2]
    assert 'Another simulator' in section and 'are not to be compared' in section
    assert row(section, 'test', 'PerAct')[4] == '31 / 45'
    ours = [line for line in section.splitlines() if re.match(r'\|\s+\| here \|', line)]
    assert [line.split('|')[5].strip() for line in ours] == ['1/2', '–', '–', '1/1', '–']
    for family, policy in (('arnold', 'random'), ('toys', 'oracle')):
        assert 'PerAct' not in page([result(True)], family, policy)


@pytest.mark.parametrize(('split', 'mean'), list(zip(SPLITS, ('42 / 55', '23 / 30', '30 / 40', '4 / 5', '16 / 25'), strict=True)))
def test_the_means_are_those_that_were_published(split, mean):
    """42.47/55.24, 22.84/29.86, 29.73/40.46, 4.49/5.25 and 16.36/25.30."""
    assert row(page([result(True)], 'arnold', 'oracle'), split, 'PerAct')[-1] == mean
