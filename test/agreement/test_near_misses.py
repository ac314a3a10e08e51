"""Near misses of the expert are misses, by the judge that sees everything, and each of the ten kinds can be made."""

from functools import cache

import pytest

from test.plays import bench
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agreement.near_misses import KINDS, Film, Halted, Solved, candidates, first_held
from vlm_bench_tasks.agreement.study import LEVELS, SUCCESS, cases
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.monitor import judge
from vlm_bench_tasks.trial import Trial

TASK = 'vlmbench/pick_place'


@cache
def solved(task=TASK, seed=0):
    episode, film = catalogue.build(task, catalogue.splits(task)[0], seed), Film()
    report = bench(catalogue.task(task).robot).run(episode, Halted(film), film).report
    assert report.verdict is Verdict.SUCCESS
    return Solved(episode, film, first_held(episode, film))


def test_the_goal_first_holds_half_a_second_before_the_success_or_earlier():
    one = solved()
    assert one.episode.goal.holds(one.now, one.start) and not one.episode.goal.holds(one.film.snapshots[one.first - 1], one.start)
    assert 10 <= len(one.film.snapshots) - 1 - one.first < 40


def test_there_are_ten_kinds_and_a_thing_in_a_tray_can_miss_by_each():
    found = {miss.kind for miss in candidates(solved(), 0)}
    assert len(KINDS) == 10
    assert found >= {'early', 'earlier', 'halfway', 'holding', 'cut', 'displaced', 'toppled', 'returned', 'another'}
    order = list(KINDS)
    assert next(candidates(solved(), 1)).kind == order[1]


def test_what_turns_on_how_a_thing_lies_misses_by_a_turn():
    assert 'turned' in {miss.kind for miss in candidates(solved('clevrskills/rotate'), 0)}


def test_a_displaced_thing_is_where_its_clause_no_longer_holds():
    one = solved()
    miss = next(miss for miss in candidates(one, 0) if miss.kind == 'displaced')
    ((name, pose),) = miss.moves
    here = one.now.pose(name)
    sideways = ((pose.position[0] - here.position[0]) ** 2 + (pose.position[1] - here.position[1]) ** 2) ** 0.5
    assert 0.0 < sideways <= 0.45
    assert name in {prop.name for prop in one.episode.goal.props()}


@pytest.mark.parametrize('number', [0, *(pytest.param(number, marks=pytest.mark.long) for number in (1, 2))])
def test_a_success_and_its_near_miss_are_judged_by_each_tracker(number):
    success, miss = cases(Trial(TASK, 'color', 'seen', number, 'panda'), number)
    assert (success.kind, success.verdict, success.told) == (SUCCESS, 'success', dict.fromkeys(LEVELS, 'success')), success.causes
    assert miss.kind == list(KINDS)[number] and miss.verdict == 'failure' and not all(clause.holds for clause in miss.clauses)
    assert 'success' not in miss.told.values(), miss
    assert [clause.word for clause in success.clauses] == ['Inside'] and success.clauses[0].told == dict.fromkeys(LEVELS, True)


def test_a_near_miss_ends_without_the_goal_though_all_went_well_until_then():
    one = solved()
    miss = next(miss for miss in candidates(one, 2) if miss.kind == 'holding')
    film = Film()
    bench().run(miss.episode, Halted(film, lambda seq: seq >= miss.stops), film)
    assert film.snapshots[: miss.stops] == one.film.snapshots[: miss.stops]
    assert film.snapshots[-1].held
    assert judge(one.episode.goal, Limits(one.episode.horizon), film.snapshots, film.events).verdict is Verdict.FAILURE
