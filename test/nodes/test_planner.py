"""The planner on its own: a slow answer delays no later one, and what nobody foresaw is loud."""

import time

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import rclpy
from policy_client import PolicyClient

from test.chat_server import serving, silent
from vlm_bench_sim.ros import names
from vlm_bench_tasks.agents.roles import DONE
from vlm_bench_tasks.nodes import planner_node

pytestmark = pytest.mark.ros
PATIENCE_S = 15.0


def reported(client, token, number, **more):
    """Be the task and the reporter."""
    client.say(names.INSTRUCTION, {'token': token, 'text': 'Put the blocks in the bowls.', **more})
    client.say(names.AGENT_REPORT, {'token': token, 'number': number, 'observation': 'I see a red block.'})


def test_an_answer_that_does_not_come_delays_neither_the_next_report_nor_the_next_episode(start_bench, domains, monkeypatch):
    with serving(silent, silent, DONE) as (server, url):
        monkeypatch.setenv('VLM_BENCH_LLM_BASE_URL', url)
        monkeypatch.setenv('VLM_BENCH_LLM_MODEL', 'small')
        bench = start_bench(domain=domains(), only=['planner_node'], policy='agents', step_planner='chat')
        bench.client.listen(names.AGENT_STEP)
        for asked, (token, number) in enumerate((('first', 0), ('first', 1), ('second', 0)), 1):
            reported(bench.client, token, number)
            bench.wait(lambda asked=asked: len(server.asked) == asked, f'question {asked}', PATIENCE_S)
        bench.wait(lambda: bench.client.heard(names.AGENT_STEP), 'the step', PATIENCE_S)
        assert [(said.token, said.number, said.text) for said in bench.client.heard(names.AGENT_STEP)] == [('second', 0, DONE)]
        reported(bench.client, 'third', 0, text='Put <image 1> in the bowl.')
        bench.wait(lambda: len(bench.client.heard(names.AGENT_STEP)) == 2, 'what the planner says of a picture', PATIENCE_S)
        assert 'reads text alone, and the instruction has pictures.' in bench.client.heard(names.AGENT_STEP)[1].problem[0].text
        assert len(server.asked) == 3


class Broken:
    """Raises what nobody foresaw."""

    def next_step(self, instruction, reports):
        return str(1 / 0)


@pytest.fixture
def planner_and_client(domains, monkeypatch):
    monkeypatch.setattr(planner_node, 'planner_of', lambda *_: Broken())
    domain = domains()
    rclpy.init(domain_id=domain)
    node, client = planner_node.PlannerNode(), PolicyClient(domain)
    yield node, client
    client.close()
    node.close()
    rclpy.try_shutdown()


def test_what_nobody_foresaw_ends_the_node(planner_and_client):
    planner, client = planner_and_client
    reported(client, 'x', 0)
    end = time.monotonic() + PATIENCE_S
    with pytest.raises(ZeroDivisionError):
        while time.monotonic() < end:
            planner.spin_once()
