"""`vlm-bench check-driver` finds nothing wrong with a right driver, and what is wrong with a wrong one."""

import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from nursery import Forked
from running_bench import ros_environment

from vlm_bench_tasks.graph import NodeSpec
from vlm_bench_tasks.launching.processes import command

pytestmark = pytest.mark.ros
CLI = [sys.executable, '-c', 'from vlm_bench_tasks.cli.main import app; app()', 'check-driver', '--robot', 'panda']

TOLD = {
    'degrees': 'positions of the arm are in rad, within the limits of the profile: panda_joint',
    'slow': '/joint_states comes at least 20 times a second: it comes',
    'nameless': 'panda_joint1 is missing. Name the joints as in the URDF',
    'stale': 'they are 5.0 s old',
    'volatile': 'it is volatile, so who comes late hears nothing',
    'best_effort': 'it is best effort, so the bench hears nothing',
    'base': 'they place it',
    'tool': 'it is 20.0 mm off',
    'frame': "its frame is 'base'",
    'accepts': 'a trajectory for a joint that the arm does not have is rejected: it is accepted',
}
"""Each fault, and what is said of it without a motion."""

MOVED = {
    'speedless': 'panda_joint1 has none. Publish velocities',
    'wrong_speeds': 'Publish rad/s',
    'no_room': 'the newer one is rejected. Preempt the running goal',
    'deaf': 'a trajectory that is cancelled ends as canceled within 1 s: it does not',
    'early': 'rad are missing. Answer when the arm has arrived',
    'width': 'correct goal_scale in the profile',
}
"""Likewise with --move."""
QUICK = ('degrees', 'accepts')


def checked(domain, folder, *options, node):
    """Return the exit code of the command and what it says of a driver."""
    env = ros_environment(domain)
    driver = Forked(command(node), env=env, output=folder / 'driver.log')
    try:
        found = subprocess.run([*CLI, *options], env=env, capture_output=True, text=True, timeout=120, check=False)
    finally:
        driver.terminate()
        driver.wait(10)
    return found.returncode, ' '.join((found.stdout + found.stderr).split())


def wrong(fault):
    return NodeSpec('fake_driver_node', 'test.nodes.wrong_driver', {'robot': 'panda', 'fault': fault})


def test_a_right_driver_meets_everything(domains, tmp_path):
    node = NodeSpec('fake_driver_node', 'vlm_bench_sim.nodes.fake_driver_node', {'robot': 'panda'})
    code, said = checked(domains(), tmp_path, '--move', '--seconds', '1', node=node)
    assert code == 0, said
    assert '0 of 30 differ.' in said and 'Nothing was moved' not in said


@pytest.mark.parametrize('fault', [pytest.param(fault, marks=() if fault in QUICK else pytest.mark.slow) for fault in TOLD])
def test_a_wrong_driver_is_told_what_is_wrong_without_a_motion(domains, tmp_path, fault):
    code, said = checked(domains(), tmp_path, '--seconds', '1', node=wrong(fault))
    assert code == 1 and TOLD[fault] in said, said
    assert 'Nothing was moved' in said


@pytest.mark.slow
@pytest.mark.parametrize('fault', MOVED)
def test_a_wrong_driver_is_told_what_is_wrong_in_a_motion(domains, tmp_path, fault):
    code, said = checked(domains(), tmp_path, '--move', '--seconds', '1', node=wrong(fault))
    assert code == 1 and MOVED[fault] in said, said


def test_a_driver_that_is_not_there_is_missed(domains):
    found = subprocess.run(
        [*CLI, '--seconds', '0.5'], env=ros_environment(domains()), capture_output=True, text=True, timeout=120, check=False
    )
    said = ' '.join(found.stdout.split())
    assert found.returncode == 1 and '/joint_states: sensor_msgs/msg/JointState, reliable: nobody publishes it' in said, said
    assert 'follow_joint_trajectory' in said and 'it was not asked, for joints of the arm are missing' in said
    assert 'note' in said and 'Only a Policy class needs it' in said
