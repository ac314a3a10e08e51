"""Checks that an action server hears a client and that its answers arrive, before a goal is sent.

A server drops its response if it has not yet discovered the reader (Fast DDS waits 100 ms for that). This happens when nodes start on a
busy machine or across a network that loses packets. A service call may be repeated, a goal may not: the second would be another goal.
"""

from typing import Any
from uuid import uuid4

from rclpy.action import ActionClient

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.names import Name


class Handshake:
    """Asks an action server to cancel a goal that does not exist, and repeats it until the server answers that there is none.

    Readers are announced in the order of their creation. A server that reaches this newest reader therefore reaches those of the action
    client as well.

    Args:
        node: the node that will send goals.
        row: the action.
    """

    def __init__(self, node: BenchNode, row: Name) -> None:
        type_ = interface(row.type)
        self.client = ActionClient(node.public, type_, row.name)
        self._node = node
        self._question = node.public.create_client(type_.Impl.CancelGoalService, f'{row.name}/_action/cancel_goal')
        self._answer: Any = None

    def close(self) -> None:
        """Destroy the clients."""
        self.client.destroy()
        self._node.public.destroy_client(self._question)

    def made(self) -> bool:
        """Return whether goals may be sent, and continue the handshake. Call it regularly."""
        if not self.client.server_is_ready():
            if self._answer is not None:
                self._answer.cancel()  # another server may appear, and needs a new handshake
            self._answer = None
            return False
        if self._answer is None:
            self._answer = self._node.call(self._question, {'goal_info': {'goal_id': {'uuid': list(uuid4().bytes)}}})
        return bool(self._answer.done())
