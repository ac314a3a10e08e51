"""The expert solves episodes through commands alone, plans again when things go wrong, and gives up when nothing works."""

from math import dist

import pytest

from test.plays import TASK, Film, Hand, Hopeless, Spy, bench, episode, solved
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Chunk, Joints, Stop
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.protocols import Feasibility, World
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.oracle import ATTEMPTS, Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.variation.streams import Streams

PORT = {'profile', 'load', 'apply', 'step', 'snapshot', 'arm', 'gripper', 'assisting', 'commanded', 'state_hash'}


class Guarded:
    """A world of which nothing can be asked but what the port offers, and which takes commands only."""

    def __init__(self, world: World) -> None:
        object.__setattr__(self, '_world', world)
        object.__setattr__(self, 'applied', [])

    def __getattr__(self, name: str):
        if name not in PORT:
            raise AssertionError(f'the world was asked for {name!r}')
        return getattr(self._world, name)

    def __setattr__(self, name: str, value) -> None:
        raise AssertionError(f'{name!r} of the world was set')

    def apply(self, command) -> None:
        assert isinstance(command, Chunk | Grip | Joints | Stop), command
        self.applied.append(command)
        self._world.apply(command)


@pytest.fixture
def with_planner():
    """Lend the bench another planner for one test."""
    ours = bench()
    own = ours.planner

    def lend(made):
        ours.planner = made(own)
        return ours.planner

    yield lend
    ours.planner = own


@pytest.fixture
def meddled():
    """Play the first episode while a hand moves the prop that is to be placed."""

    def play(pose: Pose, when):
        hand, film = Hand(bench().world, episode().goal.prop.name, pose, when), Film()
        run = bench().run(episode(), policy('oracle'), film, hand)
        assert hand.moved_at is not None
        return run, film, hand.moved_at

    return play


@pytest.fixture
def start() -> Pose:
    return episode().goal.prop.pose


def test_the_first_episode_is_solved_in_one_attempt():
    run = solved()
    assert run.report.verdict is Verdict.SUCCESS
    assert run.failures == ()
    assert run.report.assistance == ('truth',)
    assert 4.0 < run.report.sim_seconds < 12.0


@pytest.fixture(scope='module')
def guarded():
    """The first episode, played against a world and a planner that answer nothing beyond their ports."""
    ours = bench()
    own = ours.world, ours.planner
    ours.world, ours.planner = world, planner = Guarded(ours.world), Spy(ours.planner)
    try:
        return ours.run(episode(), policy('oracle')), world.applied, planner.requests
    finally:
        ours.world, ours.planner = own


def test_the_expert_touches_the_world_through_commands_only(guarded):
    """It needs nothing else: the episode is the same, state by state."""
    run, applied, requests = guarded
    assert run.hashes == solved().hashes
    assert run.report == solved().report
    assert {type(command) for command in applied} == {Chunk, Grip}
    assert len([command for command in applied if isinstance(command, Chunk)]) == len(requests)


def test_the_guard_would_notice():
    guarded = Guarded(bench().world)
    for forbidden in ('place', 'save', 'restore', 'hold_arm', '_client', 'close'):
        with pytest.raises(AssertionError, match=forbidden):
            getattr(guarded, forbidden)
    with pytest.raises(AssertionError):
        guarded.apply(Pose())


@pytest.mark.slow
def test_a_prop_that_is_moved_before_it_is_reached_is_found_again(meddled, start):
    run, film, moved = meddled(start.shifted((0.0, -0.09, 0.0)), lambda now: now.seq == 10)
    assert run.report.verdict is Verdict.SUCCESS
    assert run.report.seq > solved().report.seq
    before, after = film.snapshots[moved].pose('object_1'), film.snapshots[moved + 1].pose('object_1')
    assert after.position[1] == pytest.approx(before.position[1] - 0.09, abs=2e-3)


@pytest.mark.long
def test_a_prop_that_is_moved_to_where_no_known_grasp_fits_is_planned_for_again(meddled, start):
    """It lands at the wall of a tray: the grasps that were feasible are no more, so the skill fails and another begins."""
    run, _, _ = meddled(start.shifted((-0.07, -0.12, 0.0)), lambda now: now.opening < 0.07)
    assert run.report.verdict is Verdict.SUCCESS
    assert 1 <= len(run.failures) < ATTEMPTS
    assert all(failure.startswith('Cannot pick up object_1: ') and not failure.endswith('..') for failure in run.failures)


def test_a_prop_that_is_lost_in_the_air_is_picked_again(meddled, start):
    item = episode().goal.prop.name
    run, film, moved = meddled(start, lambda now: now.held == item and now.pose(item).position[2] > 0.08)
    assert run.report.verdict is Verdict.SUCCESS
    assert [name for now in film.snapshots for name in now.grasped] == [item, item]
    assert film.snapshots[moved + 1].released == (item,)


def test_a_planner_that_fails_every_time_ends_in_failure(with_planner):
    spy = with_planner(Hopeless)
    run = bench().run(episode(), policy('oracle'))
    assert run.report.verdict is Verdict.FAILURE
    assert run.report.causes == ('stopped',)
    assert len(run.failures) == ATTEMPTS
    assert all('No path' in failure for failure in run.failures)
    assert ATTEMPTS <= len(spy.requests) <= 10 * ATTEMPTS


def test_what_fails_before_anything_has_moved_is_not_tried_again(with_planner):
    class Graspless(Spy):
        def grasps(self, prop):
            return ()

    with_planner(Graspless)
    run = bench().run(episode(), policy('oracle'))
    assert run.report.verdict is Verdict.FAILURE
    assert run.failures == ('Cannot pick up object_1: no grasp is known for its shape.',)


def test_what_is_held_so_that_it_cannot_be_put_down_is_laid_aside_and_taken_anew(with_planner):
    tray = episode().goal.container.pose.position

    class Awkward(Spy):
        """Finds no way over the tray with what is held, until that was laid on the table."""

        laid = False

        def check(self, request, chain):
            over = request.held is not None and request.opening < 0.07 and dist(chain[-1].pose.position[:2], tray[:2]) < 0.12
            return Feasibility(False, 0.0, 'no way') if over and not self.laid else super().check(request, chain)

        def plan(self, request):
            x, y, z = request.target.pose.position
            self.laid |= request.held is not None and z < 0.06 and dist((x, y), tray[:2]) > 0.12
            return super().plan(request)

    spy = with_planner(Awkward)
    run = bench().run(episode(), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS
    assert set(run.failures) == {'Cannot put object_1 down: 0 ways looked feasible, none was.'}
    assert spy.laid


def test_each_call_of_the_planner_has_a_seed_of_its_own(guarded):
    """From the stream of that call, so that one plan more or less leaves the others as they are."""
    _, _, requests = guarded
    streams = Streams(TASK, 'seen', 0)
    assert [request.seed for request in requests] == [streams.seed(f'planner/{i}') for i in range(len(requests))]
    assert len({request.seed for request in requests}) == len(requests) > 3


def test_a_held_prop_is_carried_and_no_obstacle(guarded):
    _, _, requests = guarded
    held = [request.held.name if request.held else '' for request in requests]
    assert held[0] == ''
    assert episode().goal.prop.name in held
    for request, name in zip(requests, held, strict=True):
        obstacles = {prop.name for prop in request.obstacles}
        assert name not in obstacles
        assert obstacles | {name} == {prop.name for prop in episode().scene.props} | {name}


def test_the_expert_says_what_it_lacks():
    oracle = Oracle()
    with pytest.raises(VlmBenchError, match='scored'):
        oracle.reset(EpisodeContext('go', bench().profile))
    with pytest.raises(VlmBenchError, match='received no ground truth'):
        oracle.act(Observation(0.0, {}, Pose(), 0.08))
