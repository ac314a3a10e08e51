"""What a sweep came to: counted right, held against what is due, and written on a page."""

import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli import fingerprint as codes
from vlm_bench_tasks.cli import results
from vlm_bench_tasks.cli.fingerprint import code
from vlm_bench_tasks.cli.results import Result, mean_score, read_lines, write_line
from vlm_bench_tasks.cli.results_page import summary, write_pages
from vlm_bench_tasks.cli.sweeping import Wanted, show, sweep
from vlm_bench_tasks.cli.thresholds import shortcomings, unsure
from vlm_bench_tasks.judging.statistics import Rate

ONE = Result('toys/roll', 'color', 'seen', 0, 'oracle', 'panda', 1, 0.25, 'success', sim_seconds=5.0, cpu_seconds=1.0, state_hash='ab')


def many(solved: int, total: int, **change) -> list[Result]:
    """So many of so many, each with a seed of its own."""
    failed = {'verdict': 'failure', 'causes': ('stopped',), 'failures': ('Cannot pick up object_3: 0.31 m too far.',)}
    return [replace(ONE, seed=i, **change, **({} if i < solved else failed)) for i in range(total)]


def solved(task: str, cells: int) -> list[Result]:
    """Twenty of twenty along each of so many axes."""
    return [r for i in range(cells) for r in many(20, 20, task=task, axis=f'axis_{i}')]


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
        (many(197, 200), ''),
        (many(196, 200), 'toys all: 98 %, where at least 98.5 % is due'),
        ([*solved('toys/roll', 10), *many(18, 20, axis='size')], ''),
        ([*solved('toys/roll', 10), *many(17, 20, axis='size'), *many(20, 20, axis='size', split='unseen')], 'toys/roll size seen: 17/20'),
        ([*solved('toys/roll', 10), *many(54, 60, axis='size')], ''),
        ([*solved('toys/roll', 10), *many(53, 60, axis='size')], 'toys/roll size seen: 53/60'),
        (
            [*many(40, 40), replace(ONE, seed=50, verdict='unobservable')],
            '1 episodes could not be observed, such as toys/roll color seen 50',
        ),
        (many(0, 40, policy='still'), ''),
        (many(1, 40, policy='still'), 'still solves 1/40'),
        (many(1, 50, policy='random'), ''),
        (many(2, 50, policy='random'), 'random solves 2/50'),
        (many(2, 50, policy='random', task='vlmbench/drawer'), ''),
        (many(14, 40, policy='language_ignored'), ''),
        (many(20, 40, policy='language_ignored'), 'at most 25 % is due'),
        (many(0, 40, policy='oracle_blind'), ''),
        (
            [r for axis in 'abcde' for r in many(14, 40, policy='language_ignored', axis=axis)],
            '',
        ),  # one seed is one layout, whatever the axis
        ([*many(5, 5, policy='language_ignored', chance=1.0), *many(0, 5, policy='language_ignored', axis='size')], ''),
        (many(0, 40, perturbations=('mass=0.3',)), ''),
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
    path.write_text(path.read_text().replace('cpu_seconds', 'wall_seconds'))
    assert read_lines(path) == [replace(r, cpu_seconds=0.0) for r in many(1, 2)], 'older lines tell other seconds'
    path.write_text(path.read_text() + '{"task": 1}\n')
    with pytest.raises(ConfigError, match='line 3, is no result'):
        read_lines(path)


def test_the_page_shows_rates_axes_and_causes(tmp_path):
    given = [*many(39, 40), *many(40, 40, split='unseen'), *many(40, 40, axis='size')]
    given = [replace(r, versions=('vlm_bench=1', 'numpy=2')) for r in given]
    path, together = write_pages(given, tmp_path / 'results')
    text = path.read_text()
    assert (path.name, together.name) == ('toys_oracle.md', 'toys.md')
    assert '120 episodes along 2 axes, with the seeds 0 to 39 (seen), 0 to 39 (unseen) of each' in text
    assert '; robot panda; 2.0 minutes of CPU time.' in text
    assert 'Versions: vlm_bench=1, numpy=2.' in text
    assert '| toys/roll | 119/120 = 99.2 % (95.4 to 99.9) | 25 % | 5.0 | 1.00 | 1.00 |' in text
    assert 'core*' not in text, 'these were played before there were scores'
    assert '39 (seen), 0 to 39 (unseen) of each, but 0 to 39 (seen) of toys/roll size; robot' in text
    assert '| toys/roll | size | 40/40 | 0/0 | 40/40 = 100.0 % (91.2 to 100.0) | 25 % |' in text
    assert '| toys/roll | color | 39/40 | 40/40 | 79/80 = ' in text
    assert '| 1 | stopped: Cannot pick up object: … m too far. | roll color seen 39 |' in text
    assert text.endswith(
        '## What falls short\n\nDue: at least 98.5 % of all episodes, and 90 % of those of one task, axis and split; '
        'where it solves fewer, more are played, and they decide.\n\nNothing.\n'
    )
    assert summary(given) == {'toys/roll': {'solved': 119, 'total': 120, 'chance': 0.25}}
    assert path.with_suffix('.json').read_text().startswith('{\n "toys/roll"')


def test_each_policy_is_told_its_own_work(tmp_path):
    given = [*many(40, 40), *many(0, 40, policy='still', cpu_seconds=60.0)]
    oracle, still, _ = write_pages(given, tmp_path)
    assert '; 0.7 minutes of CPU time.' in oracle.read_text()
    assert '; 40 minutes of CPU time.' in still.read_text()


@pytest.mark.parametrize(
    ('policy', 'said'),
    [
        ('still', 'Due: no episode solved.'),
        ('random', "Due: at most 2 % of each task's episodes."),
        ('oracle_blind', 'where the mean of these lies over 0 by more than 3 of its standard errors.'),
        ('language_ignored', 'Episodes of one split and seed are laid out alike along every axis, so they count as one'),
    ],
)
def test_the_page_of_a_control_says_what_it_is_held_against(tmp_path, policy, said):
    page, _ = write_pages(many(0, 40, policy=policy), tmp_path)
    assert said in page.read_text().partition('## What falls short')[2]


def test_a_page_says_which_code_played_how_many(tmp_path):
    page, _ = write_pages([*many(30, 30, code='0123456789ab'), *many(10, 10, axis='size')], tmp_path)
    assert 'by a digest: 0123456789ab (30 episodes), unknown (10 episodes).' in page.read_text()
    page, _ = write_pages(many(30, 30, code='0123456789ab'), tmp_path)
    assert 'by a digest: 0123456789ab.' in page.read_text()
    page, _ = write_pages(many(30, 30), tmp_path)
    assert 'digest' not in page.read_text()


@pytest.mark.long
def test_the_digest_is_of_all_that_an_episode_imports_and_reads(monkeypatch, tmp_path):
    """What is loaded after an episode of the oracle is in it, but for the sweep around it and what draws; a new folder is not by itself."""
    script = """import sys
from vlm_bench_tasks.cli.sweeping import Job, _one
assert _one(Job('vlmbench/stack', 'color', 'seen', 0, 'oracle', 'panda')).verdict == 'success'
print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('vlm_bench') and m.__file__))"""
    found = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=True, cwd=codes.PACKAGES)
    loaded = {Path(word).relative_to(codes.PACKAGES).as_posix() for word in found.stdout.split()}
    counted = {name for name, _ in codes.files()}
    aside = {name for name in loaded - counted if name.split('/')[1] not in ('cli', 'render')}
    assert len(loaded & counted) > 100 and not aside
    assert {'config/splits.yaml', 'config/reach.yaml', 'config/perturbations.yaml'} <= counted
    before = codes.code.__wrapped__()
    copy = tmp_path / 'vlm_bench_tasks' / 'skills'
    copy.mkdir(parents=True)
    (tmp_path / 'vlm_bench_tasks' / 'dashboard').mkdir()
    (copy / 'carry.py').write_text('SPEED = 1.0')
    monkeypatch.setattr(codes, 'PACKAGES', tmp_path)
    first = codes.code.__wrapped__()
    (tmp_path / 'vlm_bench_tasks' / 'dashboard' / 'page.py').write_text('SIZE = 1')
    assert codes.code.__wrapped__() == first, 'a new folder spoils no kept results'
    (copy / 'carry.py').write_text('SPEED = 2.0')
    assert len({before, first, codes.code.__wrapped__()}) == 3


def test_policies_stand_side_by_side(tmp_path):
    """Whichever was swept last: the page is made of the summaries that lie there."""
    write_pages(many(39, 40), tmp_path)
    *_, page = write_pages(many(0, 40, policy='still'), tmp_path)
    assert '| task | chance | oracle | still |' in page.read_text()
    assert '| toys/roll | 25 % | 39/40 (87 to 100) | 0/40 (0 to 9) |' in page.read_text()


def test_a_perturbed_sweep_has_a_page_of_its_own_and_owes_nothing(tmp_path):
    given = many(10, 40, perturbations=('mass=0.3', 'drop_rate=0.1 1/s'))
    (path,) = write_pages(given, tmp_path)
    assert path.name == 'toys_oracle_mass_drop_rate.md'
    assert 'Perturbed: mass=0.3, drop_rate=0.1 1/s.' in path.read_text()
    assert path.read_text().endswith('Nothing is due of a policy that is perturbed.\n')


LONG = replace(ONE, task='lohoravens/stack', split='test', robot='ur5e', chance=0.0, score=100.0)
PUBLISHED = ('action_noise=0.0025 m', 'drop_rate=0.1 1/s')


def long(solved: int, total: int, first: int = 100_000, **change) -> list[Result]:
    """So many of so many of LoHoRavens; what is not solved has half of its score."""
    failed = {'verdict': 'failure', 'causes': ('stopped',), 'score': 50.0}
    return [replace(LONG, seed=first + i, **change, **({} if i < solved else failed)) for i in range(total)]


def test_scores_stand_beside_successes(tmp_path):
    given = [*long(19, 20), *long(20, 20, task='lohoravens/sort')]
    assert (mean_score(given), mean_score(given[:20]), mean_score([])) == (98.75, 97.5, None)
    page, together = write_pages(given, tmp_path)
    assert '| lohoravens/stack | 19/20 = 95.0 % (76.4 to 99.1) | 97.5 | 0 % |' in page.read_text()
    assert '| lohoravens/stack | 0 % | 19/20 (76 to 99), score 97.5 |' in together.read_text()
    assert summary(given)['lohoravens/stack']['score'] == 97.5
    told = StringIO()
    show(given, Console(file=told, width=160))
    assert 'score 97.5' in told.getvalue() and 'score 98.8' in told.getvalue()


def test_a_page_says_which_tasks_were_played_with_which_seeds(tmp_path):
    others = [r for task in 'bc' for r in long(20, 20, task=f'lohoravens/{task}')]
    again = [*long(40, 40, first=100_020), *long(1, 1, first=7)]
    page, _ = write_pages([*long(18, 20), *again, *others], tmp_path)
    seeds = '100000 to 100019 (test) of each, but 7 and 100000 to 100059 (test) of lohoravens/stack color'
    assert f'101 episodes along 3 axes, with the seeds {seeds}; robot ur5e' in page.read_text()


def test_a_page_says_why_a_score_is_missing(tmp_path):
    page, _ = write_pages([*long(20, 20), *long(20, 20, task='lohoravens/b', score=None)], tmp_path)
    text = page.read_text()
    assert '| lohoravens/b | 20/20 = 100.0 % (83.9 to 100.0) | – | 0 % |' in text and '| 100.0 | 0 % |' in text
    assert 'A dash: some of the episodes were played before scores were kept.' in text
    page, together = write_pages(many(40, 40), tmp_path)
    assert 'score' not in page.read_text() + together.read_text()


def test_results_of_before_there_were_scores_say_none():
    assert mean_score([LONG, replace(LONG, score=None)]) is None
    assert mean_score([LONG, replace(LONG, score=None, verdict='unobservable')]) == 100.0


def test_perturbed_results_stand_beside_the_others_with_the_drops_that_happened(tmp_path):
    harder = long(12, 20, perturbations=PUBLISHED, drops=3)
    hardest = long(5, 20, perturbations=(PUBLISHED[0], 'drop_rate=0.3 1/s'), drops=9)
    page, _ = write_pages([*hardest, *long(20, 20), *harder], tmp_path)
    assert page.name == 'lohoravens_oracle.md'
    text = page.read_text()
    assert 'Perturbed: action_noise=0.0025 m.' in text
    assert '| task | as the tasks say | drop_rate=0.1 1/s | drop_rate=0.3 1/s |' in text
    assert '| lohoravens/stack | 100.0; 20/20; 0 | 80.0; 12/20; 60 | 62.5; 5/20; 180 |' in text
    assert '60 episodes in all. 1.0 minutes of CPU time.' in text
    assert 'Due: at least 99 % of all episodes' in text and text.endswith('\n\nNothing.\n')


@pytest.mark.parametrize(
    ('given', 'short'),
    [
        (long(18, 20), ['lohoravens all']),  # 90 % of the task is enough, of all it is not
        ([*long(18, 20), *solved('lohoravens/b', 10)], []),
        ([*long(18, 20), *solved('lohoravens/b', 8)], ['lohoravens all: 98.9 %']),
        ([*long(54, 60), *solved('lohoravens/b', 10)], []),  # however many were played of it, a cell counts once
        ([*long(53, 60), *solved('lohoravens/b', 9)], ['lohoravens/stack color test', 'lohoravens all']),
        (long(12, 20, perturbations=PUBLISHED), []),
        (long(11, 20, perturbations=PUBLISHED), ['lohoravens perturbed: a mean score of 77.5']),
        (long(20, 20, perturbations=PUBLISHED, score=None), ['lohoravens perturbed: lohoravens/stack has episodes without a score']),
        ([*long(0, 20, perturbations=PUBLISHED), *long(40, 40, perturbations=PUBLISHED, task='lohoravens/b')], ['lohoravens perturbed']),
        (long(0, 20, perturbations=('drop_rate=0.3 1/s',)), []),
    ],
)
def test_what_is_due_of_long_tasks(given, short):
    found = shortcomings(given)
    assert len(found) == len(short) and all(text.startswith(begin) for text, begin in zip(found, short, strict=True))


def test_a_cell_of_which_less_is_solved_than_is_due_is_played_on():
    given = [*long(17, 20), *long(18, 20, task='lohoravens/b'), *many(17, 20, axis='size'), *many(0, 20, policy='still')]
    assert unsure(given) == [('lohoravens/stack', 'color', 'test'), ('toys/roll', 'size', 'seen')]
    assert (
        unsure([*long(17, 20), *long(36, 40, first=100_020)])
        == unsure(long(3, 3))
        == unsure([replace(ONE, verdict='unobservable')])
        == unsure(long(0, 20, perturbations=PUBLISHED))
        == []
    )
    wanted = Wanted('lohoravens', '', 'test:100000:100020', robot='', more=40)
    again = wanted.again([('lohoravens/match_bowls', 'color', 'test')])
    assert [(job.seed, job.policy, job.robot) for job in again] == [(seed, 'oracle', 'ur5e') for seed in range(100_020, 100_060)]


def test_a_sweep_plays_on_by_itself(tmp_path):
    """The twenty are in the file; the one more is played."""
    kept, told = tmp_path / 'sweep.jsonl', StringIO()
    name = 'lohoravens/pick_and_place'
    for result in long(17, 20, task=name, revision=catalogue.task(name).revision, code=code()):
        write_line(kept, result)
    wanted = Wanted(name, 'color', 'test:100000:100020', robot='', more=1)
    sweep(wanted, 1, Console(file=told, width=160), kept=kept)
    (fresh,) = [result for result in read_lines(kept) if result.seed == 100_020]
    assert (fresh.verdict, fresh.score, fresh.drops) == ('success', 100.0, 0)
    assert f'Less than is due of {name} color test. Playing 1 more of each.' in told.getvalue()
    assert f'oracle {name} color test' in told.getvalue() and '18/21' in told.getvalue()


def test_every_episode_is_played_once_under_each_condition():
    wanted = Wanted(
        'lohoravens/match_bowls', '', 'test:100000:100002', robot='', perturbations=('none', 'lohoravens', 'lohoravens,drop_rate=0.2')
    )
    jobs = wanted.jobs()
    assert [(job.seed, [c for c in job.perturbation.labels if 'drop' in c]) for job in jobs] == [
        (100_000, []), (100_001, []), (100_000, ['drop_rate=0.1 1/s']), (100_001, ['drop_rate=0.1 1/s']),
        (100_000, ['drop_rate=0.2 1/s']), (100_001, ['drop_rate=0.2 1/s']),
    ]  # fmt: skip
    assert len({job.key for job in jobs}) == 6 and {job.robot for job in jobs} == {'ur5e'}
    with pytest.raises(VlmBenchError, match='no perturbation called'):
        Wanted('lohoravens', '', 'test:0:1', perturbations=('ravens',)).jobs()


def test_results_are_printed_with_what_failed():
    told = StringIO()
    assert show(many(1, 3), Console(file=told, width=160)) == 1
    assert 'failure      toys/roll color seen 2: stopped; Cannot pick up object_3' in told.getvalue()
    assert 'falls short toys/roll color seen: 1/3' in told.getvalue()
    assert show(many(20, 20), Console(file=StringIO())) == 0


def test_no_episode_is_counted_twice():
    once = Wanted('vlmbench/door', '', 'seen:0:3', 'still').jobs()
    assert Wanted('vlmbench/door', '', 'seen:0:2,seen:1:3,seen:0:1', 'still,still', perturbations=('none', 'none')).jobs() == once


def test_every_axis_and_split_of_every_task_of_a_family_is_swept():
    jobs = Wanted('vlmbench', '', 'seen:0:2,unseen:7:8').jobs()
    axes = sum(len(catalogue.task(name).axes) for name in catalogue.tasks() if name.startswith('vlmbench/'))
    assert len(jobs) == len({job.key for job in jobs}) == 3 * axes
    assert {(job.split, job.seed) for job in jobs} == {('seen', 0), ('seen', 1), ('unseen', 7)}


def test_several_policies_are_swept_over_the_same_episodes_perturbed_alike():
    jobs = Wanted('vlmbench/door', '', 'seen:0:2', 'still,random', perturb=('mass=0.3',)).jobs()
    assert [(job.policy, job.seed) for job in jobs] == [('still', 0), ('still', 1), ('random', 0), ('random', 1)]
    assert {job.perturbation.labels for job in jobs} == {('mass=0.3',)}
    with pytest.raises(VlmBenchError, match='Did you mean random'):
        Wanted('vlmbench/door', '', 'seen:0:2', 'still,rndom').jobs()


def test_a_sweep_goes_on_where_it_was_left(tmp_path):
    """What is in the file is not run again: here it says what no run would."""
    told, kept = StringIO(), tmp_path / 'records' / 'sweep.jsonl'
    wanted = Wanted('vlmbench/door', 'amount', 'seen:0:2', 'still', perturb=('light=0.5',))
    assert sweep(wanted, 1, Console(file=told, width=160), kept=kept, pages=tmp_path) == 0
    first = read_lines(kept)
    assert [(r.seed, r.verdict) for r in sorted(first, key=lambda r: r.seed)] == [(0, 'failure'), (1, 'failure')]
    assert {r.perturbations for r in first} == {('light=0.5',)} and first[0].versions[0].startswith('vlm_bench=')
    assert (tmp_path / 'vlmbench_still_light.md').exists()
    assert {r.code for r in first} == {code()}
    kept.write_text('')
    write_line(kept, replace(first[0], verdict='success'))
    write_line(kept, first[1])
    assert sweep(wanted, 1, Console(file=told, width=160), kept=kept) == 0
    assert len(read_lines(kept)) == 2
    assert 'still vlmbench/door amount seen' in told.getvalue() and '1/2 = 50.0 %' in told.getvalue()


def test_what_other_code_played_is_played_again_unless_it_shall_be_kept(tmp_path):
    kept, told = tmp_path / 'sweep.jsonl', StringIO()
    wanted = Wanted('vlmbench/door', 'amount', 'seen:0:2', 'still')
    for seed, by in ((0, '0123456789ab'), (1, '')):
        told_by = replace(ONE, task='vlmbench/door', axis='amount', seed=seed, policy='still', verdict='success', code=by)
        write_line(kept, replace(told_by, revision=catalogue.task('vlmbench/door').revision))
    assert sweep(wanted, 1, Console(file=told, width=200), kept=kept, old=True) == 1
    said = f'2 of 2 episodes were played by 0123456789ab, unknown code, and this is {code()}.'
    assert f'{said} They are kept, as --keep says.' in told.getvalue() and len(read_lines(kept)) == 2
    told = StringIO()
    assert sweep(wanted, 1, Console(file=told, width=200), kept=kept) == 0
    assert f'{said} They are played again; --keep takes them as they are.' in told.getvalue()
    assert [(r.seed, r.verdict) for r in sorted(read_lines(kept)[2:], key=lambda r: r.seed)] == [(0, 'failure'), (1, 'failure')]
    told = StringIO()
    assert sweep(wanted, 1, Console(file=told, width=200), kept=kept) == 0
    assert len(read_lines(kept)) == 4 and 'played by' not in told.getvalue()
