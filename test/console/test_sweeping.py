"""What a sweep came to: counted right, held against what is due, and written on a page."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks import fingerprint as codes
from vlm_bench_tasks.console.sweeping import show, sweep
from vlm_bench_tasks.evaluation import evaluate as evaluating
from vlm_bench_tasks.evaluation.entries import Entry, mean_score, rate
from vlm_bench_tasks.evaluation.playing import Scored
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.sweep import Sweep
from vlm_bench_tasks.evaluation.thresholds import shortcomings, unsure
from vlm_bench_tasks.fingerprint import code
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.results_page import summary, write_pages
from vlm_bench_tasks.result import Result

ONE = Entry(
    task='toys/roll', axis='color', split='seen', seed=0, policy='oracle', robot='panda', chance=0.25, verdict='success', score=-1.0,
    sim_seconds=5.0, cpu_seconds=1.0, state_hash='ab',
)  # fmt: skip


def replace(entry, **change):
    return entry.model_copy(update=change)


def many(solved: int, total: int, **change) -> list[Entry]:
    """So many of so many, each with a seed of its own."""
    failed = {'verdict': 'failure', 'causes': ('stopped',), 'failures': ('Cannot pick up object_3: 0.31 m too far.',)}
    return [replace(ONE, seed=i, **change, **({} if i < solved else failed)) for i in range(total)]


def solved(task: str, cells: int) -> list[Entry]:
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
    assert rate([ONE, lost]) == Rate(1, 1)


def test_like_causes_are_counted_together():
    a = replace(ONE, verdict='failure', causes=('stopped',), failures=('first', 'Cannot pick up object_1: 0.31 m away.'))
    b = replace(ONE, verdict='failure', causes=('stopped',), failures=('Cannot pick up object_12: -0.20 m away.',))
    assert a.reason == b.reason == 'stopped: Cannot pick up object: … m away.'


@pytest.mark.parametrize(
    ('given', 'text'),
    [
        (many(197, 200), ''),
        (many(196, 200), 'toys all: 98 %; at least 98.5 % is required'),
        ([*solved('toys/roll', 10), *many(18, 20, axis='size')], ''),
        ([*solved('toys/roll', 10), *many(17, 20, axis='size'), *many(20, 20, axis='size', split='unseen')], 'toys/roll size seen: 17/20'),
        ([*solved('toys/roll', 10), *many(54, 60, axis='size')], ''),
        ([*solved('toys/roll', 10), *many(53, 60, axis='size')], 'toys/roll size seen: 53/60'),
        ([*many(20, 20, task='arnold/open_drawer'), *many(18, 20, task='arnold/close_drawer')], 'arnold all: 95 %; at least 96 %'),
        ([*many(17, 20, task='arnold/pour_water'), *many(20, 20, task='arnold/transfer_water')], ''),
        (many(17, 20, task='arnold/pour_water'), 'arnold all: 85 %; at least 92 %'),
        ([*many(48, 60, task='arnold/pour_water'), *many(60, 60, task='arnold/transfer_water')], 'arnold all: 90 %; at least 92 %'),
        (
            [*many(20, 20, task='arnold/open_drawer'), *many(16, 20, task='arnold/pour_water')],
            'arnold/pour_water all: 80 %; at least 92 %',
        ),
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
        (many(3, 40, policy='creep', end_stop=True), ''),
        (many(1, 40, policy='creep'), 'at most 0 % is allowed'),
        (many(3, 40, policy='stop_and_go', end_stop=True), ''),
        (many(1, 40, policy='stop_and_go'), 'at most 0 % is allowed'),
        (many(20, 40, policy='language_ignored'), 'at most 25 % is allowed'),
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


def low(results, task='arnold/close_drawer'):
    """What the page says of a task whose rate is too low, and whether more of it are played."""
    return next((text.partition(': ')[2] for text in shortcomings(results) if text.startswith(task)), ''), bool(unsure(results))


def test_after_many_episodes_a_family_may_owe_less():
    """Of ARNOLD, 18 of the first 20 are due, and 85 % of 60; of its water 17 of 20, and 80 %."""
    for task, first, many_due in (('arnold/close_drawer', 18, 51), ('arnold/pour_water', 17, 48)):
        assert low(many(first, 20, task=task), task) == ('', False)
        text, more = low(many(first - 1, 20, task=task), task)
        assert f'{first - 1}/20' in text and more
        assert low(many(many_due, 60, task=task), task)[0] == ''
        text, more = low(many(many_due - 1, 60, task=task), task)
        assert f'{many_due - 1}/60' in text and not more


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
    assert 'core*' not in text, 'nobody told their scores'
    assert '39 (seen), 0 to 39 (unseen) of each, but 0 to 39 (seen) of toys/roll size; robot' in text
    assert '| toys/roll | size | 40/40 | 0/0 | 40/40 = 100.0 % (91.2 to 100.0) | 25 % |' in text
    assert '| toys/roll | color | 39/40 | 40/40 | 79/80 = ' in text
    assert '| 1 | stopped: Cannot pick up object: … m too far. | roll color seen 39 |' in text
    assert text.endswith(
        '## What falls short\n\nDue: at least 98.5 % of all episodes, and 90 % of those of one task, axis and split; '
        'where it solves fewer, more are played, and they decide.\n\nNothing.\n'
    )
    told = {'solved': 119, 'total': 120, 'splits': {'seen': [79, 80], 'unseen': [40, 40]}, 'chance': 0.25}
    told |= {'reward': 0.0, 'simulated': 5.0, 'cpu': 1.0}
    assert summary(given) == {'toys/roll': told}
    rising = [replace(r, reward=0.5, trend=i / 120) for i, r in enumerate(given)]
    assert summary(rising)['toys/roll'] == told | {'reward': 0.5, 'trend': 0.496}
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
        ('creep', 'those whose goal is the end of the way'),
        ('language_ignored', 'Episodes of one split and seed are laid out alike along every axis, so they count as one'),
    ],
)
def test_the_page_of_a_control_says_what_it_is_held_against(tmp_path, policy, said):
    page, _ = write_pages(many(0, 40, policy=policy), tmp_path)
    assert said in page.read_text().partition('## What falls short')[2]


def test_a_page_says_which_code_played_how_many(tmp_path):
    page, _ = write_pages([*many(30, 30, bench='0123456789ab'), *many(10, 10, axis='size')], tmp_path)
    assert 'by a digest: 0123456789ab (30 episodes), unknown (10 episodes).' in page.read_text()
    page, _ = write_pages(many(30, 30, bench='0123456789ab'), tmp_path)
    assert 'by a digest: 0123456789ab.' in page.read_text()
    page, _ = write_pages(many(30, 30), tmp_path)
    assert 'digest' not in page.read_text()


ASIDE = (
    'vlm_bench_sim/prompts.py', 'vlm_bench_sim/render', 'vlm_bench_sim/bags', 'vlm_bench_sim/ros', 'vlm_bench_tasks/dataset',
    'vlm_bench_tasks/graph.py', 'vlm_bench_tasks/campaign.py', 'vlm_bench_tasks/episode_messages.py', 'vlm_bench_tasks/fingerprint.py',
    'vlm_bench_tasks/sizes.py', 'vlm_bench_tasks/task_choice.py',
    *(
        f'vlm_bench_tasks/evaluation/{name}.py'
        for name in ('__init__', 'declaration', 'files', 'own_modules', 'plan', 'policy_digest', 'report')
    ),
)  # fmt: skip
"""What a worker loads besides, to draw, to record and to report."""


@pytest.mark.long
def test_the_digest_is_of_all_that_an_episode_imports_and_reads(monkeypatch, tmp_path):
    """What is loaded after an episode of the oracle is in it, but for the sweep around it and what draws; a new folder is not by itself."""
    script = """import sys
from pathlib import Path
from vlm_bench_tasks.evaluation.plan import Job, Manner
from vlm_bench_tasks.evaluation.playing import play
from vlm_bench_tasks.trial import Trial
job = Job(Trial('vlmbench/stack', 'color', 'seen', 0, 'panda'), Manner('oracle'), Path(sys.argv[1]))
assert play(job).result.verdict == 'success'
print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('vlm_bench') and m.__file__))"""
    found = subprocess.run(
        [sys.executable, '-c', script, str(tmp_path / 'note')], capture_output=True, text=True, check=True, cwd=codes.PACKAGES
    )
    loaded = {Path(word).relative_to(codes.PACKAGES).as_posix() for word in found.stdout.split()}
    counted = {name for name, _ in codes.files()}
    aside = {name for name in loaded - counted if not name.startswith(ASIDE)}
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


def long(solved: int, total: int, first: int = 100_000, **change) -> list[Entry]:
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
    page, _ = write_pages([*long(20, 20), *long(20, 20, task='lohoravens/b', score=-1.0)], tmp_path)
    text = page.read_text()
    assert '| lohoravens/b | 20/20 = 100.0 % (83.9 to 100.0) | – | 0 % |' in text and '| 100.0 | 0 % |' in text
    assert 'A dash: nobody told the score of some of the episodes.' in text
    page, together = write_pages(many(40, 40), tmp_path)
    assert 'score' not in page.read_text() + together.read_text()


def test_where_one_score_is_unknown_there_is_no_mean():
    assert mean_score([LONG, replace(LONG, score=-1.0)]) is None
    assert mean_score([LONG, replace(LONG, score=-1.0, verdict='unobservable')]) == 100.0


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
        (long(20, 20, perturbations=PUBLISHED, score=-1.0), ['lohoravens perturbed: lohoravens/stack has episodes without a score']),
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
    wanted = Sweep('lohoravens', 'test:100000:100020', more=40)
    ((name, plan),) = wanted.again([('lohoravens/match_bowls', 'color', 'test')])
    assert name == 'lohoravens-match-bowls_color_oracle_test_100020-100060.json'
    assert [trial.key for trial in plan.trials] == [('lohoravens/match_bowls', 'color', 'test', seed) for seed in range(100_020, 100_060)]
    assert {(trial.policy, trial.robot) for trial in plan.trials} == {('oracle', 'ur5e')}


def fake(verdicts, monkeypatch):
    """Have trials come to the verdicts that are given by seed, as if they had been played; the others are played."""
    real = evaluating.played

    def some(plan, trials, processes):
        for trial in trials:
            if trial.seed in verdicts:
                yield trial, Scored(Result.blank(trial, verdicts[trial.seed]), cpu_seconds=1.0)
            else:
                yield from real(plan, [trial], processes)

    monkeypatch.setattr(evaluating, 'played', some)


def test_a_sweep_plays_on_by_itself(tmp_path, monkeypatch):
    """What comes of the twenty is given; the one more is played."""
    told, name, slug = StringIO(), 'lohoravens/pick_and_place', 'lohoravens-pick-and-place'
    fake({100_000 + i: 'success' if i < 17 else 'failure' for i in range(20)}, monkeypatch)
    wanted = Sweep(name, 'test:100000:100020', 'color', more=1)
    sweep(wanted, 1, Console(file=told, width=160), kept=tmp_path)
    paths = [tmp_path / f'{slug}_color_oracle_test_{seeds}.json' for seeds in ('100000-100020', '100020-100021')]
    first, fresh = map(EvaluationReport.load, paths)
    assert (first.overall.successes, first.circumstances.episode_cpu_seconds) == (17, (1.0,) * 20)
    (one,) = fresh.episodes
    assert (one.seed, one.verdict, one.score, one.drops) == (100_020, 'success', 100.0, 0)
    assert fresh.circumstances.episode_cpu_seconds[0] > 0.05
    assert f'The oracle solves too few of {name} color test. Playing 1 more of each.' in told.getvalue()
    assert f'oracle {name} color test' in told.getvalue() and '18/21' in told.getvalue()


def test_every_episode_is_played_once_under_each_condition():
    wanted = Sweep('lohoravens/match_bowls', 'test:100000:100002', perturbations=('none', 'lohoravens', 'lohoravens,drop_rate=0.2'))
    names, plans = zip(*wanted.plans(), strict=True)
    assert [[c for c in plan.conditions.perturbations if 'drop' in c] for plan in plans] == [
        [],
        ['drop_rate=0.1 1/s'],
        ['drop_rate=0.2 1/s'],
    ]
    assert {tuple(trial.seed for trial in plan.trials) for plan in plans} == {(100_000, 100_001)}
    assert len(set(names)) == 3 and 'drop-rate-0.2-1-s' in names[2]
    assert {trial.robot for plan in plans for trial in plan.trials} == {'ur5e'}
    with pytest.raises(VlmBenchError, match='no perturbation called'):
        list(Sweep('lohoravens', 'test:0:1', perturbations=('ravens',)).plans())


def test_results_are_printed_with_what_failed():
    told = StringIO()
    assert show(many(1, 3), Console(file=told, width=160)) == 1
    assert 'failure      toys/roll color seen 2: stopped; Cannot pick up object_3' in told.getvalue()
    assert 'falls short toys/roll color seen: 1/3' in told.getvalue()
    assert show(many(20, 20), Console(file=StringIO())) == 0


def trials(wanted):
    return [trial for _, plan in wanted.plans() for trial in plan.trials]


def test_no_episode_is_counted_twice():
    once = trials(Sweep('vlmbench/door', 'seen:0:3', policy='still'))
    twice = Sweep('vlmbench/door', 'seen:0:2,seen:1:3,seen:0:1', policy='still,still', perturbations=('none', 'none'))
    assert trials(twice) == once


def test_every_axis_and_split_of_every_task_of_a_family_is_swept():
    found = trials(Sweep('vlmbench', 'seen:0:2,unseen:100007:100008,seen:7:8,seen:1:2'))
    axes = sum(len(catalogue.task(name).axes) for name in catalogue.tasks() if name.startswith('vlmbench/'))
    assert len(found) == len(set(found)) == 4 * axes
    assert {(trial.split, trial.seed) for trial in found} == {('seen', 0), ('seen', 1), ('seen', 7), ('unseen', 100_007)}


def test_splits_with_the_same_seeds_share_a_report():
    ((name, plan),) = Sweep('vlmbench/door', 'seen:100000:100002,unseen:100000:100002', 'amount').plans()
    assert name == 'vlmbench-door_amount_oracle_seen-unseen_100000-100002.json'
    assert [trial.split for trial in plan.trials] == ['seen', 'seen', 'unseen', 'unseen']


def test_several_policies_are_swept_over_the_same_episodes_perturbed_alike():
    found = trials(Sweep('vlmbench/door', 'seen:0:2', 'amount', policy='still,random', perturb=('mass=0.3',)))
    assert [(trial.policy, trial.seed) for trial in found] == [('still', 0), ('still', 1), ('random', 0), ('random', 1)]
    assert {trial.perturbation.labels for trial in found} == {('mass=0.3',)}
    with pytest.raises(VlmBenchError, match='Did you mean random'):
        trials(Sweep('vlmbench/door', 'seen:0:2', policy='still,rndom'))


def test_a_sweep_goes_on_where_it_was_left(tmp_path, monkeypatch):
    """What is in a report is not played again: here it says what no run would."""
    told, kept = StringIO(), tmp_path / 'records' / 'sweep'
    wanted = Sweep('vlmbench/door', 'seen:0:2', 'amount', policy='still', perturb=('light=0.5',))
    assert sweep(wanted, 1, Console(file=told, width=160), kept=kept, pages=tmp_path) == 0
    (path,) = kept.iterdir()
    first = EvaluationReport.load(path)
    assert [(r.seed, r.verdict) for r in first.episodes] == [(0, 'failure'), (1, 'failure')]
    assert first.conditions.perturbations == ('light=0.5',) and first.bench == code()
    assert (tmp_path / 'vlmbench_still_light.md').exists()
    path.unlink()
    fake({0: 'success', 1: 'failure'}, monkeypatch)
    for _ in range(2):
        told = StringIO()
        assert sweep(wanted, 1, Console(file=told, width=160), kept=kept) == 0
        assert 'still vlmbench/door amount seen' in told.getvalue() and '1/2 = 50.0 %' in told.getvalue()
        fake({0: 'failure', 1: 'failure'}, monkeypatch)


def test_what_other_code_played_is_played_again_unless_it_shall_be_kept(tmp_path, monkeypatch):
    wanted = Sweep('vlmbench/door', 'seen:0:2', 'amount', policy='still')
    fake({0: 'success', 1: 'success'}, monkeypatch)
    sweep(wanted, 1, Console(file=StringIO()), kept=tmp_path)
    (path,) = tmp_path.iterdir()
    EvaluationReport.load(path).model_copy(update={'bench': '0123456789ab'}).save(path)
    fake({0: 'failure', 1: 'failure'}, monkeypatch)
    said = f'was played by 0123456789ab; the code here is {code()}.'
    for old, exits, then in (
        (True, 1, 'It is used because of --keep.'),
        (False, 0, 'It is played again; with --keep it is used.'),
    ):
        told = StringIO()
        assert sweep(wanted, 1, Console(file=told, width=300), kept=tmp_path, old=old) == exits
        assert f'{said} {then}' in told.getvalue()
    told = StringIO()
    assert sweep(wanted, 1, Console(file=told, width=300), kept=tmp_path) == 0
    assert 'was played by' not in told.getvalue() and EvaluationReport.load(path).bench == code()


def test_an_evaluation_refuses_what_other_code_has_played(tmp_path, monkeypatch):
    ((name, plan),) = Sweep('vlmbench/door', 'seen:0:2', 'amount', policy='still').plans()
    fake({0: 'failure', 1: 'failure'}, monkeypatch)
    evaluating.evaluated(plan, tmp_path / name, processes=1).model_copy(update={'bench': '0123456789ab'}).save(tmp_path / name)
    with pytest.raises(ConfigError, match=f'played by the bench code 0123456789ab; this is the bench code {code()}'):
        evaluating.evaluated(plan, tmp_path / name, processes=1)


def test_the_name_of_a_report_fits_a_file_system_and_differs_where_the_evaluation_does():
    wanted = Sweep('vlmbench/door', 'seen:0:1', 'amount', perturbations=('colosseum', 'colosseum,mass=0.1'))
    names = [name for name, _ in wanted.plans()]
    assert len(set(names)) == 2 and all(len(f'.{name}.partial.jsonl.part') < 255 for name in names)
