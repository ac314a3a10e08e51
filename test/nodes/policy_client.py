"""A ROS node of the tests: hears topics, asks services, sends goals; every wait has a deadline."""

import time
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from unique_identifier_msgs.msg import UUID

from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_sim.ros.names import JOIN

DEADLINE_S = 30.0
AGAIN_S = 2.0
KEPT = 1000
"""Messages of a topic that wait for a test that gets no time, on our side; the bench keeps no more than the table says."""


@dataclass
class Goal:
    """A goal that was sent."""

    client: 'PolicyClient'
    handle: Any
    feedback: list[Any]

    def __post_init__(self):
        self._result = self.handle.get_result_async() if self.handle.accepted else None

    @property
    def accepted(self):
        return self.handle.accepted

    @property
    def done(self):
        return self._result.done()

    def result(self, seconds=DEADLINE_S):
        """Wait for status and result."""
        assert self.accepted, 'The goal was rejected; the log of its server says why.'
        return self.client.future(self._result, 'the result of a goal', seconds)

    def cancel(self):
        """Ask to cancel; return the answer of action_msgs/CancelGoal."""
        return self.client.future(self.handle.cancel_goal_async(), 'the answer to a cancel request')


class PolicyClient:
    """One node in a domain; of a scored bench it hears the private names in the domain above.

    `beside`: a client that is there already; what this one says waits for all whom that one knows.
    """

    def __init__(self, domain, *, scored=False, name='test_policy', beside=None):
        self._beside = beside
        self.contexts = [Context() for _ in range(2 if scored else 1)]
        for i, context in enumerate(self.contexts):
            rclpy.init(context=context, domain_id=domain + i)
        self.nodes = [
            rclpy.create_node(name, context=context, enable_rosout=False, start_parameter_services=False) for context in self.contexts
        ]
        self._executors = [SingleThreadedExecutor(context=context) for context in self.contexts]
        for executor, node in zip(self._executors, self.nodes, strict=True):
            executor.add_node(node)
        self._heard, self._services, self._actions, self._publishers = {}, {}, {}, {}
        self._subscriptions = {}

    def _node(self, row):
        return self.nodes[-1 if row.private else 0]

    def listen(self, *rows):
        """Subscribe; what comes is kept."""
        for row in rows:
            if row.name not in self._heard:
                kept = self._heard[row.name] = []
                profile = qos(row)
                profile.depth = max(profile.depth, KEPT)
                self._subscriptions[row.name] = self._node(row).create_subscription(interface(row.type), row.name, kept.append, profile)

    def deafen(self, row):
        """Unsubscribe."""
        del self._heard[row.name]
        self._node(row).destroy_subscription(self._subscriptions.pop(row.name))

    def heard(self, row):
        """What has come on a topic since `forget`, the oldest first."""
        return self._heard[row.name]

    def forget(self):
        for kept in self._heard.values():
            kept.clear()

    def advertise(self, row):
        """Become a publisher, and wait until everybody listens who is known to, and somebody is."""
        if row.name not in self._publishers:
            publisher = self._publishers[row.name] = self._node(row).create_publisher(interface(row.type), row.name, qos(row))
            known = self._beside._node(row).count_subscribers(row.name) if self._beside else 1
            here = partial(self._node(row).count_subscribers, row.name)
            self.wait(lambda: publisher.get_subscription_count() >= max(1, known, here()), f'the subscribers of {row.name}')
            self.rest(0.5)  # the other side may know of us a little later

    def say(self, row, content):
        """Publish to everybody who is known to listen."""
        self.advertise(row)
        self._publishers[row.name].publish(fill(interface(row.type)(), content))

    def ask(self, row, content, *, again=False, seconds=DEADLINE_S):
        """Ask a service; `again`: until it answers, since the first answers may be lost while nodes discover one another."""
        client = self._services.get(row.name)
        if client is None:
            client = self._services[row.name] = self._node(row).create_client(interface(row.type), row.name)
            self.wait(client.service_is_ready, f'{row.name} is served', seconds)
            self.rest(0.3)

        def answered():
            return next((future for future in asked if future.done()), None)

        asked, end = [], time.monotonic() + seconds
        while not asked or (again and answered() is None):
            assert time.monotonic() < end, f'{row.name} did not answer within {seconds} s'
            asked.append(client.call_async(fill(client.srv_type.Request(), content)))
            until = time.monotonic() + AGAIN_S
            while answered() is None and time.monotonic() < until:
                self.spin()
        return self.future(answered() or asked[0], f'an answer of {row.name}', seconds)

    def fling(self, row, contents):
        """Ask a service all at once, and wait for no answer."""
        client = self._node(row).create_client(interface(row.type), row.name, qos_profile=QoSProfile(depth=len(contents)))
        self.wait(client.service_is_ready, f'{row.name} is served')
        self.rest(0.5)
        for content in contents:
            client.call_async(fill(client.srv_type.Request(), content))

    def join(self):
        """Become a participant under the node's name, as a policy."""
        answer = self.ask(JOIN, {'participant': self.nodes[0].get_name(), 'role': 0}, again=True, seconds=60.0)
        assert answer.result.result == 1, answer.result.error_message

    def send(self, row, content, *, goal_id=None):
        """Send a goal and return it once it was accepted or rejected."""
        client = self._actions.get(row.name)
        if client is None:
            client = self._actions[row.name] = ActionClient(self.nodes[0], interface(row.type), row.name)
            self.wait(client.server_is_ready, f'{row.name} is served')
            self.rest(0.5)
        goal = fill(interface(row.type).Goal(), content)
        feedback = []
        sent = client.send_goal_async(goal, feedback_callback=feedback.append, goal_uuid=goal_id or new_id())
        return Goal(self, self.future(sent, f'an answer of {row.name}'), feedback)

    def future(self, future, what, seconds=DEADLINE_S):
        self.wait(future.done, what, seconds)
        return future.result()

    def wait(self, done, what, seconds=DEADLINE_S):
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f'Waited {seconds} s for {what}.'
            self.spin()

    def insist(self, say, done, what, seconds=DEADLINE_S):
        """Say something, and again each second, until it is done."""
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f'Waited {seconds} s for {what}.'
            say()
            again = time.monotonic() + 1.0
            self.wait(lambda again=again: done() or time.monotonic() > again, what)

    def rest(self, seconds):
        """Spin for a while: discovery has no event that says when the other side is ready."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.spin()

    def spin(self, timeout=0.02):
        for executor in self._executors:
            executor.spin_once(timeout_sec=timeout / len(self._executors))

    def close(self):
        """Leave, and do so before the nodes that it has met.

        In Fast DDS 3.2 a participant that hears others leave can block for ever (eProsima/Fast-DDS#6502). A node that does is killed; the
        process of the tests would hang.
        """
        while self._actions:  # a node does not destroy those, and with one of them it would stay in its domain
            self._actions.popitem()[1].destroy()
        for executor, node, context in zip(self._executors, self.nodes, self.contexts, strict=True):
            executor.shutdown()
            node.destroy_node()
            context.try_shutdown()


def new_id():
    """A fresh goal id."""
    return UUID(uuid=list(uuid.uuid4().bytes))
