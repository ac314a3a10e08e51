"""Trajectories in an episode: its start, reset and end, and goals that come outside. A driver's manners are in `test_every_robot.py`."""

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


def test_a_goal_before_the_start_or_after_the_end_is_rejected_and_a_violation_of_the_next_report(bench):
    bench.stop_episode()
    assert not bench.client.send(FOLLOW, MOVE).accepted
    since = len(bench.log('sim_node'))
    bench.client.say(CHUNK, MOVE['trajectory'])
    bench.wait(lambda: 'Ignored a trajectory on the topic' in bench.log('sim_node')[since:], 'the simulator to hear it')
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
