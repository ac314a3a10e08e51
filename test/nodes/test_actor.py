"""The actor on its own, told of episodes, reports and steps; /arm/pick_place is served late, rejects, or is never served."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from rclpy.action import ActionServer, GoalResponse

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.nodes.agents.pick_place_server import NEWS_S, NOT_RUNNING

pytestmark = pytest.mark.ros
RUNNING, ENDED = 2, 3
STEP = 'pick up the red block and place it on the blue block'


@pytest.fixture(scope='module')
def lonely(start_bench, module_domain):
    """An actor, and nothing else of a bench."""
    bench = start_bench(domain=module_domain, only=['actor_node'], policy='agents')
    bench.client.listen(names.AGENT_DEED, names.AGENT_COURSE)
    return bench


def reported(bench, token):
    """Be the reporter before the first step."""
    bench.client.say(names.AGENT_REPORT, {'token': token, 'number': 0, 'observation': 'I see a table.'})


def runs(bench, token):
    """Let an episode run."""
    bench.client.say(names.STATUS, {'token': token, 'state': RUNNING})


def asked(bench, token):
    """Let an episode run in which the planner says one step."""
    runs(bench, token)
    reported(bench, token)
    bench.client.say(names.AGENT_STEP, {'token': token, 'number': 0, 'text': STEP})


def deed(bench, token, seconds=75.0):
    """What came of it."""

    def heard():
        return [said for said in bench.client.heard(names.AGENT_DEED) if said.token == token]

    bench.wait(heard, 'the deed', seconds)
    (one,) = heard()
    assert (one.number, one.step) == (1, STEP)
    return one.problem[0]


@pytest.mark.slow
def test_a_step_that_nobody_comes_to_do_is_given_up(lonely):
    asked(lonely, 'without a server')
    problem = deed(lonely, 'without a server')
    assert (problem.fault, 'No node served /arm/pick_place in 30 s' in problem.text) == ('failed', True)


def test_a_step_that_is_rejected_has_failed(lonely):
    node = lonely.client.nodes[0]
    server = ActionServer(
        node, interface(names.PICK_PLACE.type), names.PICK_PLACE.name, lambda _: None, goal_callback=lambda _: GoalResponse.REJECT
    )
    try:
        asked(lonely, 'rejected')
        problem = deed(lonely, 'rejected')
    finally:
        server.destroy()
    assert (problem.fault, 'rejected the step' in problem.text) == ('failed', True)


def test_a_step_waits_for_a_server_that_is_discovered_later(start_bench, domains):
    bench = start_bench(domain=domains(), only=['actor_node'], policy='agents')
    bench.client.listen(names.AGENT_DEED)
    asked(bench, 'early')
    bench.client.rest(1.0)
    assert not bench.client.heard(names.AGENT_DEED)
    bench.start('pick_place_node')
    bench.client.say(names.EPISODE_TRUTH, {'token': 'early', 'episode': ''})  # else the goal would wait to hear what episode that is
    problem = deed(bench, 'early')
    assert 'No episode is running' in problem.text, 'the server itself has answered'


def test_a_goal_that_overtakes_its_episode_waits_for_it_and_for_none_that_is_over(start_bench, domains):
    bench = start_bench(domain=domains(), only=['pick_place_node'], policy='agents')
    episode = dumps(catalogue.build('lohoravens/pick_and_place', 'test', 100_000))

    def tells(token, text):
        bench.client.say(names.EPISODE_TRUTH, {'token': token, 'episode': text})
        bench.client.say(names.STATUS, {'token': token, 'state': ENDED})
        return bench.client.send(names.PICK_PLACE, {'sentence': STEP}).result().result.result

    assert tells('over', episode).result == NOT_RUNNING  # only now the next status may take the place of this one
    refused = tells('unreadable', '')
    assert (refused.result, 'No episode is running' in refused.error_message) == (NOT_RUNNING, True)

    runs(bench, 'late')
    goal = bench.client.send(names.PICK_PLACE, {'sentence': STEP})
    bench.client.rest(NEWS_S + 0.5)
    assert not goal.done, 'an episode is said to run, and what it is has yet to be heard'
    bench.client.say(names.EPISODE_TRUTH, {'token': 'late', 'episode': episode})
    bench.wait(lambda: goal.feedback, 'the goal to be begun')
    bench.client.say(names.EPISODE_TRUTH, {'token': 'late', 'episode': ''})
    bench.wait(lambda: bench.log('pick_place_node').count('was ignored') == 2, 'the second one that cannot be read')
    newer = bench.client.send(names.PICK_PLACE, {'sentence': STEP})
    bench.wait(lambda: newer.feedback, 'the episode that runs to go on')
    bench.client.say(names.STATUS, {'token': 'late', 'state': ENDED})
    result = newer.result().result.result
    assert (result.result, result.error_message) == (NOT_RUNNING, 'The episode has ended.')

    waits = bench.client.send(names.PICK_PLACE, {'sentence': STEP})
    bench.processes['pick_place_node'].terminate()
    assert waits.result().result.result.error_message == 'The node shuts down.'


def test_a_status_begins_an_episode_and_a_report_does_not(lonely):
    def told():
        return {said.token for said in lonely.client.heard(names.AGENT_COURSE)}

    runs(lonely, 'that was here')
    reported(lonely, 'that was here')
    lonely.wait(lambda: 'that was here' in told(), 'the course')
    reported(lonely, 'latched and over')
    lonely.client.rest(1.0)
    reported(lonely, 'early')
    lonely.client.rest(0.5)
    assert not told() & {'latched and over', 'early'}
    runs(lonely, 'early')
    lonely.wait(lambda: 'early' in told(), 'the course of an episode of which the report came first')
