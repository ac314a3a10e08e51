"""What all nodes of the bench share: names from the table, and a second domain for what a scored policy must not see."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from vlm_bench_sim.nodes.base.calls import Call, Calls
from vlm_bench_sim.nodes.base.errands import Errands
from vlm_bench_sim.nodes.base.guard import guarded
from vlm_bench_sim.nodes.base.qos import SERVED, UNHEARD_PUBLISHER, heard, qos, subscription_events
from vlm_bench_sim.nodes.base.second_domain import SecondDomain
from vlm_bench_sim.nodes.base.signing import Serve, Signing, Take
from vlm_bench_sim.ros import keyring
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_sim.ros.fields import Fields
from vlm_bench_sim.ros.names import Name
from vlm_bench_sim.ros.signature import BENCH


class BenchNode:
    """A public node and a private one. Unless the bench is scored, both are the same node.

    In a scored bench, the private node has its own context on ROS_DOMAIN_ID + 1. Its callbacks arrive in their own thread and are passed to
    the spinning thread. Two threads never run a node's code at once.
    """

    def __init__(self, name: str, parameters: dict[str, Any]) -> None:
        self.public = Node(name, start_parameter_services=False)
        self.private = self.public
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.public)
        self._errands = Errands(self.public)
        self._calls, self._signing = Calls(self._errands.add), Signing(warn=self.log.warning)
        self.signed = keyring.held(BENCH) is not None  # then nobody else can send messages in the bench's name
        self._second: SecondDomain | None = None
        self._closed, self.farewells = False, list[Callable[[], None]]()  # called before the node is destroyed
        scored = bool(self.public.declare_parameter('scored', value=False).value)
        if scored:
            self._second = SecondDomain(name, failed=self._second_failed)
            self.private = self._second.node
        # A node announces its parameters in its domain, and a scored policy must not see the task's random seed.
        self.values = {key: self.private.declare_parameter(key, default).value for key, default in parameters.items()} | {'scored': scored}

    @property
    def log(self) -> Any:
        """The public node's logger."""
        return self.public.get_logger()

    def publisher(self, row: Name) -> Any:
        """Return a publisher for that row."""
        made = self._node(row).create_publisher(interface(row.type), row.name, qos(row), event_callbacks=UNHEARD_PUBLISHER)
        return self._signing.publisher(row, made)

    def subscribe(self, row: Name, callback: Take, *, raw: bool = False, foreign: Take | None = None) -> Any:
        """Subscribe to that row. With a key, unsigned messages go to `foreign`; without `foreign` they are dropped."""
        take, raw = self._signing.heard(row, callback, raw=raw, foreign=foreign)
        handed = self._handed_over(take) if self._node(row) is not self.public else take
        events = subscription_events(row, self._node(row), self.log.warning, raw=raw)
        return self._node(row).create_subscription(interface(row.type), row.name, handed, heard(row), raw=raw, event_callbacks=events)

    def serve_now(self, subscription: Any) -> None:
        """Handle the pending messages of a public topic now; rclpy alone serves actions before topics, whichever came first."""
        with subscription.handle:
            while (taken := subscription.handle.take_message(subscription.msg_type, subscription.raw)) is not None:
                subscription.callback(taken[0])

    def service(self, row: Name, callback: Serve, *, foreign: Serve | None = None) -> Any:
        """Serve that row. An exception in `callback` is answered as a failure. `foreign` works as in `subscribe`."""
        other = None if foreign is None else guarded(foreign, self.log, self.ok)
        safe = self._signing.served(row, guarded(callback, self.log, self.ok), foreign=other)
        handed = self._handed_over(safe, wait=True) if self._node(row) is not self.public else safe
        # A service that awaits would block its callback group and thus what it awaits. Only one thread spins: nothing runs twice at once.
        group = ReentrantCallbackGroup()
        return self._node(row).create_service(interface(row.type), row.name, handed, qos_profile=SERVED, callback_group=group)

    def client(self, row: Name) -> Any:
        """Return a client for that row."""
        return self._signing.client(row, self._node(row).create_client(interface(row.type), row.name))

    def is_told(self, row: Name) -> bool:
        """Return whether a publisher of that topic has been discovered."""
        return bool(self._node(row).count_publishers(row.name))

    def listeners(self, row: Name) -> frozenset[str]:
        """Return the names of the nodes that subscribe to that topic."""
        return frozenset(end.node_name for end in self._node(row).get_subscriptions_info_by_topic(row.name))

    def call(self, client: Any, fields: Fields) -> 'Future[Any]':
        """Call a service from any thread and repeat the call until it answers; the future's callbacks run in the spinning thread."""
        call = Call(client, fill(client.srv_type.Request(), fields))
        self.on_spin(lambda: self._calls.add(call))
        return call.answer

    def on_spin(self, errand: Callable[[], Any]) -> 'Future[Any]':
        """Run a function in the spinning thread; the future holds its return value."""
        return self._errands.add(errand)

    def spin_once(self, timeout: float) -> None:
        """Handle pending callbacks; wait for at most `timeout` seconds of wall clock."""
        self._errands.run()
        self._calls.ask()
        self._executor.spin_once(timeout_sec=timeout)

    def spin_last(self, end: Callable[[], None], *, seconds: float = 0.3, turns: int = 10) -> None:
        """Handle the last callbacks before the node closes; `end` ends all goals, new ones too, whose answers take three turns."""
        until = time.monotonic() + seconds
        while turns > 0 or time.monotonic() < until:
            end()
            self.spin_once(0.02)
            turns -= 1

    def ok(self) -> bool:
        """Return whether the process should continue."""
        return not self._closed and rclpy.ok()

    def close(self) -> None:
        """Run the farewells, then destroy the nodes and the second context."""
        try:
            for farewell in self.farewells if self.ok() else ():
                farewell()
        finally:
            self._closed = True
            if self._second is not None:
                self._second.close()
            self._executor.shutdown()
            self.public.destroy_node()

    def _node(self, row: Name) -> Node:
        return self.private if row.private else self.public

    def _second_failed(self, error: Exception) -> None:
        def throw() -> None:
            raise error

        if self.ok():  # otherwise the process is ending, and any use of a context raises
            self.on_spin(throw)

    def _handed_over(self, callback: Callable[..., Any], *, wait: bool = False) -> Callable[..., Any]:
        def errand(*arguments: Any) -> Any:
            future = self.on_spin(lambda: callback(*arguments))
            return future.result() if wait else None

        return errand
