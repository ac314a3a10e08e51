"""Trajectories in an episode: its start, reset and end, and goals that come outside. A driver's manners are in `test_every_robot.py`."""

from contextlib import contextmanager

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import new_id
from running_bench import CHUNK, FOLLOW, LEAVE, OK, PANDA

from vlm_bench_sim.ros import fields, names

pytestmark = pytest.mark.ros
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
POLICY = 0  # of JoinRequest
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


@contextmanager
def standing(bench):
    """Hold the world, but for the periods that the test asks for: on a busy machine a goal would be over before the test goes on."""

    def joins(role):
        if 'sim_node' in bench.specs:  # a driver's time passes by itself
            assert bench.client.ask(names.JOIN, {'participant': 'brake', 'role': role}, again=True).result.result == OK

    def proceed(periods):
        for seq in range(periods):
            ack = {'participant': 'brake', 'token': bench.token, 'seq': seq}
            bench.client.insist(
                lambda ack=ack: bench.client.say(names.ACK, ack), lambda seq=seq: bench.ticks[-1].seq > seq, f'tick {seq + 1}'
            )

    joins(POLICY)
    try:
        yield proceed
    finally:
        joins(LEAVE)


def end(bench):
    """End the episode and return its report. A goal that runs is aborted by that: the simulator knows of the end, too."""
    with standing(bench):
        running = bench.client.send(FOLLOW, goal(point(50.0, AWAY)))
        assert bench.client.ask(names.STOP_EPISODE, {}).result.result == OK
    report = bench.report()
    assert running.result().status == ABORTED
    return report


def test_a_cancel_at_the_start_and_a_second_one_are_answered_cleanly(bench):
    with standing(bench):
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
    with standing(bench) as proceed:
        running = bench.client.send(FOLLOW, goal(point(20.0, AWAY)))
        proceed(4)
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
    assert list(end(bench).causes) == ['stopped']


def test_a_goal_before_the_start_or_after_the_end_is_rejected_and_a_violation_of_the_next_report(bench):
    end(bench)
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
    stamps = {fields.read_stamp(tick.header.stamp) for tick in bench.ticks}

    def told():
        return {fields.read_stamp(state.header.stamp) for state in bench.client.heard(names.JOINT_STATES)}

    bench.wait(lambda: stamps <= told(), 'a joint state for each tick')
    state = bench.client.heard(names.JOINT_STATES)[-1]
    assert list(state.name) == JOINTS + list(PANDA.gripper.joints)
    assert fields.read_stamp(state.header.stamp) == fields.read_stamp(bench.ticks[-1].header.stamp)
