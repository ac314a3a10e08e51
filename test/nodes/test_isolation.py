"""A policy in a network of its own, from which it reaches the bench, hears the domain of policies and nothing of the one above."""

import json
import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from networks import CAN, NEEDS, inside, networks
from running_bench import VLM_BENCH, ros_environment

from vlm_bench_sim.ros import names

pytestmark = [pytest.mark.ros, pytest.mark.long, pytest.mark.skipif(not CAN, reason=NEEDS)]
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


@pytest.fixture
def between():
    with networks() as made:
        yield made


def test_a_policy_in_a_network_of_its_own_hears_the_domain_of_policies_alone(domains, between, tmp_path):
    domain = domains()
    environment = ros_environment(domain) | {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}
    with (tmp_path / 'up.log').open('wb') as log:
        words = inside(between[0], [*VLM_BENCH, 'up', '--scored', '--cameras', 'none'])
        bench = subprocess.Popen(words, env=environment, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT)
    try:
        words = inside(between[1], [sys.executable, '-c', POLICY, str(domain), names.TICK.name])
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=150)
        assert done.returncode == 0, done.stderr
        lower, upper = json.loads(done.stdout.splitlines()[-1])
    finally:
        bench.terminate()
        bench.wait(30)
    public = {row.name for row in names.FIXED if row.kind is names.Kind.TOPIC and row.server == 'sim_node' and not row.private}
    assert public - {names.LAG.name} <= set(lower), (tmp_path / 'up.log').read_text()
    assert not [name for name in upper if name.startswith(('/truth', '/person', '/vlm_bench_sim'))]
