"""What a sweep came to: counted right, held against what is due, and written on a page."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli import results
from vlm_bench_tasks.cli.results import Result, read_lines, shortcomings, summary, write_line, write_pages
from vlm_bench_tasks.cli.sweeping import Wanted, show, sweep
from vlm_bench_tasks.judging.statistics import Rate

ONE = Result('toys/roll', 'color', 'seen', 0, 'oracle', 'panda', 1, 0.25, 'success', sim_seconds=5.0, wall_seconds=1.0, state_hash='ab')


def many(solved: int, total: int, **change) -> list[Result]:
    """So many of so many, each with a seed of its own."""
    failed = {'verdict': 'failure', 'causes': ('stopped',), 'failures': ('Cannot pick up object_3: 0.31 m too far.',)}
    return [replace(ONE, seed=i, **change, **({} if i < solved else failed)) for i in range(total)]


@pytest.mark.parametrize(
    ('rate', 'low', 'high'),  # by hand: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), z = 1.95996
    [(Rate(0, 10), 0.0, 0.2775), (Rate(5, 10), 0.2366, 0.7634), (Rate(38, 40), 0.8350, 0.9862), (Rate(0, 0), 0.0, 1.0)],
)
def test_the_interval_is_wilsons(rate, low, high):
    assert rate.interval == pytest.approx((low, high), abs=5e-4)


def test_rates_add_up_and_speak():
    assert Rate(3, 4) + Rate(0, 1) == Rate(3, 5)
    assert str(Rate(38, 40)) == '38/40 = 95.0 % (83.5 to 98.6)'
    with pytest.raises(VlmBenchError, match='5 of 4'):
        Rate(5, 4)


def test_what_could_not_be_observed_counts_nowhere():
    lost = replace(ONE, verdict='unobservable', causes=('a full disk',))
    assert results.rate([ONE, lost]) == Rate(1, 1)


def test_like_causes_are_counted_together():
    a = replace(ONE, verdict='failure', causes=('stopped',), failures=('first', 'Cannot pick up object_1: 0.31 m away.'))
    b = replace(ONE, verdict='failure', causes=('stopped',), failures=('Cannot pick up object_12: -0.20 m away.',))
    assert a.cause == b.cause == 'stopped: Cannot pick up object: … m away.'


@pytest.mark.parametrize(
    ('given', 'text'),
    [
        (many(38, 40), ''),
        (many(37, 40), 'toys/roll: 37/40'),
        ([*many(40, 40), *many(35, 40, axis='size')], 'toys/roll size: 35/40'),
        (
            [*many(40, 40), replace(ONE, seed=50, verdict='unobservable')],
            '1 episodes could not be observed, such as toys/roll color seen 50',
        ),
        (many(0, 40, policy='still'), ''),
        (many(1, 40, policy='still'), 'still solves 1/40'),
        (many(1, 50, policy='random'), ''),
        (many(2, 50, policy='random'), 'random solves 2/50'),
        (many(2, 50, policy='random', task='toys/use_drawer'), ''),
        (many(14, 40, policy='language_ignored'), ''),
        (many(20, 40, policy='language_ignored'), 'at most 25 % is due'),
        (many(0, 40, policy='oracle_blind'), ''),
    ],
)
def test_a_policy_is_held_against_what_it_is_for(given, text):
    short = shortcomings(given)
    assert bool(short) == bool(text)
    assert all(text in line for line in short[-1:])


def test_results_are_kept_line_by_line(tmp_path):
    path = tmp_path / 'sweep.jsonl'
    assert read_lines(path) == []
    for result in many(1, 2):
        write_line(path, result)
    assert read_lines(path) == many(1, 2)
    path.write_text(path.read_text() + '{"task": 1}\n')
    with pytest.raises(ConfigError, match='line 3, is no result'):
        read_lines(path)


def test_the_page_shows_rates_axes_and_causes(tmp_path):
    given = [*many(39, 40), *many(40, 40, split='unseen'), *many(40, 40, axis='size')]
    (path,) = write_pages(given, tmp_path / 'results', '3.0 minutes on 2 processes.')
    text = path.read_text()
    assert path.name == 'toys_oracle.md'
    assert '| toys/roll | 119/120 = 99.2 % (95.4 to 99.9) | 5.0 | 1.0 |' in text
    assert '| toys/roll | color | 39/40 | 40/40 | 79/80 = ' in text
    assert '| toys/roll | size | 40/40 | 0/0 | 40/40 = ' in text
    assert '| 1 | stopped: Cannot pick up object: … m too far. | roll color seen 39 |' in text
    assert text.endswith('## What falls short\n\nNothing.\n')
    assert summary(given) == {'toys/roll': {'solved': 119, 'total': 120}}
    assert path.with_suffix('.json').read_text().startswith('{\n "toys/roll"')


def test_results_are_printed_with_what_failed():
    told = StringIO()
    assert show(many(1, 3), Console(file=told, width=160)) == 1
    assert 'failure      toys/roll color seen 2: stopped; Cannot pick up object_3' in told.getvalue()
    assert 'falls short toys/roll: 1/3' in told.getvalue()
    assert show(many(20, 20), Console(file=StringIO())) == 0


def test_every_axis_and_split_of_every_task_of_a_family_is_swept():
    jobs = Wanted('vlmbench', '', 'seen:0:2,unseen:7:8').jobs()
    axes = sum(len(catalogue.task(name).axes) for name in catalogue.tasks() if name.startswith('vlmbench/'))
    assert len(jobs) == len(set(jobs)) == 3 * axes
    assert {job[2:4] for job in jobs} == {('seen', 0), ('seen', 1), ('unseen', 7)}


def test_a_sweep_goes_on_where_it_was_left(tmp_path):
    """What is in the file is not run again: here it says what no run would."""
    told, kept = StringIO(), tmp_path / 'records' / 'sweep.jsonl'
    wanted = Wanted('vlmbench/pick_place', 'color', 'seen:0:2', 'still')
    assert sweep(wanted, 1, Console(file=told, width=160), kept=kept, pages=tmp_path) == 0
    first = read_lines(kept)
    assert [(r.seed, r.verdict) for r in sorted(first, key=lambda r: r.seed)] == [(0, 'failure'), (1, 'failure')]
    assert (tmp_path / 'vlmbench_still.md').exists()
    kept.write_text('')
    write_line(kept, replace(first[0], verdict='success'))
    write_line(kept, first[1])
    assert sweep(wanted, 1, Console(file=told, width=160), kept=kept) == 1
    assert len(read_lines(kept)) == 2
