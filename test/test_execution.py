"""The command for a control period: arm and gripper at once, and what it leaves behind."""

import numpy as np
import pytest

from vlm_bench_sim.core.command import Both, Chunk, Joints, Point, Stop, Wait
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.execution import Execution
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.variation.streams import PUBLIC


@pytest.fixture(scope='module')
def bench():
    bench = Bench()
    yield bench
    bench.close()


@pytest.fixture
def execution(bench):
    scene = catalogue.build('vlmbench/pick_place', 'seen', 3).scene
    bench.world.load(scene)
    execution = Execution(bench.world, bench.planner, streams=PUBLIC, truth=False)
    execution.reset(scene)
    return execution


def carry_out(bench, execution, command, most=100):
    """Carry a command out and return how many periods it took."""
    execution.begin(command)
    for periods in range(most):
        if not execution.busy:
            return periods
        bench.world.step()
    raise AssertionError('it never ends')


def away(bench, by):
    return Joints(tuple(np.asarray(bench.profile.home) + by))


def test_it_lasts_a_period_whatever_still_moves(bench, execution):
    assert carry_out(bench, execution, Both(away(bench, 0.5), Grip(0.0))) == 1
    assert execution.settle().done
    assert carry_out(bench, execution, Both()) == 1
    assert bench.world.snapshot.opening < 0.079, 'the fingers go on to close'
    assert carry_out(bench, execution, Wait(0.05)) > 2, 'any other command waits until all have come to rest'


def test_the_hand_opens_on_the_way_of_a_trajectory(bench, execution):
    carry_out(bench, execution, Both(gripper=Grip(0.0)))
    carry_out(bench, execution, Wait(0.5))
    there = away(bench, 0.4)
    assert carry_out(bench, execution, Both(Chunk((Point(20 * PERIOD_NS, there.positions),)))) == 1
    assert all(carry_out(bench, execution, Both()) == 1 for _ in range(5))
    assert carry_out(bench, execution, Both(gripper=Grip(0.08))) == 1
    moved = np.asarray(bench.world.commanded) - bench.profile.home
    assert moved == pytest.approx([0.4 * 7 / 20] * 7, abs=1e-4), 'the arm is on its way, and neither a hold nor the fingers have stopped it'
    assert carry_out(bench, execution, Both(away(bench, 0.41 * 7 / 20))) == 1, 'and a stream takes over from where it is'
    assert bench.world.snapshot.opening > 0.005


def test_an_episode_after_one_that_ended_with_it_waits_for_what_moves(bench, execution):
    carry_out(bench, execution, Both(away(bench, 0.5)))
    execution.reset(catalogue.build('vlmbench/pick_place', 'seen', 3).scene)
    assert execution.busy, 'the arm still runs'
    execution.begin(Stop())


def test_an_arm_that_moves_holds_when_the_policy_stops(bench, execution):
    carry_out(bench, execution, Both(away(bench, 1.0)))
    execution.stop()
    held = bench.world.commanded
    for _ in range(10):
        bench.world.step()
    assert bench.world.commanded == held
    assert np.abs(np.asarray(held) - bench.profile.home).max() < 0.2


HOME = robot('panda').home
WRONG = [
    Both(Joints((0.1, 0.2))),
    Both(Joints((9.0,) * 7)),
    Both(Chunk(())),
    Both(Chunk((Point(PERIOD_NS, (9.0,) * 7),))),
    Both(Chunk((Point(PERIOD_NS, robot('panda').home),)), Grip(0.5)),
    Both(gripper=Seal(on=True)),
    Both(Joints(HOME), Seal(on=True)),
    Both(Joints(HOME), Grip(0.5)),
]


@pytest.mark.parametrize('wrong', WRONG)
def test_what_cannot_begin_takes_no_time_and_says_why(bench, execution, wrong):
    assert carry_out(bench, execution, wrong) == 0
    outcome = execution.settle()
    assert not outcome.done
    assert outcome.text
    assert bench.world.arm is not MotionState.RUNNING, 'no part of it has begun'


def test_after_one_that_could_not_begin_the_arm_goes_on_from_where_it_is(bench, execution):
    carry_out(bench, execution, Both(Joints((9.0,) * 7)))
    carry_out(bench, execution, Both(away(bench, 0.01)))
    moved = np.asarray(bench.world.commanded) - bench.profile.home
    assert moved == pytest.approx([0.01] * 7, abs=1e-4)
