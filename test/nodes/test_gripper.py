"""GripperCommand over DDS: a grasp is a stall and succeeds, and what is out of range is aborted."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from running_bench import GRIPPER

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks import catalogue

pytestmark = pytest.mark.ros
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
TRUTH = 2


def command(position, effort=0.0):
    return {'command': {'position': position, 'max_effort': effort}}


def test_closing_on_nothing_reaches_its_goal(bench):
    answer = bench.client.send(GRIPPER, command(0.0)).result()
    assert answer.status == SUCCEEDED
    assert answer.result.reached_goal and not answer.result.stalled
    bench.settle()
    assert bench.now.opening == pytest.approx(0.0, abs=2e-3)
    assert bench.client.send(GRIPPER, command(0.04)).result().result.position == pytest.approx(0.04, abs=1e-3), 'the travel of one finger'


@pytest.mark.parametrize(('position', 'effort'), [(0.05, 0.0), (-0.001, 0.0), (1e9, 0.0)])
def test_what_is_out_of_range_is_aborted_and_nothing_moves(bench, position, effort):
    answer = bench.client.send(GRIPPER, command(position, effort)).result()
    assert answer.status == ABORTED
    assert not answer.result.reached_goal and not answer.result.stalled
    assert bench.still()
    assert [tick.seq for tick in bench.ticks] == [0]


@pytest.mark.parametrize(('position', 'effort'), [(float('nan'), 0.0), (0.0, float('inf'))])
def test_what_is_no_number_is_rejected(bench, position, effort):
    assert not bench.client.send(GRIPPER, command(position, effort)).accepted


def test_a_second_goal_aborts_the_first_and_a_cancel_holds_the_opening(bench):
    first = bench.client.send(GRIPPER, command(0.0))
    bench.wait(lambda: len(bench.ticks) > 3, 'the fingers move')
    second = bench.client.send(GRIPPER, command(0.04))
    assert first.result().status == ABORTED
    assert second.result().status == SUCCEEDED
    third = bench.client.send(GRIPPER, command(0.0))
    third.cancel()
    assert third.result().status in (CANCELED, SUCCEEDED)


def test_a_stall_on_an_object_succeeds_and_holds_it(bench):
    prop = _target()
    tool = _grasp(bench, prop)
    for target, straight in ((tool @ Pose((0.0, 0.0, -0.08)), False), (tool, True)):
        answer = bench.client.send(names.MOVE_TCP, _move(target, straight, prop.name)).result()
        assert answer.status == SUCCEEDED, answer.result.result.error_message
    answer = bench.client.send(GRIPPER, command(0.0)).result()
    assert answer.status == SUCCEEDED
    assert answer.result.stalled and not answer.result.reached_goal
    bench.settle()
    assert bench.now.held == prop.name
    assert answer.result.position == pytest.approx(bench.now.opening / 2, abs=1e-3)
    up = (*tool.position[:2], tool.position[2] + 0.1)
    assert bench.client.send(names.MOVE_TCP, _move(Pose(up, tool.orientation), True, prop.name)).result().status == SUCCEEDED
    bench.settle()
    assert bench.now.pose(prop.name).position[2] > prop.pose.position[2] + 0.08, 'it comes along'


def _target():
    """The prop that the episode of seed 0 is about."""
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0)
    return episode.goal.props()[0]


def _grasp(bench, prop):
    """The first way to take the prop that can be reached, from above and at the prop."""
    found = bench.client.ask(names.GRASPS, {'prop': codec.dumps(prop)})
    for tool in found.tools[:20]:
        pose = bench.now.pose(prop.name) @ fields.read_pose(tool)
        chain = [fields.pose(pose @ Pose((0.0, 0.0, -0.08))), fields.pose(pose)]
        if bench.client.ask(names.PLAN, {'poses': chain, 'allowed_contacts': [prop.name], 'collision_scene': TRUTH}).feasible:
            return pose
    pytest.fail(f'{prop.name} cannot be taken')


def _move(pose, straight, allowed):
    return {
        'target': fields.pose_stamped(pose, 0), 'straight': straight, 'allowed_contacts': [allowed], 'collision_scene': TRUTH,
    }  # fmt: skip
