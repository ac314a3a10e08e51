"""`vlm-bench verify`: an honest report verifies, whatever was altered is found, and what cannot be played here is refused."""

import json

import pytest
from typer.testing import CliRunner

from test.reports import altered, under
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console import verifying
from vlm_bench_tasks.evaluation.declaration import Declaration
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.result import Result

ASKED = Asked('still', 'vlmbench/pick_place', range(100_000, 100_003), axis='color', perturb=('mass=0.2',), assist=('oracle_stop',))


@pytest.fixture(scope='module')
def report(tmp_path_factory):
    return evaluated(planned(ASKED), tmp_path_factory.mktemp('reports') / 'still.json', processes=1)


def verify(report: EvaluationReport, path, *words: str):
    """Save a report, verify it, and return the exit code and what was printed."""
    report.save(path / 'report.json')
    result = CliRunner().invoke(app, ['verify', str(path / 'report.json'), *words], env={'COLUMNS': '400'})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_an_honest_report_verifies_and_the_chance_of_a_fraud_is_told(report, tmp_path):
    code, said = verify(report, tmp_path, '--seed', '7')
    assert code == 0, said
    assert 'The code of the bench and all versions are the same here.' in said
    assert 'Playing 1 of its 3 episodes again, drawn with --seed 7.' in said
    assert '1 of 3 episodes were played again, all equal. Had 1 or more of the 3 been altered, this would have been seen with a ' in said
    assert 'probability of 0.333 or more' in said


def test_a_flipped_verdict_and_another_hash_are_found_as_one_json_object(report, tmp_path):
    fraud = altered(altered(report, 0, verdict='success', causes=(), score=100.0), 2, state_hash='ab')
    code, said = verify(fraud, tmp_path, '--share', '1', '--json')
    found = json.loads(said)
    assert (code, found['verified'], found['played'], found['claims']) == (1, False, 3, [])
    first, second = found['different']
    assert (first['seed'], second['seed']) == (100_000, 100_002)
    assert first['fields']['verdict'] == {'reported': 'success', 'found': 'failure'}
    assert {*first['fields']} == {'verdict', 'causes', 'score'}
    assert second['fields'] == {'state_hash': {'reported': 'ab', 'found': report.episodes[2].state_hash}}


def test_a_fraud_is_told_in_words_too_and_the_same_seed_finds_it_again(report, tmp_path):
    fraud = altered(report, 1, instruction='Do nothing.\x1b[31m')
    code, said = verify(fraud, tmp_path, '--share', '1')
    assert code == 1
    assert 'differs: vlmbench/pick_place color seen 100001' in said
    assert '  instruction: reported Do nothing.' in said and '\x1b' not in said
    assert 'The report does not verify: 1 of 3 episodes came out otherwise.' in said


@pytest.mark.parametrize(
    ('declared', 'said'),
    [(('vlmbench', 'nope'), 'nope'), (('vlmbench', 'unaided'), 'It does not follow the protocol vlmbench'), (('mine', ''), "'mine'")],
)
def test_a_protocol_that_was_not_followed_is_refused(report, tmp_path, monkeypatch, declared, said):
    monkeypatch.setattr(verifying, 'played_again', None)
    protocol, variant = declared
    code, found = verify(report.model_copy(update={'declared': Declaration(protocol=protocol, variant=variant)}), tmp_path)
    assert code == 2 and said in found, found


def test_sums_that_do_not_follow_are_named_and_nothing_is_played(report, tmp_path, monkeypatch):
    monkeypatch.setattr(verifying, 'played_again', None)
    group = report.groups[0].model_copy(update={'successes': 3, 'share': 1.0})
    code, said = verify(report.model_copy(update={'groups': (group,)}), tmp_path)
    assert code == 1
    assert '- The group vlmbench/pick_place seen color says successes 3; its episodes give 0.' in said
    assert 'nothing was played' in said


@pytest.mark.parametrize(
    ('update', 'said'),
    [
        ({'policy': 'mine:Policy', 'code': 'ab'}, "Its policy 'mine:Policy' is a class of its own"),
        ({'policy': 'ros'}, 'Its policy was a node of its own'),
    ],
)
def test_a_policy_that_the_report_does_not_hold_is_refused(report, tmp_path, update, said):
    code, told = verify(report.model_copy(update=update), tmp_path)
    assert code == 2 and said in told and 'Its sums follow from its episodes' in told


def test_another_revision_of_a_task_is_another_episode(report, tmp_path):
    rows = tuple(row.model_copy(update={'revision': row.revision + 1}) for row in report.conditions.tasks)
    code, said = verify(under(report, tasks=rows), tmp_path)
    assert code == 2 and 'Its episodes are others here' in said and 'vlmbench/pick_place differs in revision' in said


def test_what_differs_here_is_named_and_what_is_not_observable_is_skipped(report, tmp_path):
    versions = tuple('numpy=0' if version.startswith('numpy=') else version for version in report.conditions.versions)
    old = altered(under(report, versions=versions), 0, verdict='unobservable', causes=('bench: lost',))
    code, said = verify(altered(old, 1, state_hash=''), tmp_path, '--share', '1')
    assert code == 0, said
    assert '- The versions of numpy differ: 0 and ' in said and 'so states may differ, too' in said
    assert '1 episodes were unobservable when they were reported.' in said
    assert '1 of these episodes have no state hash in the report' in said
    assert '2 of 2 episodes were played again, all equal.\n' in said


def test_what_cannot_be_observed_here_is_neither_equal_nor_another(report, tmp_path, monkeypatch):
    lost = Result.model_validate(dict(report.episodes[0]) | {'verdict': 'unobservable', 'causes': ('a full disk',)})
    monkeypatch.setattr(verifying, 'played_again', lambda *_: (verifying.Again(report.episodes[0], lost),))
    code, said = verify(report, tmp_path)
    assert code == 2 and 'not observed here: vlmbench/pick_place color seen 100000: a full disk' in said
    assert 'so the report is not verified' in said


def test_an_interruption_is_no_verdict(report, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(verifying, 'played_again', interrupted)
    code, said = verify(report, tmp_path)
    assert code == 130 and 'Interrupted' in said


@pytest.mark.parametrize('words', [('--workers', '0'), ('--share', '0'), ('--share', 'nan'), ('--seed', '-1')])
def test_what_is_asked_for_wrongly_is_refused(report, tmp_path, words):
    assert verify(report, tmp_path, *words)[0] == 2
