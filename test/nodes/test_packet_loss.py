"""A policy behind a network that loses packets: its goals finish, it hears every tick, and its episode ends as ever."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from networks import CAN, NEEDS, inside, networks
from running_bench import VLM_BENCH, ros_environment

pytestmark = [pytest.mark.ros, pytest.mark.skipif(not CAN, reason=NEEDS)]
POLICIES = Path(__file__).parents[1] / 'evaluation'
NODE = (sys.executable, '-m', 'vlm_bench_tasks.nodes.policy_node', '--ros-args', '-p', 'policy:=moody:Reaches', '-p', 'cameras:=none')
UP = (*VLM_BENCH, 'up', '--once', '--cameras', 'none')


@pytest.mark.parametrize('loss', [pytest.param(0.3, marks=pytest.mark.long), pytest.param(0.5, marks=pytest.mark.slow)])
def test_an_episode_ends_as_ever_where_packets_are_lost(domains, tmp_path, loss):
    environment = ros_environment(domains()) | {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}
    with networks(loss) as (here, there, cable):
        policy = subprocess.Popen(inside(there, NODE), env=environment, cwd=POLICIES)
        try:
            done = subprocess.run(inside(here, UP), env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=500)
            assert policy.poll() is None, 'the policy goes on'
        finally:
            policy.terminate()
            policy.wait(30)
    assert 'failure after 4.85 s stopped' in done.stdout + done.stderr, 'the policy moved twice and stopped'
    assert cable.lost > 0.9 * loss * cable.carried > 300
