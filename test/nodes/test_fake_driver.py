"""The kinematic driver over DDS: what a real robot's driver serves, and the same manners as the simulator's."""

import time
from itertools import pairwise

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from running_bench import CHUNK, FOLLOW, PANDA
from running_driver import RunningDriver
from test_trajectories import (  # noqa: F401  (the same bodies, over the driver instead of the simulator; more in test_every_robot.py)
    AWAY,
    HOME,
    goal,
    point,
    test_a_cancel_at_the_start_and_a_second_one_are_answered_cleanly,
    test_the_same_goal_id_twice_is_rejected_and_moves_nothing_twice,
    tolerance,
)

from vlm_bench_sim.ros import fields, names

pytestmark = pytest.mark.ros
SUCCEEDED, ABORTED = 4, 6
TRIES = 5  # where a trajectory is over before a machine that others use has sent it


@pytest.fixture(scope='module')
def driver(module_domain, tmp_path_factory):
    with RunningDriver(module_domain, tmp_path_factory.mktemp('driver')) as running:
        yield running
    running.stop()


@pytest.fixture
def bench(driver):
    """Takes the place of the simulator's bench in the bodies above."""
    driver.check()
    driver.begin()
    return driver


def stamps(bench):
    return [fields.read_stamp(state.header.stamp) for state in bench.client.heard(names.JOINT_STATES)]


def on_time(bench):
    """Tell whether the driver owes no control period: those that it has slept through it runs at a stretch."""
    last = stamps(bench)[-2:]
    return len(last) == 2 and 0.04 < (last[1] - last[0]) * 1e-9 < 0.06 and time.time_ns() - last[1] < 50_000_000


def test_a_trajectory_ends_where_and_when_it_says(bench):
    bench.wait(lambda: on_time(bench), 'the driver to be on time')
    began = time.monotonic()
    sent = bench.client.send(FOLLOW, goal(point(1.0, AWAY, [0.0] * 7)))
    answer = sent.result()
    assert (answer.status, answer.result.error_code) == (SUCCEEDED, 0)
    assert time.monotonic() - began > 0.9, 'it has taken its time'
    assert bench.arm == pytest.approx(AWAY, abs=1e-9), 'nothing keeps it from where it is sent'
    assert len(bench.ticks) >= 20, 'twenty control periods, however late a busy machine runs some of them'
    if not sent.feedback:  # rclpy takes a result before the feedback that waits beside it, and drops that
        sent = bench.client.send(FOLLOW, goal(point(60.0, HOME)))
        bench.wait(lambda: sent.feedback, 'feedback')
    said = sent.feedback[-1].feedback
    assert list(said.actual.positions) == pytest.approx(list(said.desired.positions), abs=1e-9)


def test_positions_alone_on_the_topic_move_the_arm(bench):
    chunk = goal(point(0.4, HOME), point(0.8, AWAY))['trajectory']
    bench.client.insist(lambda: bench.client.say(CHUNK, chunk), lambda: len(bench.ticks) > 7, 'the chunk runs')
    assert bench.arm == pytest.approx(AWAY, abs=1e-9)


def test_a_stamp_whose_trajectory_is_over_is_rejected_by_the_systems_clock(bench):
    assert not bench.client.send(FOLLOW, goal(point(0.1, AWAY), stamp=time.time_ns() - 1_000_000_000)).accepted
    for _ in range(TRIES):
        sent = bench.client.send(FOLLOW, goal(point(1.5, HOME), stamp=time.time_ns()))
        if sent.accepted:
            break  # else it was over when it came
    assert sent.result().status == SUCCEEDED


def test_it_tells_what_a_driver_tells_twenty_times_a_second_by_the_systems_clock(bench):
    def awake():
        """Whether the last two seconds hold no gap so long that it may not be made up for."""
        return len(stamps(bench)) >= 41 and all(b - a < 5e8 for a, b in pairwise(stamps(bench)[-41:]))

    bench.client.wait(lambda: bench.client.heard(names.TF), 'frames')
    bench.client.wait(awake, 'two seconds of joint states')
    states, told = bench.client.heard(names.JOINT_STATES), stamps(bench)[-41:]
    assert abs(time.time_ns() - told[-1]) < 60e9
    late = [stamp * 1e-9 - i / 20 for i, stamp in enumerate(told)]  # as late as the machine makes it, and caught up with
    assert min(late[21:]) == pytest.approx(min(late[:20]), abs=0.1)
    assert list(states[0].name) == [*PANDA.joints, *PANDA.gripper.joints]
    assert {transform.child_frame_id for transform in bench.client.heard(names.TF)[-1].transforms} >= {'panda_link1', 'panda_leftfinger'}
    bench.client.listen(names.ROBOT_DESCRIPTION, names.TF_STATIC)
    bench.client.wait(lambda: bench.client.heard(names.ROBOT_DESCRIPTION) and bench.client.heard(names.TF_STATIC), 'the latched topics')


def test_it_tells_nothing_that_only_a_simulator_knows(bench):
    told = {name for name, _ in bench.client.nodes[0].get_topic_names_and_types()}
    services = {name for name, _ in bench.client.nodes[0].get_service_names_and_types()}
    assert names.JOINT_STATES.name in told
    assert not [name for name in told | services if name.startswith(('/clock', '/sim/', '/truth/', '/vlm_bench_sim/'))]


def test_an_arm_that_lags_violates_a_path_that_the_arm_itself_could_follow(domains, tmp_path):
    asked = goal(point(1.0, tuple(q + (1.5 if i == 0 else 0.0) for i, q in enumerate(HOME)))) | {'path_tolerance': tolerance(0.1)}
    with RunningDriver(domains(), tmp_path, speed=0.3) as slow:
        answer = slow.client.send(FOLLOW, asked).result()
        assert (answer.status, answer.result.error_code) == (ABORTED, -4)
        held = slow.arm
        assert HOME[0] < held[0] < HOME[0] + 1.4
        slow.stop()
