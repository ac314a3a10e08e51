"""Key steps are where a clause of the goal that was false becomes true."""

from vlm_bench_tasks.judging.key_steps import KeyStep, KeySteps
from vlm_bench_tasks.judging.report import LeafReport, Report


def reports(*rows: str):
    """One report for each row: a letter for each clause, capital where it holds."""
    clauses = ([LeafReport(letter.lower(), letter.isupper(), 0.0) for letter in row] for row in rows)
    return [Report(seq=seq, leaves=tuple(leaves)) for seq, leaves in enumerate(clauses)]


def found(*rows: str):
    seen = KeySteps()
    return [step for report in reports(*rows) for step in seen.see(report)]


def test_each_clause_that_becomes_true_is_a_key_step():
    assert found('ab', 'ab', 'Ab', 'AB') == [KeyStep(2, 0, 'a'), KeyStep(3, 1, 'b')]


def test_several_clauses_may_become_true_together():
    assert found('abc', 'AbC') == [KeyStep(1, 0, 'a'), KeyStep(1, 2, 'c')]


def test_what_is_true_from_the_start_is_none_until_it_is_lost_and_becomes_true_again():
    assert found('Ab', 'Ab', 'AB') == [KeyStep(2, 1, 'b')]
    assert found('Ab', 'ab', 'Ab', 'ab', 'Ab') == [KeyStep(2, 0, 'a')]


def test_a_clause_that_comes_and_goes_is_one_key_step():
    assert found('a', 'A', 'a', 'A') == [KeyStep(1, 0, 'a')]
