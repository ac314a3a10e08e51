"""A goal is sent only where the answer will arrive: an action server whose first answers are lost is asked until one comes."""

import gc
import time
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import rclpy
from rclpy.action import ActionServer

from vlm_bench_sim import profiles
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.handshake import Handshake
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.names import arm_names

pytestmark = pytest.mark.ros
ROW = arm_names(profiles.robot('panda'))[0]
RUNNING, UNKNOWN_GOAL = 2, 2  # of action_msgs/GoalStatus and of CancelGoal


class Driver:
    """Serves trajectories, and loses the first `lost` answers to a request to cancel."""

    def __init__(self, node, lost=0):
        self.goals, self.answers = [], []
        self._server = ActionServer(node.public, interface(ROW.type), ROW.name, self._run, handle_accepted_callback=self.goals.append)
        send = self._server._handle.send_cancel_response

        def lose(header, answer):
            self.answers.append(answer.return_code)
            if len(self.answers) > lost:
                send(header, answer)

        self._server._handle = _Stand(self._server._handle, send_cancel_response=lose)

    def _run(self, goal):
        return interface(ROW.type).Result()

    def destroy(self):
        self._server.destroy()


class _Stand:
    def __init__(self, real, **instead):
        self._real, self._instead = real, instead

    def __getattr__(self, name):
        return self._instead.get(name) or getattr(self._real, name)

    def __enter__(self):
        return self._real.__enter__()

    def __exit__(self, *error):
        return self._real.__exit__(*error)


@pytest.fixture
def ends(domains):
    rclpy.init(domain_id=domains())
    driver, policy = BenchNode('driver', {}), BenchNode('policy', {})

    def wait(done, what, seconds=30.0):
        until = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < until, f'Waited {seconds} s for {what}.'
            driver.spin_once(0.01)
            policy.spin_once(0.01)

    handshakes = []

    def begin():
        handshakes.append(Handshake(policy, ROW))
        return handshakes[-1]

    yield SimpleNamespace(driver=driver, wait=wait, begin=begin)
    for handshake in handshakes:
        handshake.client.destroy()
    driver.close()
    policy.close()
    rclpy.try_shutdown()
    gc.collect()  # what rclpy holds in circles keeps the domain


def test_no_goal_is_sent_before_an_answer_has_arrived(ends):
    handshake = ends.begin()
    assert not handshake.made(), 'nobody serves'
    driver = Driver(ends.driver, lost=2)
    ends.wait(lambda: handshake.made() or len(driver.answers) == 2, 'two answers that are lost')
    assert not handshake.made()
    ends.wait(handshake.made, 'an answer that arrives')
    assert driver.answers == [UNKNOWN_GOAL] * 3
    driver.destroy()
    ends.wait(lambda: not handshake.made(), 'the server to be gone')
    other = Driver(ends.driver)
    ends.wait(handshake.made, 'an answer of the next server')
    assert other.answers == [UNKNOWN_GOAL]
    other.destroy()


def test_what_another_has_sent_goes_on(ends):
    driver, first = Driver(ends.driver), ends.begin()
    ends.wait(first.made, 'an answer')
    sent = first.client.send_goal_async(interface(ROW.type).Goal())
    ends.wait(sent.done, 'the goal to be accepted')
    assert sent.result().accepted
    ends.wait(ends.begin().made, 'an answer to another client')
    assert [goal.is_cancel_requested for goal in driver.goals] == [False]
    driver.destroy()
