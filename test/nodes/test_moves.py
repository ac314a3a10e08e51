"""MoveTcp, Plan and Grasps over DDS: every bad request has its number, and the arm holds."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from running_bench import FOLLOW

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.ros import fields, names

pytestmark = pytest.mark.ros
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
OK, INCORRECT_STATE, OPERATION_FAILED = 1, 3, 4
UNREACHABLE, GOAL_IN_COLLISION, INVALID_POSE, NOT_RUNNING, PREEMPTED = 101, 103, 105, 107, 108
GIVEN, TRUTH = 1, 2
NAN, INF = float('nan'), float('inf')
DOWN = (1.0, 0.0, 0.0, 0.0)
LEFT, RIGHT = Pose((0.4, 0.3, 0.4), DOWN), Pose((0.4, -0.3, 0.4), DOWN)


@pytest.fixture(autouse=True)
def acknowledgements(shared):
    """Heard from before the episode begins."""
    shared.client.listen(names.ACK)


@pytest.fixture
def bench(bench):
    return met(bench)


@pytest.fixture
def calm(calm):
    return met(calm)


def met(bench):
    """The same once the arm node knows the world of the episode, of which it may hear later than we."""
    acks = bench.client.heard(names.ACK)
    bench.wait(lambda: ('arm_node', bench.token) in [(ack.participant, ack.token) for ack in acks], 'the arm node to know the episode')
    return bench


def move(pose=LEFT, frame='world', **more):
    return {'target': fields.pose_stamped(pose, 0, frame)} | more


BOX = {'pose': fields.pose(LEFT), 'size': fields.vector((0.1, 0.1, NAN))}
REFUSED = {
    'NaN in the position': (move(Pose((NAN, 0.0, 0.4), DOWN)), INVALID_POSE, 'finite'),
    'infinity in the position': (move(Pose((INF, 0.0, 0.4), DOWN)), INVALID_POSE, 'finite'),
    'NaN in the quaternion': (move(Pose((0.4, 0.0, 0.4), (NAN, 0.0, 0.0, 1.0))), INVALID_POSE, 'finite'),
    'no direction': (move(Pose((0.4, 0.0, 0.4), (0.0, 0.0, 0.0, 0.0))), INVALID_POSE, 'quaternion other than zero'),
    'another frame': (move(LEFT, 'panda_hand'), INVALID_POSE, "'panda_hand'"),
    'far away': (move(Pose((2.0, 0.0, 0.4), DOWN)), UNREACHABLE, 'nearer'),
    'beyond all measure': (move(Pose((1e300, 0.0, 0.4), DOWN)), UNREACHABLE, 'nearer'),
    'in the table': (move(Pose((0.45, 0.0, -0.05), DOWN)), GOAL_IN_COLLISION, 'table'),
    'a speed of 2': (move(speed=2.0), INVALID_POSE, 'speed'),
    'a speed that is no number': (move(speed=NAN), INVALID_POSE, 'speed'),
    'a box without extent': (move(collision_scene=GIVEN, boxes=[BOX]), INVALID_POSE, 'extents'),
    'no such collision scene': (move(collision_scene=9), INVALID_POSE, 'collision scene 9'),
    'a tick that has not been': (move(collision_scene=TRUTH, seq=10**6), INCORRECT_STATE, 'newest'),
}


def test_what_cannot_be_done_is_aborted_with_its_number_and_the_arm_holds(bench):
    before = bench.arm
    for why, (asked, code, reason) in REFUSED.items():
        answer = bench.client.send(names.MOVE_TCP, asked).result()
        assert (answer.status, answer.result.result.result) == (ABORTED, code), (why, answer.result.result.error_message)
        assert reason in answer.result.result.error_message, why
    assert bench.still()
    assert [tick.seq for tick in bench.ticks] == [0]
    assert bench.arm == before
    bench.check()


def test_the_tool_comes_to_the_pose(bench):
    sent = bench.client.send(names.MOVE_TCP, move())
    answer = sent.result()
    assert (answer.status, answer.result.result.result) == (SUCCEEDED, OK)
    bench.settle()
    assert bench.now.tool.position == pytest.approx(LEFT.position, abs=0.01)
    assert fields.read_pose(answer.result.reached.pose).position == pytest.approx(LEFT.position, abs=0.01)
    bench.wait(lambda: len(sent.feedback) > 1, 'the second stage')
    assert [said.feedback.stage for said in sent.feedback] == [0, 1], 'planning, then executing'


def test_a_second_goal_preempts_the_first(bench):
    first = bench.client.send(names.MOVE_TCP, move(speed=0.01))
    bench.wait(lambda: len(bench.ticks) > 3, 'the arm moves')
    second = bench.client.send(names.MOVE_TCP, move(RIGHT))
    answer = first.result()
    assert (answer.status, answer.result.result.result) == (ABORTED, PREEMPTED)
    assert second.result().status == SUCCEEDED
    bench.settle()
    assert bench.now.tool.position == pytest.approx(RIGHT.position, abs=0.01)


def test_two_goals_at_once_end_at_the_second(bench):
    first, second = (bench.client.send(names.MOVE_TCP, asked) for asked in (move(speed=0.01), move(RIGHT)))
    assert first.result().result.result.result == PREEMPTED
    assert second.result().status == SUCCEEDED
    bench.settle()
    assert bench.now.tool.position == pytest.approx(RIGHT.position, abs=0.01)


def test_a_cancel_in_the_middle_holds_the_arm_where_it_is(bench):
    sent = bench.client.send(names.MOVE_TCP, move(speed=0.01))
    bench.wait(lambda: len(bench.ticks) > 10, 'the arm moves')
    assert len(sent.cancel().goals_canceling) == 1
    answer = sent.result()
    assert (answer.status, answer.result.result.result) == (CANCELED, OPERATION_FAILED)
    held = bench.arm
    assert bench.still()
    bench.pass_time()
    assert bench.arm == pytest.approx(held, abs=0.01)
    assert bench.speeds == pytest.approx([0.0] * 7, abs=1e-3)
    again = sent.cancel()
    assert not again.goals_canceling and again.return_code != 0
    assert bench.client.send(names.MOVE_TCP, move(RIGHT)).result().status == SUCCEEDED


def test_a_cancel_at_the_start_is_answered(bench):
    sent = bench.client.send(names.MOVE_TCP, move(speed=0.01))
    sent.cancel()
    assert sent.result().status == CANCELED


def test_a_trajectory_of_somebody_else_ends_the_move(bench):
    sent = bench.client.send(names.MOVE_TCP, move(speed=0.01))
    bench.wait(lambda: len(bench.ticks) > 3, 'the arm moves')
    hold = {'positions': list(bench.now.arm(bench.joints)), 'time_from_start': {'sec': 1}}
    assert bench.client.send(FOLLOW, {'trajectory': {'joint_names': list(bench.joints), 'points': [hold]}}).result().status == SUCCEEDED
    answer = sent.result()
    assert (answer.status, answer.result.result.result) == (ABORTED, 106)
    assert '-1: Preempted' in answer.result.result.error_message


def test_a_reset_ends_the_move(bench):
    sent = bench.client.send(names.MOVE_TCP, move(speed=0.01))
    bench.wait(lambda: len(bench.ticks) > 3, 'the arm moves')
    bench.begin()
    assert sent.result().status == ABORTED


def test_a_move_while_no_episode_runs_is_not_running_and_a_violation(bench):
    bench.stop_episode()
    bench.settle()  # the arm node may hear of the end a little later than we
    answer = bench.client.send(names.MOVE_TCP, move()).result()
    assert (answer.status, answer.result.result.result) == (ABORTED, NOT_RUNNING)
    bench.begin()
    assert bench.stop_episode().violations == 1


def test_the_use_of_the_truth_stands_in_the_report(bench):
    assert bench.client.send(names.MOVE_TCP, move(collision_scene=TRUTH)).result().status == SUCCEEDED
    assert list(bench.stop_episode().assistance) == ['truth']


PLANS = {
    'no pose': ({'poses': []}, INVALID_POSE),
    'NaN': ({'poses': [fields.pose(Pose((NAN, 0.0, 0.0)))]}, INVALID_POSE),
    'no such collision scene': ({'poses': [fields.pose(LEFT)], 'collision_scene': 3}, INVALID_POSE),
    'a start that is too short': ({'poses': [fields.pose(LEFT)], 'start': [0.0]}, OPERATION_FAILED),
    'a held prop that does not exist': ({'poses': [fields.pose(LEFT)], 'collision_scene': TRUTH, 'held': 'moon'}, OPERATION_FAILED),
    'a tick that has not been': ({'poses': [fields.pose(LEFT)], 'collision_scene': TRUTH, 'seq': 10**6}, INCORRECT_STATE),
    'a chain that takes minutes': ({'poses': [fields.pose(LEFT), fields.pose(RIGHT)] * 33}, INVALID_POSE),
    'boxes that take minutes': (
        {'poses': [fields.pose(LEFT)], 'boxes': [BOX | {'size': fields.vector((0.1, 0.1, 0.1))}] * 257, 'collision_scene': GIVEN},
        INVALID_POSE,
    ),
}


@pytest.mark.parametrize('why', PLANS)
def test_a_plan_that_makes_no_sense_is_answered_with_its_number(calm, why):
    asked, code = PLANS[why]
    answer = calm.client.ask(names.PLAN, asked, again=True)
    assert answer.result.result == code, answer.result.error_message
    assert answer.result.error_message
    calm.check()


def test_a_plan_based_on_the_tick_that_comes_next_is_answered_though_the_world_stands(calm):
    newest = calm.client.heard(names.TICK)[-1].seq
    asked = {'poses': [fields.pose(LEFT)], 'collision_scene': TRUTH, 'seq': newest + 1}
    answer = calm.client.ask(names.PLAN, asked, again=True, seconds=30)
    assert answer.result.result == INCORRECT_STATE, answer.result.error_message
    assert f'is based on tick {newest + 1}, and the newest is {newest}' in answer.result.error_message


def test_a_plan_says_whether_poses_can_be_taken(calm):
    answer = calm.client.ask(names.PLAN, {'poses': [fields.pose(LEFT), fields.pose(RIGHT)]}, again=True)
    assert (answer.feasible, len(answer.positions)) == (True, 14)
    answer = calm.client.ask(names.PLAN, {'poses': [fields.pose(Pose((2.0, 0.0, 0.4), DOWN))]}, again=True)
    assert (answer.result.result, answer.feasible, len(answer.positions)) == (OK, False, 0)


PROP = '{"is":"Prop","name":"a","kind":"cube","size":[%s],"color":{"is":"Color","name":"gray","rgb":[0.5,0.5,0.5]},"mass":0.1}'


@pytest.mark.parametrize(
    'text',
    [
        '',
        'nonsense',
        '7',
        '[]',
        '{"is":"Prop"}',
        '{"is":"os.system"}',
        PROP % '1',
        PROP % '-1,0,0',
        PROP % '"a","b","c"',
        PROP % '1e300,1,1',
        '[' * 5000,
    ],
)
def test_grasps_of_what_is_no_prop_are_answered_and_the_node_lives(calm, text):
    answer = calm.client.ask(names.GRASPS, {'prop': text}, again=True)
    assert answer.result.result == OPERATION_FAILED
    calm.check()
    assert calm.client.ask(names.GRASPS, {'prop': PROP % '0.04,0.04,0.04'}, again=True).tools
