"""ARNOLD's tasks, played: the expert reaches each number, and only a robot that means a number does."""

from dataclasses import replace
from functools import cache

import pytest

from test.plays import Film, bench
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goal_number import goal_number
from vlm_bench_tasks.goals.moving import Raised
from vlm_bench_tasks.judging.monitor import Limits, judge
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.suite.arnold._numbers import at_rest

TASKS = catalogue.chosen('arnold')
TEST = 150_000


def first_inside(task: str):
    """Return the first episode whose goal is not at the end of the way."""
    episodes = (catalogue.build(task, 'test', TEST + seed) for seed in range(24))
    return next(episode for episode in episodes if not goal_number(episode).end_stop)


@cache
def solved(task: str):
    """An episode that the expert plays, and its film."""
    episode, film = catalogue.build(task, 'test', TEST + 5), Film()
    return episode, bench().run(episode, policy('oracle'), film), film


SLOW = 'arnold/transfer_water'  # 15 s; water is poured in the fast suite, too


@pytest.mark.parametrize('task', [pytest.param(task, marks=[pytest.mark.slow] if task == SLOW else []) for task in TASKS])
def test_the_expert_reaches_the_number(task):
    _, run, _ = solved(task)
    assert run.report.verdict is Verdict.SUCCESS, (run.report.causes, run.failures)


@pytest.mark.long
def test_the_median_error_of_the_expert_is_at_most_half_the_tolerance():
    near = []
    for task in TASKS:
        episode, _, film = solved(task)
        goal = replace(episode.goal.leaves()[0], within=episode.goal.leaves()[0].within / 2)
        near.append(goal.holds(film.snapshots[-1], film.snapshots[0]))
    assert 2 * sum(near) > len(near)


def test_a_door_with_a_knob_out_of_reach_is_pushed():
    """Its front faces away from the robot, so no grasp leads on; closed fingers do."""
    film = Film()
    run = bench().run(catalogue.build('arnold/close_cabinet', 'test', 100_001), policy('oracle'), film)
    assert run.report.verdict is Verdict.SUCCESS, (run.report.causes, run.failures)
    assert not any(now.held for now in film.snapshots)


@pytest.mark.long
def test_a_handle_is_not_taken_from_beside_where_the_palm_would_push_the_edge_of_the_door():
    run = bench().run(catalogue.build('arnold/open_cabinet', 'novel_scene', 0), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS, (run.report.causes, run.failures)


def test_what_cups_cannot_hold_is_refused_by_name():
    for task, said in (
        ('reorient_object', 'Suction cups cannot hold bottle while it leans'), ('pour_water', 'Suction cups cannot grip the wall of cup_1'),
    ):  # fmt: skip
        run = bench('xarm6').run(catalogue.build(f'arnold/{task}', 'test', TEST), policy('oracle'))
        assert run.report.verdict is Verdict.FAILURE
        assert said in run.failures[0]


def test_what_is_wider_than_the_hand_is_refused_by_name():
    episode = catalogue.build('arnold/pickup_object', 'test', TEST)
    (bottle,) = episode.scene.props
    size = tuple(3.0 * extent for extent in bottle.size)
    wide = replace(bottle, size=size).at(Pose((0.5, 0.0, size[2] / 2)))
    asks = replace(episode, scene=replace(episode.scene, props=(wide,)), goal=at_rest(Raised(wide, 0.1)), alternatives=())
    run = bench().run(asks, policy('oracle'))
    assert run.report.verdict is Verdict.FAILURE
    assert f'as it stands it is at least {1e3 * min(size):.0f} mm wide, and the fingers open 80 mm' in run.failures[0]


@pytest.mark.parametrize('task', ['arnold/open_drawer', pytest.param('arnold/pickup_object', marks=pytest.mark.long)])
def test_what_leads_a_thing_slowly_past_the_goal_does_not_pass(task):
    episode = first_inside(task)
    film = Film()
    run = bench().run(episode, policy('creep'), film)
    assert run.report.verdict is Verdict.FAILURE
    inner = [episode.goal.goal.holds(now, film.snapshots[0]) for now in film.snapshots]
    assert sum(inner) > 40 and not inner[-1]  # it was in the window for more than 2 s, and left it


@pytest.mark.parametrize('task', ['arnold/close_drawer', pytest.param('arnold/pickup_object', marks=pytest.mark.long)])
def test_what_rests_at_one_number_after_the_other_does_not_pass(task):
    episode = first_inside(task)
    film = Film()
    run = bench().run(episode, policy('stop_and_go'), film)
    assert (run.report.verdict, run.report.causes[0]) == (Verdict.FAILURE, 'stopped')
    assert judge(episode.goal.goal, Limits(episode.horizon), film.snapshots).verdict is Verdict.SUCCESS, 'it never rested at the goal'
