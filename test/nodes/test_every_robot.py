"""The manners of a robot's driver, asked for by a client that imports nothing of ours: every robot, over physics.

The same bodies run over bare kinematics in `test_every_robot_kinematic.py`.
"""

import ast
import sys
from itertools import cycle, islice
from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import plain_client
from control_msgs.msg import JointTolerance
from plain_client import ABORTED, CANCELED, SUCCEEDED, duration, point, tolerances
from served_robot import SimulatedRobot

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.profiles import robot as profile_of
from vlm_bench_sim.profiles import robots
from vlm_bench_sim.ros import fields, names

pytestmark = pytest.mark.ros
NAN, INF = float('nan'), float('inf')
INVALID_GOAL, LEFT_PATH, MISSED_GOAL = -1, -4, -5
KIND = SimulatedRobot
TRIES = 5  # where what is tested is over before a machine that others use has come to it
QUICK = 'panda'  # with fingers; the others are slow tests, and one with cups is quick over bare kinematics


@pytest.fixture(scope='module')
def fleet(request, module_domains, tmp_path_factory):
    """Hands out robots; while one is tested, the next one starts in another domain."""
    items = (item for item in request.session.items if item.module is request.module and 'fleet' in item.fixturenames)
    chosen = dict.fromkeys(item.callspec.params['served'] for item in items)
    kind, domains, started = request.module.KIND, cycle([module_domains(), module_domains()]), []
    starts = ((name, kind(next(domains), tmp_path_factory.mktemp(name), name)) for name in chosen)

    def start_one():
        started.extend(islice(starts, 1))

    def take(name):
        if not started:
            start_one()
        due, robot = started.pop(0)
        assert due == name
        start_one()
        return robot

    yield take
    for _, robot in started:
        robot.stop()


@pytest.fixture(scope='module', params=[pytest.param(name, marks=() if name == QUICK else pytest.mark.slow) for name in robots()])
def served(request, fleet):
    robot = fleet(request.param)
    try:
        yield robot.__enter__()
    finally:
        robot.stop()


@pytest.fixture
def robot(served):
    return served.ready()


@pytest.fixture
def plain(robot):
    return robot.plain


def test_the_client_imports_nothing_of_ours():
    tree = ast.parse(Path(plain_client.__file__).read_text())
    imported = {node.module.split('.')[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name.split('.')[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    messages = {'builtin_interfaces', 'control_msgs', 'sensor_msgs', 'std_msgs', 'trajectory_msgs'}
    assert imported - set(sys.stdlib_module_names) == {'rclpy', *messages}


# what it is


def test_it_tells_what_it_is_under_the_names_of_its_profile(robot, plain):
    profile = robot.profile
    follow, chunk, grip = names.arm_names(profile)
    assert plain.names == {'arm': follow.name, 'gripper': grip.name, 'joints': names.parallel_gripper(profile).name}
    assert plain.topic == chunk.name
    assert plain.arm == list(profile.joints)
    assert plain.limits == list(profile.limits)
    assert plain.home == pytest.approx(list(profile.home), abs=2e-3)
    assert list(plain.states[-1].name) == [*profile.joints, *profile.gripper.joints]


# trajectories


def test_a_trajectory_moves_the_arm_where_and_when_it_says(robot, plain):
    rest = [0.0] * len(plain.arm)
    for _ in range(TRIES):
        before = len(plain.states)
        sent = plain.move(point(0.5, plain.away(), rest))
        answer = sent.result()
        assert (answer.status, answer.result.error_code) == (SUCCEEDED, 0)
        assert robot.still() == pytest.approx(plain.away(), abs=robot.profile.goal_tolerance)
        assert len(plain.states) - before >= 10, 'half a second of control periods'
        if sent.feedback:
            break
        robot.ready()  # rclpy takes a result before the feedback that waits beside it, and drops that
    said = sent.feedback[-1]
    assert list(said.joint_names) == plain.arm
    error = [d - a for d, a in zip(said.desired.positions, said.actual.positions, strict=True)]
    assert list(said.error.positions) == pytest.approx(error)


def test_joints_in_another_order_are_put_in_order(robot, plain):
    order = [*range(1, len(plain.arm), 2), *range(0, len(plain.arm), 2)]
    goal = [q + 0.1 - 0.04 * i for i, q in enumerate(plain.home)]
    sent = plain.move(point(0.5, [goal[i] for i in order]), joints=[plain.arm[i] for i in order])
    assert sent.result().status == SUCCEEDED
    assert robot.still() == pytest.approx(goal, abs=robot.profile.goal_tolerance)


REJECTED = {
    'an unknown joint': (lambda c: c.move(point(1.0, c.home), joints=[*c.arm[:-1], 'tail']), "'tail'"),
    'too few joints': (lambda c: c.move(point(1.0, c.home[1:]), joints=c.arm[1:]), 'Name them all'),
    'a joint named twice': (lambda c: c.move(point(1.0, c.home), joints=[*c.arm[:-1], c.arm[0]]), 'once'),
    'no joints': (lambda c: c.move(point(1.0, ()), joints=[]), 'Name them all'),
    'no points': (lambda c: c.move(), 'no points'),
    'too few positions': (lambda c: c.move(point(1.0, c.home[1:])), 'positions and 0 velocities'),
    'too many velocities': (lambda c: c.move(point(1.0, c.home, [0.0] * 9)), '9 velocities'),
    'too few accelerations': (lambda c: c.move(point(1.0, c.home, (), [0.0])), '1 accelerations'),
    'equal times': (lambda c: c.move(point(1.0, c.home), point(1.0, c.away())), 'strictly increase'),
    'falling times': (lambda c: c.move(point(1.0, c.home), point(0.5, c.away())), 'strictly increase'),
    'a negative time': (lambda c: c.move(point(-1.0, c.away())), 'strictly increase'),
    'a last velocity': (lambda c: c.move(point(1.0, c.away(), [0.1] * len(c.arm))), 'last velocity'),
    'NaN': (lambda c: c.move(point(1.0, c.away(NAN))), 'not finite'),
    'Inf': (lambda c: c.move(point(0.5, c.home, [INF] * len(c.arm)), point(1.0, c.away())), 'not finite'),
    'NaN that nobody reads': (lambda c: c.move(point(1.0, c.away(), (), [NAN] * len(c.arm))), 'not finite'),
    'a joint beyond its limits': (lambda c: c.move(point(1.0, c.home), point(2.0, c.away(9.0))), 'its limits are'),
    'absurdly far': (lambda c: c.move(point(1.0, c.away(1e308))), 'its limits are'),
    'a tolerance that is no number': (lambda c: c.move(point(1.0, c.home), path_tolerance=tolerances(NAN, c.arm[0])), 'tolerance'),
    'a tolerance of a speed that is no number': (
        lambda c: c.move(point(1.0, c.home), path_tolerance=[JointTolerance(name=c.arm[0], velocity=NAN)]),
        'tolerance',
    ),
    'a tolerance of an unknown joint': (lambda c: c.move(point(1.0, c.home), goal_tolerance=tolerances(0.1, 'tail')), "'tail'"),
    'a stamp in the past': (lambda c: c.move(point(0.1, c.home), start=max(0.001, c.seconds - 5.0)), 'would be over by now'),
}


@pytest.mark.parametrize('why', REJECTED)
def test_what_no_arm_could_follow_is_rejected_with_a_reason_and_the_arm_holds(served, why):
    served.check()
    send, reason = REJECTED[why]
    if why == 'a stamp in the past':
        served.ready().plain.move(point(0.2, served.plain.away(0.1)), point(0.4, served.plain.home)).result()
        served.settle()
    before, since = served.plain.positions(), len(served.said())
    assert not send(served.plain).accepted
    served.hears('rejected', since)
    assert reason in served.said(since)
    assert served.still() == pytest.approx(before, abs=1e-3)


@pytest.mark.parametrize(('joint', 'position'), [(5, 0.3), (3, -0.1)])
def test_a_pose_that_the_panda_takes_and_the_fr3_refuses(robot, plain, joint, position):
    """One chain, two sets of limits: joint 6 of the FR3 turns from 0.5445 to 4.5169, joint 4 from -3.0421 to -0.1518 rad."""
    if robot.name not in ('panda', 'fr3'):
        pytest.skip('about the two Frankas')
    pose = [position if i == joint else q for i, q in enumerate(plain.home)]
    since = len(robot.said())
    sent = plain.move(point(1.5, pose))
    assert sent.accepted == (robot.name == 'panda')
    if sent.accepted:
        assert sent.result().status == SUCCEEDED
        assert robot.still() == pytest.approx(pose, abs=robot.profile.goal_tolerance)
    else:
        low, high = profile_of('fr3').limits[joint]
        robot.hears(f'fr3_joint{joint + 1} to {position:g} rad; its limits are {low:g} and {high:g} rad', since)


def test_a_second_goal_aborts_the_first(robot, plain):
    first = plain.move(point(1200.0, plain.away()))
    second = plain.move(point(0.3, plain.away(-0.1)))
    answer = first.result()
    assert (answer.status, answer.result.error_code) == (ABORTED, INVALID_GOAL)
    assert 'reempted' in answer.result.error_string
    assert second.result().status == SUCCEEDED
    assert robot.still() == pytest.approx(plain.away(-0.1), abs=robot.profile.goal_tolerance)


def test_a_cancel_holds_the_arm_where_it_is(robot, plain):
    sent = plain.move(point(0.5, plain.away(0.02)), point(1200.0, plain.away(2.5)))
    plain.wait(lambda: sent.feedback and plain.positions()[0] > plain.home[0] + 0.01, 'the arm moves')
    assert len(sent.cancel().goals_canceling) == 1
    answer = sent.result()
    assert (answer.status, answer.result.error_code) == (CANCELED, 0)
    held = robot.still()
    assert plain.home[0] < held[0] < plain.home[0] + 2.4
    robot.pass_time()
    assert robot.still() == pytest.approx(held, abs=0.02), 'it neither snaps back nor goes on'
    again = sent.cancel()
    assert not again.goals_canceling
    assert again.return_code != 0


def far(plain):
    """A trajectory that leaps ahead of any arm, and back."""
    return point(0.05, plain.away(1.0)), point(1.5, plain.home)


def test_leaving_the_path_aborts_and_the_arm_holds(robot, plain):
    answer = plain.move(*far(plain), path_tolerance=tolerances(0.05, *plain.arm)).result()
    assert (answer.status, answer.result.error_code) == (ABORTED, LEFT_PATH)
    held = robot.still()
    robot.pass_time()
    assert robot.still() == pytest.approx(held, abs=0.1)


@pytest.mark.parametrize('value', [0, -1, -3])
def test_a_path_tolerance_of_zero_or_less_checks_nothing_by_default(robot, plain, value):
    since = len(robot.said())
    assert plain.move(*far(plain), path_tolerance=tolerances(value, *plain.arm)).result().status == SUCCEEDED
    assert robot.said(since).count('is negative and not -1') == (len(plain.arm) if value == -3 else 0)


@pytest.mark.parametrize(('value', 'code'), [(1e-9, MISSED_GOAL), (0, MISSED_GOAL), (-3, MISSED_GOAL), (-1, 0)])
def test_a_goal_that_is_not_met_in_time_aborts_unless_it_has_no_tolerance(robot, plain, value, code):
    since = len(robot.said())
    leap = point(0.05, plain.away(0.5))
    answer = plain.move(leap, goal_tolerance=tolerances(value, *plain.arm), goal_time_tolerance=duration(0.001)).result()
    assert (answer.status, answer.result.error_code) == (SUCCEEDED if code == 0 else ABORTED, code)
    assert ('is negative and not -1' in robot.said(since)) == (value == -3)


def test_the_time_to_settle_is_the_default_at_zero_and_endless_at_minus_one(robot, plain):
    for seconds, code in ((0, MISSED_GOAL), (-2, MISSED_GOAL), (-1, 0)):
        robot.ready()
        answer = plain.move(point(0.05, plain.away(2.0)), goal_time_tolerance=duration(seconds)).result()
        assert answer.result.error_code == code, answer.result.error_string


def test_a_later_stamp_means_that_each_point_is_reached_later(robot, plain):
    early = []
    for _ in range(TRIES):
        before, start = len(plain.states), plain.seconds + 1.0
        sent = plain.move(point(0.1, plain.away(0.2)), point(0.3, plain.away(0.4)), start=start)
        if sent.accepted and plain.seconds < start - 0.5:
            assert sent.result().status == SUCCEEDED
            robot.settle()
            there = {(s.header.stamp.sec + s.header.stamp.nanosec * 1e-9) - start: plain.positions(s)[0] for s in plain.states[before:]}
            early = [q for time, q in there.items() if time < -0.5]
        if early:
            break
        robot.ready()  # it came too late, or nothing was told meanwhile, as may happen where time does not wait
    assert max(early) < plain.home[0] + 0.15, 'it would be beyond, had it begun its points at once'
    assert robot.still() == pytest.approx(plain.away(0.4), abs=robot.profile.goal_tolerance)


def test_an_earlier_stamp_goes_on_where_the_trajectory_is_by_now(robot, plain):
    assert plain.move(point(0.4, plain.away(0.1)), point(0.8, plain.home)).result().status == SUCCEEDED  # so much time has passed
    for _ in range(TRIES):
        robot.settle()
        begun, before = plain.seconds, len(plain.states)
        sent = plain.move(point(0.2, plain.home), point(1.2, plain.away()), start=begun - 0.6)
        if sent.accepted:
            break  # else all of it was over when it came, as may happen where time does not wait
    assert sent.result().status == SUCCEEDED
    there = pytest.approx(plain.away(), abs=robot.profile.goal_tolerance)
    assert robot.still() == there
    periods = next(i for i, s in enumerate(plain.states[before:], 1) if plain.positions(s) == there)  # each tells one, however late
    assert periods * 0.05 < 1.1, 'from its first point on it would take 1.2 s'


# the topic


def test_positions_alone_on_the_topic_move_the_arm(robot, plain):
    plain.publish(point(0.2, plain.home), point(0.5, plain.away()))
    plain.wait(lambda: abs(plain.positions()[0] - plain.away()[0]) < robot.profile.goal_tolerance, 'the chunk has run')
    assert robot.still() == pytest.approx(plain.away(), abs=robot.profile.goal_tolerance)


@pytest.mark.parametrize(('by', 'reason'), [(NAN, 'not finite'), (9.0, 'its limits are')])
def test_a_chunk_that_no_arm_could_follow_is_ignored_and_said(robot, plain, by, reason):
    before, since = robot.still(), len(robot.said())
    plain.publish(point(0.4, plain.away(by)))
    robot.hears('ignored', since)
    assert reason in robot.said(since)
    assert robot.still() == pytest.approx(before, abs=1e-3)


def test_a_chunk_on_the_topic_preempts_a_goal(plain):
    first = plain.move(point(1200.0, plain.away()))
    plain.publish(point(0.3, plain.home))
    answer = first.result()
    assert (answer.status, answer.result.error_code) == (ABORTED, INVALID_GOAL)


# the gripper


def asked(robot, action, share):
    """Send the gripper to a share of its way on one of its actions: 0 shut or letting go, 1 open or sucking."""
    if action == 'gripper':
        return robot.plain.grip(share * robot.widest)
    return robot.plain.grip_joints(share * (robot.profile.gripper.max_opening / 2 or 1.0))


def stands(robot, action, result):
    """Return the share of its way where a result says that the gripper stands."""
    gripper = robot.profile.gripper
    if action == 'joints':
        return result.state.position[0] / (gripper.max_opening / 2 or 1.0)
    return result.position / (gripper.max_opening * gripper.result_scale if robot.plain.fingers else 1.0)


@pytest.mark.parametrize('action', ['gripper', 'joints'])
def test_with_nothing_there_a_gripper_reaches_its_goal(robot, plain, action):
    told = []
    for share in (0.5, 0.0, 1.0) if plain.fingers else (1.0, 0.0):
        sent = asked(robot, action, share)
        answer = sent.result()
        assert answer.status == SUCCEEDED
        assert (answer.result.reached_goal, answer.result.stalled) == (True, False)
        assert stands(robot, action, answer.result) == pytest.approx(share, abs=0.03)
        told.append(sent.feedback)
        if plain.fingers:
            robot.settle()
            assert plain.opening() == pytest.approx(share * robot.profile.gripper.max_opening, abs=2e-3)
    for share in (0.0, 1.0) * 10:
        if any(told):
            break  # the first is lost where the server has not discovered yet who listens
        sent = asked(robot, action, share)
        sent.result()
        plain.rest(0.2)
        told.append(sent.feedback)
    assert any(told), 'feedback'


def test_a_joint_of_the_gripper_can_be_named_and_its_state_tells_them_all(robot, plain):
    known = robot.profile.gripper.joints or robot.profile.gripper.links
    since = len(robot.said())
    answer = plain.grip_joints(0.0, names=[known[-1]], velocity=[0.1], effort=[20.0]).result()
    assert answer.status == SUCCEEDED
    assert list(answer.result.state.name) == list(known)
    assert len(answer.result.state.position) == len(known)
    robot.hears('is ignored', since)
    assert 'velocity' in robot.said(since)
    assert plain.grip_joints(*[0.0] * len(known), names=known).result().status == SUCCEEDED


@pytest.mark.parametrize('action', ['gripper', 'joints'])
@pytest.mark.parametrize('share', [1.3, -0.1, 1e9])
def test_what_is_out_of_range_is_aborted_with_a_reason_and_nothing_moves(robot, action, share):
    before, since = robot.plain.states[-1].position, len(robot.said())
    answer = asked(robot, action, share).result()
    assert answer.status == ABORTED
    assert (answer.result.reached_goal, answer.result.stalled) == (False, False)
    robot.hears('out of range', since)
    robot.settle()
    assert list(robot.plain.states[-1].position) == pytest.approx(list(before), abs=1e-3)


@pytest.mark.parametrize(
    'send',
    [
        lambda c: c.grip(NAN), lambda c: c.grip(0.0, INF), lambda c: c.grip_joints(INF), lambda c: c.grip_joints(),
        lambda c: c.grip_joints(0.0, effort=[NAN]), lambda c: c.grip_joints(0.0, names=['tail']), lambda c: c.grip_joints(0.0, 0.0),
        lambda c: c.grip_joints(0.0, velocity=[0.1, 0.1]),
    ],
)  # fmt: skip
def test_what_is_no_number_or_no_joint_is_rejected_with_a_reason(served, send):
    served.check()
    since = len(served.said())
    assert not send(served.plain).accepted
    served.hears('goal rejected: The gripper', since)


@pytest.mark.parametrize(('one', 'other'), [('gripper', 'gripper'), ('gripper', 'joints'), ('joints', 'gripper'), ('joints', 'joints')])
def test_a_goal_on_either_action_aborts_the_first(robot, one, other):
    for _ in range(TRIES):
        with robot.frozen():
            first = asked(robot, one, 0.0 if robot.plain.fingers else 1.0)
            second = asked(robot, other, 0.5 if robot.plain.fingers else 0.0)
            answer = first.result()
        if answer.status != SUCCEEDED:
            break
        second.result()  # it came too late, as may happen where time does not wait
        robot.ready()
    assert answer.status == ABORTED
    assert not answer.result.reached_goal
    answer = second.result()
    assert (answer.status, answer.result.reached_goal) == (SUCCEEDED, True)


@pytest.mark.parametrize('action', ['gripper', 'joints'])
def test_a_cancel_of_the_gripper_is_answered_and_it_goes_on_with_the_next(robot, action):
    for _ in range(TRIES):
        with robot.frozen():
            sent = asked(robot, action, 0.0 if robot.plain.fingers else 1.0)
            canceling = len(sent.cancel().goals_canceling)
            answer = sent.result()
        if answer.status != SUCCEEDED:
            break
        robot.ready()  # the cancel came too late, as may happen where time does not wait
    assert (canceling, answer.status) == (1, CANCELED)
    assert asked(robot, action, 0.0).result().status == SUCCEEDED


@pytest.mark.parametrize('action', ['gripper', 'joints'])
def test_a_stall_on_an_object_succeeds_and_holds_it(robot, action):
    robot.overseer.listen(names.TCP_POSE, names.WORLD_STATE)
    robot.plain.move(point(0.1, robot.plain.home)).result()
    robot.overseer.wait(lambda: robot.overseer.heard(names.TCP_POSE), 'a tool pose')
    tool = fields.read_pose(robot.overseer.heard(names.TCP_POSE)[-1].pose)
    depth = 0.0 if robot.plain.fingers else 0.02  # between the fingers, or with its face at the cups
    block = Prop('block', 'cube', (0.04, 0.04, 0.04), Color('red', (1.0, 0.0, 0.0)), 0.1, pose=tool @ Pose((0.0, 0.0, depth)), fixed=True)
    robot.lay(block)
    try:
        answer = asked(robot, action, 0.0 if robot.plain.fingers else 1.0).result()
        assert (answer.status, answer.result.stalled, answer.result.reached_goal) == (SUCCEEDED, True, False)
        assert stands(robot, action, answer.result) == pytest.approx(0.5 if robot.plain.fingers else 1.0, abs=0.05)
        robot.overseer.wait(lambda: [s.held for s in robot.overseer.heard(names.WORLD_STATE)][-1:] == ['block'], 'it is held')
    finally:
        robot.lay()
