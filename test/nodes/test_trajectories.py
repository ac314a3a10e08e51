"""FollowJointTrajectory and the trajectory topic, over DDS, behave as ros2_controllers' joint_trajectory_controller does."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import new_id
from running_bench import CHUNK, FOLLOW, PANDA

from vlm_bench_sim.ros import fields, names

pytestmark = pytest.mark.ros
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
JOINTS = list(PANDA.joints)
HOME = PANDA.home
AWAY = tuple(q + d for q, d in zip(HOME, (0.3, 0, 0, 0, 0, 0, 0.2), strict=True))
REST = [0.0] * 7


def point(seconds, positions, velocities=(), **more):
    return {'time_from_start': fields.stamp(round(seconds * 1e9)), 'positions': list(positions), 'velocities': list(velocities)} | more


def goal(*points, joints=JOINTS, stamp=0, **more):
    return {'trajectory': {'header': fields.header(stamp), 'joint_names': list(joints), 'points': list(points)}} | more


def tolerance(value, *joints):
    return [{'name': name, 'position': float(value)} for name in joints or JOINTS]


MOVE = goal(point(1.0, AWAY, REST))
NAN, INF = float('nan'), float('inf')
REJECTED = {
    'an unknown joint': (goal(point(1.0, AWAY), joints=[*JOINTS[:6], 'elbow']), "'elbow'"),
    'too few joints': (goal(point(1.0, AWAY[:6]), joints=JOINTS[:6]), 'Name them all'),
    'a joint named twice': (goal(point(1.0, AWAY), joints=[*JOINTS[:6], JOINTS[0]]), 'once'),
    'no joints': (goal(point(1.0, ()), joints=[]), 'Name them all'),
    'no points': (goal(), 'no points'),
    'too few positions': (goal(point(1.0, AWAY[:6])), '6 positions'),
    'too many velocities': (goal(point(1.0, AWAY, [0.0] * 8)), '8 velocities'),
    'too few accelerations': (goal(point(1.0, AWAY, accelerations=[0.0])), '1 accelerations'),
    'equal times': (goal(point(1.0, HOME), point(1.0, AWAY)), 'strictly increase'),
    'falling times': (goal(point(1.0, HOME), point(0.5, AWAY)), 'strictly increase'),
    'a negative time': (goal(point(-1.0, AWAY)), 'strictly increase'),
    'a last velocity': (goal(point(1.0, AWAY, [0.1, *REST[1:]])), 'last velocity'),
    'a position that is no number': (goal(point(1.0, (NAN, *AWAY[1:]))), 'not finite'),
    'an infinite velocity': (goal(point(0.5, HOME, [INF, *REST[1:]]), point(1.0, AWAY)), 'not finite'),
    'a tolerance that is no number': (goal(point(1.0, AWAY), path_tolerance=tolerance(NAN)), 'tolerance'),
    'a tolerance of an unknown joint': (goal(point(1.0, AWAY), goal_tolerance=tolerance(0.1, 'elbow')), "'elbow'"),
}


@pytest.mark.parametrize('why', REJECTED)
def test_what_no_arm_could_follow_is_rejected_with_a_reason_and_the_arm_holds(bench, why):
    asked, reason = REJECTED[why]
    before = len(bench.log('sim_node'))
    assert not bench.client.send(FOLLOW, asked).accepted
    bench.wait(lambda: 'rejected' in bench.log('sim_node')[before:], 'a line in the log')
    assert reason in bench.log('sim_node')[before:]
    assert [tick.seq for tick in bench.ticks] == [0]
    bench.check()


def test_a_trajectory_moves_the_arm_where_it_says(bench):
    sent = bench.client.send(FOLLOW, MOVE)
    answer = sent.result()
    assert (answer.status, answer.result.error_code) == (SUCCEEDED, 0)
    assert bench.arm == pytest.approx(AWAY, abs=PANDA.goal_tolerance)
    assert bench.now.seq >= 20, 'a second of trajectory takes a second of simulated time'
    said = sent.feedback[-1].feedback
    assert list(said.joint_names) == JOINTS
    assert np.array(said.desired.positions) - said.actual.positions == pytest.approx(np.array(said.error.positions))


def test_joints_in_another_order_are_put_in_order(bench):
    order = [3, 6, 0, 1, 5, 2, 4]
    sent = bench.client.send(FOLLOW, goal(point(1.0, [AWAY[i] for i in order]), joints=[JOINTS[i] for i in order]))
    assert sent.result().status == SUCCEEDED
    assert bench.arm == pytest.approx(AWAY, abs=PANDA.goal_tolerance)


def test_a_stamp_whose_trajectory_is_over_is_rejected_and_one_that_is_not_runs(bench):
    bench.pass_time()
    now = fields.read_stamp(bench.ticks[-1].header.stamp)
    before = len(bench.log('sim_node'))
    assert not bench.client.send(FOLLOW, goal(point(0.1, AWAY), stamp=now - 200_000_000)).accepted
    assert 'would be over by now' in bench.log('sim_node')[before:]
    assert bench.client.send(FOLLOW, goal(point(0.3, HOME), stamp=now)).result().status == SUCCEEDED


def test_a_second_goal_aborts_the_first(bench):
    first = bench.client.send(FOLLOW, goal(point(5.0, AWAY)))
    second = bench.client.send(FOLLOW, goal(point(1.0, HOME)))
    answer = first.result()
    assert (answer.status, answer.result.error_code) == (ABORTED, -1)
    assert 'reempted' in answer.result.error_string
    assert second.result().status == SUCCEEDED
    assert bench.arm == pytest.approx(HOME, abs=PANDA.goal_tolerance)


def test_a_cancel_in_the_middle_holds_the_arm_where_it_is(bench):
    sent = bench.client.send(FOLLOW, goal(point(20.0, tuple(q + 2.0 if i == 0 else q for i, q in enumerate(HOME)))))
    bench.wait(lambda: len(bench.ticks) > 5, 'the arm moves')
    assert len(sent.cancel().goals_canceling) == 1
    answer = sent.result()
    assert (answer.status, answer.result.error_code) == (CANCELED, 0)
    assert bench.still(), 'nobody needs time'
    held = bench.arm
    assert HOME[0] + 0.01 < held[0] < HOME[0] + 1.9
    bench.pass_time()
    assert bench.arm == pytest.approx(held, abs=0.02), 'it neither snaps back nor goes on'
    assert bench.speeds == pytest.approx(REST, abs=1e-3)


def test_a_cancel_at_the_start_and_a_second_one_are_answered_cleanly(bench):
    sent = bench.client.send(FOLLOW, goal(point(20.0, AWAY)))
    assert len(sent.cancel().goals_canceling) == 1
    assert sent.result().status == CANCELED
    again = sent.cancel()
    assert not again.goals_canceling and again.return_code != 0
    assert bench.client.send(FOLLOW, goal(point(0.5, bench.arm))).result().status == SUCCEEDED


def test_the_same_goal_id_twice_is_rejected_and_moves_nothing_twice(bench):
    number = new_id()
    first = bench.client.send(FOLLOW, MOVE, goal_id=number)
    twin = bench.client.send(FOLLOW, goal(point(1.0, HOME)), goal_id=number)
    assert first.accepted and not twin.accepted
    assert first.result().status == SUCCEEDED
    assert bench.arm == pytest.approx(AWAY, abs=PANDA.goal_tolerance)


FAR = goal(point(0.05, tuple(q + 1.0 if i == 0 else q for i, q in enumerate(HOME))), point(2.0, HOME))


@pytest.mark.parametrize('value', [0.05])
def test_leaving_the_path_aborts_and_holds(bench, value):
    answer = bench.client.send(FOLLOW, FAR | {'path_tolerance': tolerance(value)}).result()
    assert (answer.status, answer.result.error_code) == (ABORTED, -4)
    held = bench.arm
    assert bench.still()
    bench.pass_time()
    assert bench.arm == pytest.approx(held, abs=0.1)
    assert bench.speeds == pytest.approx(REST, abs=1e-3)


@pytest.mark.parametrize('value', [0, -1, -3])
def test_a_path_tolerance_of_zero_or_less_checks_nothing_by_default(bench, value):
    before = len(bench.log('sim_node'))
    assert bench.client.send(FOLLOW, FAR | {'path_tolerance': tolerance(value)}).result().status == SUCCEEDED
    assert ('is negative and not -1' in bench.log('sim_node')[before:]) == (value == -3)


TINY_TIME = {'goal_time_tolerance': fields.stamp(1_000_000)}
JUMP = goal(point(0.05, AWAY))


@pytest.mark.parametrize(('value', 'code'), [(1e-9, -5), (0, -5), (-3, -5), (-1, 0)])
def test_a_goal_that_is_not_met_in_time_aborts_unless_it_has_no_tolerance(bench, value, code):
    before = len(bench.log('sim_node'))
    answer = bench.client.send(FOLLOW, JUMP | TINY_TIME | {'goal_tolerance': tolerance(value)}).result()
    assert (answer.status, answer.result.error_code) == (SUCCEEDED if code == 0 else ABORTED, code)
    assert ('is negative and not -1' in bench.log('sim_node')[before:]) == (value == -3)
    assert bench.still()


def test_the_time_to_settle_is_the_default_at_zero_and_endless_at_minus_one(bench):
    jump = goal(point(0.05, tuple(q + 2.5 if i == 0 else q for i, q in enumerate(HOME))))
    for seconds, expected in ((0, -5), (-2, -5), (-1, 0)):
        bench.begin()
        answer = bench.client.send(FOLLOW, jump | {'goal_time_tolerance': {'sec': seconds}}).result()
        assert answer.result.error_code == expected, answer.result.error_string


def test_a_reset_aborts_what_runs_and_the_arm_holds_the_new_pose(bench):
    running = bench.client.send(FOLLOW, goal(point(20.0, AWAY)))
    bench.wait(lambda: len(bench.ticks) > 3, 'the arm moves')
    old = bench.token
    bench.begin()
    answer = running.result()
    assert (answer.status, answer.result.error_code) == (ABORTED, -1)
    assert bench.report(old).verdict == 2, 'to begin again is no way out of a failure'
    assert next(iter(bench.report(old).causes)) == 'abandoned'
    assert bench.arm == pytest.approx(HOME, abs=1e-3)
    bench.pass_time()
    assert bench.arm == pytest.approx(HOME, abs=5e-3), 'nothing snaps back'


def test_the_end_of_the_episode_aborts_what_runs(bench):
    running = bench.client.send(FOLLOW, goal(point(50.0, AWAY)))
    report = bench.stop_episode()
    assert running.result().status == ABORTED
    assert list(report.causes) == ['stopped']


def test_positions_alone_on_the_topic_move_the_arm(bench):
    bench.client.say(CHUNK, goal(point(0.4, HOME), point(0.8, AWAY))['trajectory'])
    bench.wait(lambda: len(bench.ticks) >= 17, 'the chunk runs')
    assert bench.still()
    assert bench.arm == pytest.approx(AWAY, abs=PANDA.goal_tolerance)


def test_a_malformed_chunk_is_ignored_and_said(bench):
    before = len(bench.log('sim_node'))
    bench.client.say(CHUNK, goal(point(0.4, (NAN, *HOME[1:])))['trajectory'])
    bench.wait(lambda: 'ignored' in bench.log('sim_node')[before:], 'a line in the log')
    assert [tick.seq for tick in bench.ticks] == [0]


def test_a_chunk_on_the_topic_preempts_a_goal(bench):
    first = bench.client.send(FOLLOW, goal(point(5.0, AWAY)))
    bench.client.say(CHUNK, goal(point(0.5, HOME))['trajectory'])
    answer = first.result()
    assert (answer.status, answer.result.error_code) == (ABORTED, -1)


@pytest.mark.parametrize('size', [1e3, 1e308])
def test_absurd_numbers_leave_the_world_whole(bench, size):
    sent = bench.client.send(FOLLOW, goal(point(0.1, (size, *HOME[1:]))))
    if sent.accepted:
        assert sent.result().status == ABORTED
    assert np.isfinite(bench.arm).all()
    bench.check()
    bench.begin()
    assert bench.client.send(FOLLOW, MOVE).result().status == SUCCEEDED


def test_a_goal_before_the_start_or_after_the_end_is_rejected_and_a_violation_of_the_next_report(bench):
    bench.stop_episode()
    assert not bench.client.send(FOLLOW, MOVE).accepted
    bench.client.say(CHUNK, MOVE['trajectory'])
    assert bench.still(0.3)
    bench.begin()
    assert bench.client.send(FOLLOW, goal(point(0.2, HOME))).result().status == SUCCEEDED
    report = bench.stop_episode()
    assert report.violations == 2


def test_joint_states_tell_every_joint_once_a_period(bench):
    bench.client.send(FOLLOW, MOVE).result()
    bench.settle()
    bench.wait(lambda: len(bench.client.heard(names.JOINT_STATES)) >= len(bench.ticks), 'a joint state for each tick')
    state = bench.client.heard(names.JOINT_STATES)[-1]
    assert list(state.name) == JOINTS + list(PANDA.gripper.joints)
    assert fields.read_stamp(state.header.stamp) == fields.read_stamp(bench.ticks[-1].header.stamp)
