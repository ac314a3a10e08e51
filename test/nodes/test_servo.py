"""Twists and pose targets over DDS, by MoveIt Servo's rules: each message is worth one control period of lockstep."""

import numpy as np
import pinocchio as pin
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import PolicyClient
from rclpy.qos import ReliabilityPolicy
from running_bench import CHUNK, PANDA, RunningBench
from stand_in import StandIn
from test_trajectories import end, standing

from vlm_bench_sim.core.geometry import ZERO, Pose
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.base.qos import UNHEARD_PUBLISHER, qos
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import interface

pytestmark = pytest.mark.ros
ABORTED, EXECUTION_FAILED = 6, 106
HALT_FOR_COLLISION = 5
RAMP = 6
NAN = float('nan')


def newest(bench):
    """The stamp of the newest tick, ns."""
    return fields.read_stamp(bench.ticks[-1].header.stamp)


def twist(bench, linear=ZERO, angular=ZERO, frame='world', stamp=None):
    stamp = newest(bench) if stamp is None else stamp
    content = {'header': fields.header(stamp, frame), 'twist': {'linear': fields.vector(linear), 'angular': fields.vector(angular)}}
    bench.client.say(names.DELTA_TWIST, content)


def target(bench, pose, frame='world'):
    bench.client.say(names.POSE_TARGET, fields.pose_stamped(pose, newest(bench), frame))


def drive(bench, send, messages):
    """Send messages, each once the world has moved by the one before; return the tool's poses, one a period."""
    poses = [bench.now.tool]
    for _ in range(messages):
        before = bench.ticks[-1].seq
        send()
        bench.wait(lambda before=before: bench.ticks[-1].seq > before, 'a period')
        poses.append(bench.now.tool)
    return poses


def moved(poses):
    """Mean velocity, m/s, and turning, rad/s, after the arm has got going."""
    first, last, seconds = poses[RAMP], poses[-1], PERIOD_S * (len(poses) - 1 - RAMP)
    return np.subtract(last.position, first.position) / seconds, pin.log3(last.rotation @ first.rotation.T) / seconds


def test_each_twist_moves_the_tool_for_one_control_period_as_it_says(bench):
    wanted = np.array([0.02, -0.08, -0.05])
    poses = drive(bench, lambda: twist(bench, tuple(wanted)), 26)
    assert bench.still()
    assert [tick.seq for tick in bench.ticks] == list(range(27)), 'a period for each message, and no more'
    velocity, turning = moved(poses)
    assert np.linalg.norm(velocity - wanted) < 0.05 * np.linalg.norm(wanted)
    assert np.linalg.norm(turning) < 0.01


def test_a_turn_in_the_frame_of_the_hand(bench):
    wanted = np.array([0.0, 0.0, 0.3])
    poses = drive(bench, lambda: twist(bench, angular=tuple(wanted), frame='panda_hand'), 26)
    velocity, turning = moved(poses)
    assert np.linalg.norm(turning - poses[-1].rotation @ wanted) < 0.05 * 0.3
    assert np.linalg.norm(velocity) < 0.003


@pytest.mark.parametrize('frame', ['panda_link0', 'panda_hand'])
def test_a_twist_is_along_the_axes_of_its_frame(bench, frame):
    start = bench.now.tool
    axes = {'panda_link0': np.eye(3), 'panda_hand': start.rotation}[frame]
    velocity, _ = moved(drive(bench, lambda: twist(bench, (0.0, 0.03, 0.04), frame=frame), 20))
    assert np.linalg.norm(velocity - axes @ (0.0, 0.03, 0.04)) < 0.05 * 0.05


def test_a_pose_target_is_neared_period_by_period_and_then_nobody_needs_time(bench):
    goal = bench.now.tool.shifted((0.06, -0.05, -0.08))
    poses = drive(bench, lambda: target(bench, goal), 40)
    assert poses[-1].distance(goal) < 0.002 and poses[-1].angle(goal) < 0.01
    assert bench.still()
    assert len(bench.ticks) == 41


def silent(bench, send, words):
    """Send what is to be dropped: the log says why, and nothing moves."""
    before, log = len(bench.ticks), len(bench.log('arm_node'))
    send()
    bench.wait(lambda: words in bench.log('arm_node')[log:], f'a line in the log with {words!r}')
    assert bench.still(0.2)
    assert len(bench.ticks) == before
    bench.check()


DROPPED = {
    'no frame': (lambda bench: twist(bench, (0.1, 0.0, 0.0), frame=''), "The frame ''"),
    'an unknown frame': (lambda bench: twist(bench, (0.1, 0.0, 0.0), frame='moon'), "The frame 'moon'"),
    'NaN': (lambda bench: twist(bench, (NAN, 0.0, 0.0)), 'six finite numbers'),
    'infinity': (lambda bench: twist(bench, angular=(0.0, float('inf'), 0.0)), 'six finite numbers'),
    'a pose with NaN': (lambda bench: target(bench, Pose((NAN, 0.0, 0.0))), 'finite numbers'),
    'a pose without direction': (lambda bench: target(bench, Pose(ZERO, (0.0, 0.0, 0.0, 0.0))), 'quaternion other than zero'),
    'a pose in an unknown frame': (lambda bench: target(bench, Pose(), 'camera'), "The frame 'camera'"),
    'beyond all measure': (lambda bench: twist(bench, (1.7e308, 1.7e308, 1.7e308), frame='panda_hand'), 'six finite numbers'),
    'the wall clock': (lambda bench: twist(bench, (0.1, 0.0, 0.0), stamp=1_700_000_000 * 10**9), 'later than the joint states'),
    'an old stamp at rest': (lambda bench: twist(bench, (0.1, 0.0, 0.0), stamp=newest(bench) - 101_000_000), 'the arm halts'),
    'no stamp at rest': (lambda bench: twist(bench, (0.1, 0.0, 0.0), stamp=0), 'the arm halts'),
}


def await_arm(bench):
    """Wait until the arm node knows the newest tick, too: by its joint states an age is told."""

    def known():
        newest = ('arm_node', bench.token, bench.ticks[-1].seq)
        return any((ack.participant, ack.token, ack.seq) == newest for ack in bench.client.heard(names.ACK))

    bench.wait(known, 'the arm node to know the newest tick')


@pytest.mark.parametrize('why', DROPPED)
def test_what_breaks_a_rule_is_dropped_with_a_line_in_the_log(bench, why):
    bench.client.listen(names.ACK)
    bench.pass_time()  # so that there is a time 0.1 s ago
    await_arm(bench)
    send, words = DROPPED[why]
    silent(bench, lambda: send(bench), words)


@pytest.mark.parametrize(('row', 'node'), [(names.DELTA_TWIST, 'arm_node'), (CHUNK, 'sim_node')], ids=lambda it: getattr(it, 'name', it))
def test_who_publishes_best_effort_what_is_read_reliably_is_named(bench, row, node):
    profile = qos(row)
    profile.reliability = ReliabilityPolicy.BEST_EFFORT
    own = bench.client.nodes[0]
    unheard = own.create_publisher(interface(row.type), row.name, profile, event_callbacks=UNHEARD_PUBLISHER)
    try:
        bench.wait(lambda: f'{own.get_name()} publishes {row.name} best effort' in bench.log(node), 'a line in the log')
    finally:
        own.destroy_publisher(unheard)


def test_a_stamp_of_0_1_s_is_just_fresh_enough(bench):
    bench.pass_time()
    before = len(bench.ticks)
    twist(bench, (0.0, 0.05, 0.0), stamp=newest(bench) - 100_000_000)
    bench.wait(lambda: len(bench.ticks) > before, 'a period')
    assert bench.still()
    assert len(bench.ticks) == before + 1


@pytest.mark.parametrize('age_ns', [150_000_000, None])
def test_an_old_stamp_halts_the_arm_within_its_limits(bench, age_ns):
    bench.client.listen(names.ACK)
    drive(bench, lambda: twist(bench, (0.0, 0.2, 0.0)), 12)
    before, speed = bench.ticks[-1].seq, max(map(abs, bench.speeds))
    await_arm(bench)
    twist(bench, (0.0, 0.2, 0.0), stamp=0 if age_ns is None else newest(bench) - age_ns)
    bench.wait(lambda: bench.ticks[-1].seq > before and not bench.ticks[-1].arm_busy, 'the arm has braked')
    bench.settle()
    states = [fields.read_snapshot(s) for s in bench.states if s.seq >= before]
    speeds = np.array([[state.joints[name].velocity for name in PANDA.joints] for state in states])
    positions = np.array([state.arm(PANDA.joints) for state in states])
    skill_context = np.diff(positions, axis=0) / PERIOD_S
    assert speed > 0.1 and len(states) > 2, 'it takes more than a period'
    assert np.abs(speeds[-1]).max() < 0.01
    assert (np.abs(np.diff(skill_context, axis=0)) < 1.1 * np.asarray(PANDA.acceleration) * PERIOD_S).all()
    assert bench.still()


def test_it_halts_before_the_table_and_says_so(bench):
    bench.client.listen(names.SERVO_STATUS)
    said = bench.client.heard(names.SERVO_STATUS)

    def lower():
        drive(bench, lambda: twist(bench, (0.05, 0.0, -0.3)), 1)

    bench.client.insist(lower, lambda: said, 'a status')  # until the arm node knows who listens
    for _ in range(150):
        heard = len(said)
        lower()
        bench.wait(lambda heard=heard: len(said) > heard, 'a status')
        if said[-1].data == HALT_FOR_COLLISION:
            break
    bench.settle()
    assert said[-1].data == HALT_FOR_COLLISION
    before = len(bench.ticks)
    twist(bench, (0.05, 0.0, -0.3))
    bench.wait(lambda: len(bench.ticks) > before, 'a period, though the arm rests')
    assert bench.still() and len(bench.ticks) == before + 1
    assert 'HALT_FOR_COLLISION' in bench.log('arm_node')
    assert {0, 4} <= {status.data for status in said}, 'it slows down before'
    assert bench.now.tool.position[2] < 0.05
    touched = {pair for state in bench.client.heard(names.WORLD_STATE) for pair in fields.read_snapshot(state).touched}
    assert not [pair for pair in touched if 'robot' in pair]
    low = bench.now.tool.position[2]
    drive(bench, lambda: twist(bench, (0.0, 0.0, 0.1)), 12)
    assert bench.now.tool.position[2] > low + 0.02


def test_a_twist_takes_over_from_a_move(bench):
    move = {'target': fields.pose_stamped(Pose((0.4, 0.3, 0.4), (1.0, 0.0, 0.0, 0.0)), 0), 'speed': 0.01}
    with standing(bench) as proceed:
        sent = bench.client.send(names.MOVE_TCP, move)
        proceed(6)
        twist(bench, (0.0, 0.0, 0.05))
        answer = sent.result()
    assert (answer.status, answer.result.result.result) == (ABORTED, EXECUTION_FAILED)


def test_a_twist_without_an_episode_is_a_violation(bench):
    end(bench)
    bench.settle()  # the report may be heard before the last ticks, and a twist with an old stamp only halts the arm
    since = len(bench.log('sim_node'))
    twist(bench, (0.0, 0.0, 0.05))
    bench.wait(lambda: 'Ignored a trajectory on the topic' in bench.log('sim_node')[since:], 'the simulator to hear it')
    assert bench.still()
    bench.begin()
    assert bench.stop_episode().violations == 1


@pytest.fixture(scope='module')
def six(start_bench, module_domain):
    """A bench around a robot of six joints."""
    with start_bench(domain=module_domain, robot='ur5e') as bench:
        yield bench


def test_six_joints_do_it_too(six):
    six.begin()
    wanted = np.array([0.0, -0.06, -0.06])
    poses = drive(six, lambda: twist(six, tuple(wanted)), 26)
    assert six.still() and len(six.ticks) == 27
    velocity, turning = moved(poses)
    assert np.linalg.norm(velocity - wanted) < 0.05 * np.linalg.norm(wanted)
    assert np.linalg.norm(turning) < 0.01


@pytest.fixture
def far(domains, tmp_path):
    """A policy beside an arm node and a driver that is not ours and keeps its own time."""
    domain = domains()
    driver, client = StandIn(domain, PANDA), PolicyClient(domain, name='far_policy')
    bench = RunningBench(domain, tmp_path, only=('arm_node',), mode='realtime')
    yield client
    client.close()
    bench.stop()
    driver.close()


def test_another_driver_gets_trajectories_that_come_to_rest_by_themselves(far):
    """Where time does not wait, a message counts for 0.1 s and then brakes: silence halts, whoever has fallen silent."""
    client, chunk, kinematics = far, names.arm_names(PANDA)[1], Kinematics(PANDA)
    client.listen(names.JOINT_STATES, chunk)
    client.wait(lambda: client.heard(names.JOINT_STATES), 'the driver tells its joints')
    client.say(names.DELTA_TWIST, {})  # the first one waits until somebody listens

    def push():
        stamp = fields.read_stamp(client.heard(names.JOINT_STATES)[-1].header.stamp)
        content = {'header': fields.header(stamp, 'panda_link0'), 'twist': {'linear': fields.vector((0.0, 0.05, 0.0))}}
        client.say(names.DELTA_TWIST, content)

    for number in range(8):
        # Again from time to time: on a busy machine one is older than 0.1 s when it arrives, or the first answer comes before its hearer.
        client.insist(push, lambda number=number: len(client.heard(chunk)) > number, 'a trajectory')
        told = len(client.heard(names.JOINT_STATES))
        client.wait(lambda told=told: len(client.heard(names.JOINT_STATES)) > told, 'a period')
    for trajectory in client.heard(chunk):
        points = fields.read_trajectory(trajectory, PANDA.joints).points
        assert [point.time_ns for point in points] == [PERIOD_NS * (i + 1) for i in range(len(points))]
        assert len(points) > 2 and max(map(abs, points[-1].velocities)) < 1e-9 < max(map(abs, points[1].velocities))
    poses = [kinematics.tool_pose(point.positions) for point in points]
    assert np.subtract(poses[1].position, poses[0].position) / PERIOD_S == pytest.approx([0.0, 0.05, 0.0], abs=0.003)
