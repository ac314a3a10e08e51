"""What a report says of itself is held against its own episodes, policy and seeds."""

import pytest

from test.reports import TASK, altered, made, under
from vlm_bench_tasks.evaluation.claims import false_claims

REPORT = made('+--?')


def group(**update):
    return REPORT.model_copy(update={'groups': (REPORT.groups[0].model_copy(update=update),)})


def test_an_honest_report_makes_no_false_claim():
    assert false_claims(REPORT) == ()
    assert false_claims(made('+', 'ros', isolation='domain')) == false_claims(made('+', 'ws://localhost:1', isolation='process')) == ()
    assert false_claims(made('+', 'oracle', assistance=('truth',))) == ()


@pytest.mark.parametrize(
    ('report', 'said'),
    [
        (group(successes=3), f'The group {TASK} seen color says successes 3; its episodes give 1.'),
        (group(mean_score=90.0), 'says mean_score 90.0; its episodes give 33.3'),
        (group(causes={}), "says causes {}; its episodes give {'stopped': 2}."),
        (group(split='unseen'), 'There are no episodes of the group vlmbench/pick_place unseen color.'),
        (REPORT.model_copy(update={'groups': ()}), 'The group vlmbench/pick_place seen color is missing'),
        (REPORT.model_copy(update={'groups': REPORT.groups * 2}), 'stands 2 times'),
        (REPORT.model_copy(update={'overall': REPORT.overall.model_copy(update={'low': 0.5})}), 'The sum over all episodes says low 0.5'),
        (altered(REPORT, 0, score=1e9), 'has the score 1e+09; it is a number of 0 to 100.'),
        (made('+', isolation='process'), 'was isolated by process; still is played with isolation none'),
        (made('+', 'oracle'), 'sees the ground truth, which it does not list'),
        (made('+', code='ab' * 32), 'has the digest abababababababab of a class; the policy still is none'),
        (made('+', 'ws://localhost:1', isolation='process', code='ab'), 'the policy ws://localhost:1 is none'),
        (under(REPORT, purpose='train'), 'It says that its seeds are for: train; they are for: test.'),
        (under(REPORT, seeds=(79_999, 100_001)), 'No policy is scored on its seeds: Seeds 79999 to 100000'),
    ],
)
def test_what_does_not_follow_is_named(report, said):
    assert any(said in claim for claim in false_claims(report)), false_claims(report)


def test_bits_that_another_processor_rounds_otherwise_are_no_false_claim_and_neither_is_what_an_old_report_does_not_say():
    assert false_claims(group(low=REPORT.groups[0].low + 1e-15)) == ()
    old = REPORT.groups[0].model_validate({**REPORT.groups[0].model_dump(exclude={'unobservable', 'violations'})})
    assert false_claims(REPORT.model_copy(update={'groups': (old,)})) == ()


def test_seeds_of_tasks_that_are_not_here_are_not_judged():
    rows = tuple(row.model_copy(update={'task': 'kitchen/cup'}) for row in REPORT.conditions.tasks)
    assert false_claims(under(REPORT, tasks=rows, purpose='train')) == ()
