"""An action server with one goal at a time, like a ros2_control controller: a newer goal aborts the older one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_sim.ros.fields import Fields
from vlm_bench_sim.ros.names import Name


@dataclass(frozen=True)
class Answer:
    """How a goal ended: 'succeed', 'abort' or 'canceled', with the fields of its result."""

    outcome: str
    result: Fields


@dataclass(frozen=True)
class Port:
    """What the simulator provides to a server.

    Attributes:
        begin: passes what was read from a goal to the world at the next period boundary; a CommandError aborts the goal.
        halt: stops this server's part of the robot.
        gate: returns whether the robot accepts commands now; if not, it counts a violation.
        clock_ns: the present simulated time, ns.
    """

    begin: Callable[[Any], None]
    halt: Callable[[], None]
    gate: Callable[[str], bool]
    clock_ns: Callable[[], int]


class GoalServer:
    """One action of the robot.

    Args:
        node: the simulator's node.
        row: name and type of the action.
        port: the interface to the simulator.
        read: converts a goal's request to the argument of `port.begin`; a CommandError rejects the goal.
        ended: makes the answer for a goal that was given up, from the outcome ('abort' or 'canceled') and a sentence with the reason.
    """

    def __init__(self, node: BenchNode, row: Name, *, port: Port, read: Callable[[Any], Any], ended: Callable[[str, str], Answer]) -> None:
        self._log, self._name, self._port, self._read, self._ended = node.log, row.name, port, read, ended
        self._type = interface(row.type)
        self._goal: Any = None
        self._asked: Any = None
        self._answers: dict[bytes, Future] = {}
        self._server = ActionServer(
            node.public, self._type, row.name, self._execute,
            goal_callback=self._consider, handle_accepted_callback=self._accepted, cancel_callback=lambda _: CancelResponse.ACCEPT,
        )  # fmt: skip

    @property
    def busy(self) -> bool:
        """True while a goal is running."""
        return self._goal is not None

    def finish(self, answer: Answer) -> None:
        """Answer the running goal."""
        if self._goal is not None:
            self._answers[_key(self._goal)].set_result(answer)
            self._goal = None

    def feedback(self, fields: Fields) -> None:
        """Send feedback to the running goal's client."""
        if self._goal is not None:
            self._goal.publish_feedback(fill(self._type.Feedback(), fields))

    def abort(self, reason: str) -> None:
        """Abort a running goal; the robot holds its position."""
        if self._goal is not None:
            self._port.halt()
            self.finish(self._ended('abort', reason))

    def preempt(self, reason: str) -> None:
        """Abort a running goal without a halt, because another command replaces it now."""
        if self._goal is not None:
            self.finish(self._ended('abort', reason))

    def serve_cancel(self) -> None:
        """Answer a request to cancel the running goal; the robot holds its position."""
        if self._goal is not None and self._goal.is_cancel_requested:
            self._port.halt()
            self.finish(self._ended('canceled', 'Canceled; the robot holds where it is.'))

    def _consider(self, request: Any) -> GoalResponse:
        try:
            self._asked = self._read(request)
        except CommandError as error:
            self._log.error(f'{self._name}: goal rejected: {error}')
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT if self._port.gate(f'a goal on {self._name}') else GoalResponse.REJECT

    def _accepted(self, handle: Any) -> None:
        self.preempt('Preempted: a newer goal took its place.')
        self._goal = handle
        self._answers[_key(handle)] = Future()
        try:
            self._port.begin(self._asked)
        except CommandError as error:
            self.abort(str(error))
        handle.execute()

    async def _execute(self, handle: Any) -> Any:
        answer = await self._answers[_key(handle)]
        del self._answers[_key(handle)]
        getattr(handle, answer.outcome)()
        return fill(self._type.Result(), answer.result)

    def close(self) -> None:
        """Free the server."""
        self._server.destroy()


def _key(handle: Any) -> bytes:
    return bytes(handle.goal_id.uuid)
