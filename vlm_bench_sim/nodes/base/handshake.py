"""Finds out that an action server hears a client and that its answers arrive, before a goal is sent.

A server drops its response where it has not yet discovered who reads it (Fast DDS waits 100 ms for that), as happens when nodes start on a
busy machine or across a network that loses packets. A service may be asked again, a goal may not: the second would be another goal.
"""

from typing import Any
from uuid import uuid4

from rclpy.action import ActionClient

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.names import Name


class Handshake:
    """Asks an action server to cancel a goal that nobody sent, again and again until it says that there is none.

    Readers are announced in the order in which they are made, so a server that reaches the newest, that of this question, reaches those of
    the action client as well.

    Args:
        node: that will send goals.
        row: of the action.
    """

    def __init__(self, node: BenchNode, row: Name) -> None:
        type_ = interface(row.type)
        self.client = ActionClient(node.public, type_, row.name)
        self._node = node
        self._question = node.public.create_client(type_.Impl.CancelGoalService, f'{row.name}/_action/cancel_goal')
        self._answer: Any = None

    def made(self) -> bool:
        """Tell whether goals may be sent, and do what is needed for it; call it now and then."""
        if not self.client.server_is_ready():
            if self._answer is not None:
                self._answer.cancel()  # another server may come, which has to be asked anew
            self._answer = None
            return False
        if self._answer is None:
            self._answer = self._node.call(self._question, {'goal_info': {'goal_id': {'uuid': list(uuid4().bytes)}}})
        return bool(self._answer.done())
