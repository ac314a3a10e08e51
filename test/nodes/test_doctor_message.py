"""The doctor's message between two processes arrives, or says why not; it sees other benches, and leaves no process behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import psutil
import rclpy

from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface
from vlm_bench_tasks.console import messages
from vlm_bench_tasks.console.messages import End

pytestmark = pytest.mark.ros
ROOT = Path(__file__).parents[2]
SHORT_S, PATIENCE_S = 2.0, 30.0
WAITS = """
import signal
import sys
from vlm_bench_tasks.console.messages import End, exchange
if __name__ == '__main__':
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which who starts us in the background turns off
    exchange(End('/a', int(sys.argv[1]), speaks=True, patience=600.0), End('/b', int(sys.argv[1]), speaks=False, patience=600.0))
"""


def test_a_message_arrives_and_nobody_else_is_there(domains, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domains()))
    message, others = messages.rows([])
    assert message.ok and message.found.endswith(' ms (reference 0.65 ms)'), message
    assert others.ok and others.found.startswith('none in ROS domain'), others


def test_a_message_from_another_domain_does_not_arrive(domains):
    speaker, listener = End('/a', domains(), speaks=True, patience=SHORT_S), End('/a', domains(), speaks=False, patience=SHORT_S)
    row = messages.message(messages.exchange(speaker, listener))
    assert row.found.startswith('nothing arrived') and 'multicast' in row.remedy


def test_without_discovery_nothing_arrives_and_the_variable_is_named(domains, monkeypatch):
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'OFF')
    domain = domains()
    row = messages.message(
        messages.exchange(End('/a', domain, speaks=True, patience=SHORT_S), End('/a', domain, speaks=False, patience=SHORT_S))
    )
    assert row.remedy == 'ROS_AUTOMATIC_DISCOVERY_RANGE=OFF hides processes from each other. Set it to LOCALHOST.'


def test_the_nodes_of_another_bench_and_its_clock_are_seen(domains):
    domain, context = domains(), rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('task_node', context=context)
    ends = [node.create_publisher(interface(row.type), row.name, qos(row)) for row in (names.STATUS, names.CLOCK)]
    try:
        heard = messages.exchange(*messages.ends(domain))
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
    assert ends and heard.times and (heard.benches, heard.clocks) == (('task_node',), ('task_node',))
    row = messages.others(domain, heard)
    assert row.found == f'in ROS domain {domain}: nodes task_node; /clock from task_node'
    assert 'choose another even ROS_DOMAIN_ID up to 100' in row.remedy


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_who_is_interrupted_leaves_no_process_behind(domains, tmp_path, number):
    program = tmp_path / 'waits.py'
    program.write_text(WAITS)
    environment = os.environ | {'PYTHONPATH': os.pathsep.join((str(ROOT), os.environ.get('PYTHONPATH', '')))}
    words = [sys.executable, str(program), str(domains())]
    process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + PATIENCE_S
    while len(ended := _descendants(process.pid)) < 4:  # the server of forks, the tracker of resources and two ends
        assert time.monotonic() < deadline, ended
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(PATIENCE_S)
    _, left = psutil.wait_procs(ended, timeout=PATIENCE_S)
    assert left == []


def _descendants(process):
    return psutil.Process(process).children(recursive=True)
