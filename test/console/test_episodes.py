"""What is printed of an episode."""

from io import StringIO

from rich.console import Console

from vlm_bench_tasks.console import episodes

RESULT = {
    'task': 'a/b', 'split': 'seen', 'seed': 0, 'axis': 'color', 'instruction': 'Do it.', 'verdict': 'failure', 'causes': ['time is up'],
    'score': 50.0, 'progress': 0.5, 'reward': 0.5, 'sim_seconds': 1.0, 'assistance': (), 'violations': 0, 'perturbations': (), 'drops': 0,
    'state_hash': 'ab',
}  # fmt: skip


def test_a_condition_that_two_steps_share_is_told_once():
    said = [('x is on y', True), ('x is on y', True), ('z is on x', False), ('x is on y', False)]
    printed = StringIO()
    leaves = [{'words': words, 'holds': holds} for words, holds in said]
    episodes.show(RESULT | {'leaves': leaves}, Console(file=printed, width=200))
    told = [line.split(maxsplit=1) for line in printed.getvalue().splitlines() if line.startswith('      ')]
    assert [(words, holds == 'yes') for holds, words in told] == [said[0], said[2], said[3]]
