"""A policy in a network of its own, from which it reaches the bench, hears the domain of policies and nothing of the one above."""

import json
import os
import shutil
import subprocess
import sys
import time
import uuid

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from running_bench import VLM_BENCH, ros_environment

from vlm_bench_sim.ros import names

CAN = os.geteuid() == 0 and shutil.which('ip') is not None
pytestmark = [
    pytest.mark.ros, pytest.mark.long, pytest.mark.skipif(not CAN, reason='a network of its own takes root and the command ip'),
]  # fmt: skip
POLICY = """
import json, os, sys, time
import rclpy
from rclpy.context import Context

def join(domain):
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    return rclpy.create_node('a_policy', context=context, enable_rosout=False)

lower, upper = (join(int(sys.argv[1]) + i) for i in range(2))
end = time.monotonic() + 90.0
while time.monotonic() < end and not lower.count_publishers(sys.argv[2]):
    time.sleep(0.2)
time.sleep(5.0)  # the same time for what is in the other domain
print(json.dumps([[name for name, _ in node.get_topic_names_and_types()] for node in (lower, upper)]), flush=True)
os._exit(0)
"""


def ip(*words):
    return subprocess.run(['ip', *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def networks():
    """Two networks with a cable between them, and none to anybody else."""
    mark = uuid.uuid4().hex[:6]
    made = [f'bench_{mark}', f'policy_{mark}']
    try:
        for name in made:
            ip('netns', 'add', name)
        ip('link', 'add', 'cable', 'netns', made[0], 'type', 'veth', 'peer', 'name', 'cable', 'netns', made[1])
        for i, name in enumerate(made, 1):
            ip('-n', name, 'addr', 'add', f'10.77.0.{i}/24', 'dev', 'cable')
            for link in ('lo', 'cable'):
                ip('-n', name, 'link', 'set', link, 'up')
        end = time.monotonic() + 30.0
        while not all('state UP' in ip('-n', name, 'link', 'show', 'cable') for name in made):  # DDS looks for links as it begins
            assert time.monotonic() < end, 'the cable does not come up'
            time.sleep(0.1)
        yield made
    finally:
        for name in made:
            subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)


def inside(network, words):
    """The command that runs another in a network, with shared memory of its own."""
    return ['ip', 'netns', 'exec', network, 'sh', '-c', 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', 'sh', *words]


def test_a_policy_in_a_network_of_its_own_hears_the_domain_of_policies_alone(domains, networks, tmp_path):
    domain = domains()
    environment = ros_environment(domain) | {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}
    with (tmp_path / 'up.log').open('wb') as log:
        words = inside(networks[0], [*VLM_BENCH, 'up', '--scored', '--cameras', 'none'])
        bench = subprocess.Popen(words, env=environment, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT)
    try:
        words = inside(networks[1], [sys.executable, '-c', POLICY, str(domain), names.TICK.name])
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=150)
        assert done.returncode == 0, done.stderr
        lower, upper = json.loads(done.stdout.splitlines()[-1])
    finally:
        bench.terminate()
        bench.wait(30)
    public = {row.name for row in names.FIXED if row.kind is names.Kind.TOPIC and row.server == 'sim_node' and not row.private}
    assert public - {names.LAG.name} <= set(lower), (tmp_path / 'up.log').read_text()
    assert not [name for name in upper if name.startswith(('/truth', '/person', '/vlm_bench_sim'))]
