"""GripperCommand in an episode: a grasp is a stall and succeeds, and what is held comes along. The rest: `test_every_robot.py`."""

import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import PolicyClient
from running_bench import GRIPPER, ros_environment

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks import catalogue

pytestmark = pytest.mark.ros
SUCCEEDED = 4
TRUTH = 2


def command(position, effort=0.0):
    return {'command': {'position': position, 'max_effort': effort}}


def test_a_release_of_control_msgs_without_the_twin_leaves_it_unserved(domains, tmp_path):
    """As before 2024: the node says so, and serves the rest."""
    older = 'import control_msgs.action as a; del a.ParallelGripperCommand; from vlm_bench_sim.nodes.fake_driver_node import main; main()'
    domain, log = domains(), tmp_path / 'log'
    client = PolicyClient(domain)
    with log.open('wb') as output:
        node = subprocess.Popen([sys.executable, '-c', older], env=ros_environment(domain), stdout=output, stderr=subprocess.STDOUT)
    try:
        answer = client.send(GRIPPER, command(0.0)).result()
        assert (answer.status, answer.result.reached_goal) == (SUCCEEDED, True)
        served = {name for name, _ in client.nodes[0].get_service_names_and_types()}
        assert any(name.startswith(GRIPPER.name) for name in served)
        assert not any('parallel_gripper_cmd' in name for name in served)
        assert '/panda_hand_controller/parallel_gripper_cmd is not served' in log.read_text()
    finally:
        node.terminate()
        node.wait(10)
        client.close()


@pytest.fixture
def acknowledgements(shared):
    """Heard from before the episode begins."""
    shared.client.listen(names.ACK)


@pytest.mark.usefixtures('acknowledgements')
def test_a_stall_on_an_object_succeeds_and_holds_it(bench):
    acks = bench.client.heard(names.ACK)
    bench.wait(lambda: ('arm_node', bench.token) in [(ack.participant, ack.token) for ack in acks], 'the arm node to know the episode')
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
    found = bench.client.ask(names.GRASPS, {'prop': codec.dumps(prop)}, again=True)
    for tool in found.tools[:20]:
        pose = bench.now.pose(prop.name) @ fields.read_pose(tool)
        chain = [fields.pose(pose @ Pose((0.0, 0.0, -0.08))), fields.pose(pose)]
        asked = {'poses': chain, 'allowed_contacts': [prop.name], 'collision_scene': TRUTH}
        if bench.client.ask(names.PLAN, asked, again=True).feasible:
            return pose
    pytest.fail(f'{prop.name} cannot be taken')


def _move(pose, straight, allowed):
    return {
        'target': fields.pose_stamped(pose, 0), 'straight': straight, 'allowed_contacts': [allowed], 'collision_scene': TRUTH,
    }  # fmt: skip
