"""A study goes on where it was, and its page says what was found."""

import json
from dataclasses import replace

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.agreement.ledger import Ledger
from vlm_bench_tasks.agreement.study import LEVELS, SUCCESS, Case, Clause
from vlm_bench_tasks.console.agreeing import check_page
from vlm_bench_tasks.pages.tracker_page import tracker_page
from vlm_bench_tasks.trial import Trial

TRIAL = Trial('vlmbench/pick_place', 'color', 'seen', 7, 'panda')


def case(kind=SUCCESS, verdict='success', *, word='Inside', **told):
    every = dict.fromkeys(LEVELS, verdict) | told
    holds = verdict == 'success'
    clause = Clause(
        word=word, holds=holds, told={level: None if said == 'unobservable' else said == 'success' for level, said in every.items()}
    )
    return Case(
        task=TRIAL.task, axis='color', split='seen', seed=7, kind=kind, verdict=verdict, told=every, causes=dict.fromkeys(LEVELS, ''),
        clauses=(clause,),
    )  # fmt: skip


def test_what_is_kept_is_known_again(tmp_path):
    path, found = tmp_path / 'records' / 'study.jsonl', (case(), case('early', 'failure', coarse='unobservable'))
    with Ledger.held(path):
        Ledger(path, 'abc').keep(TRIAL, found)
    again = Ledger(path, 'abc')
    assert again.known == {TRIAL.key: found} and tuple(again.cases()) == found


def test_a_study_that_was_killed_while_it_wrote_goes_on(tmp_path):
    path, other = tmp_path / 'study.jsonl', replace(TRIAL, seed=8)
    ledger = Ledger(path, 'abc')
    for trial in (TRIAL, other):
        with Ledger.held(path):
            ledger.keep(trial, (case(),))
    path.write_text(path.read_text()[:-20])
    again = Ledger(path, 'abc')
    assert set(again.known) == {TRIAL.key}
    again.keep(other, (case(),))
    assert set(Ledger(path, 'abc').known) == {TRIAL.key, other.key}


def test_two_studies_do_not_write_one_file(tmp_path):
    path = tmp_path / 'records' / 'study.jsonl'
    with Ledger.held(path), pytest.raises(ConfigError, match='Another process is writing'), Ledger.held(path):
        pass
    (tmp_path / 'file').touch()
    with pytest.raises(ConfigError, match='cannot be written'), Ledger.held(tmp_path / 'file' / 'study.jsonl'):
        pass


def test_a_file_of_other_code_or_of_something_else_is_refused(tmp_path):
    path = tmp_path / 'study.jsonl'
    Ledger(path, 'abc').keep(TRIAL, (case(),))
    with pytest.raises(ConfigError, match='written by the code abc; the code here is def'):
        Ledger(path, 'def')
    head = json.dumps({'code': 'abc'}) + '\n'
    for wrong in ('nonsense', '{"code": "def"', head + '{"key": [1, 2]}\n', head + '{"key": ["a", "b", "c", "d"], "cases": []}\n'):
        path.write_text(wrong)
        with pytest.raises(ConfigError, match='is no file of vlm-bench agreement, or is damaged'):
            Ledger(path, 'abc')


@pytest.mark.parametrize('begun', ['', '{"code": "a'])
def test_a_file_that_was_cut_within_its_first_line_is_begun_anew(tmp_path, begun):
    path = tmp_path / 'study.jsonl'
    path.write_text(begun)
    Ledger(path, 'abc').keep(TRIAL, (case(),))
    assert Ledger(path, 'abc').known == {TRIAL.key: (case(),)}


def test_the_page_counts_what_agrees_apart_from_what_is_left_open_and_names_every_false_success():
    page = tracker_page([case(), case('early', 'failure', coarse='unobservable'), case('cut', 'failure', fine='success')], 'abc')
    assert '| all | 3/3 | 2/3 | 2/2 + 1 |' in page
    assert '| false success | 0 | 1 | 0 |' in page
    assert '| Inside | 3/3 | 2/3 | 2/2 + 1 |' in page
    assert '| vlmbench/pick_place | 7 | cut | fine | failure, success |' in page
    assert 'Nowhere.' in tracker_page([case()], 'abc')


def test_a_page_shows_foreign_text_as_text():
    assert '<b>' not in tracker_page([case(word='<b>Inside')], '<b>')


def test_a_page_that_cannot_be_written_is_told_before_anything_is_played(tmp_path):
    other = tmp_path / 'other.md'
    other.write_text('# Another')
    for page in (other, tmp_path, other / 'page.md'):
        with pytest.raises(ConfigError, match='--page'):
            check_page(page)
    check_page(tmp_path / 'new' / 'page.md')
    page = tmp_path / 'page.md'
    page.write_text(tracker_page([case()], 'abc'))
    check_page(page)
