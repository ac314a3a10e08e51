"""Execute one step after another through /arm/pick_place. A step waits until the server is fully connected; earlier answers get lost."""

import time
from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core.codes import OK
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.handshake import Handshake
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_tasks.agents.roles import Problem, StepFault
from vlm_bench_tasks.nodes.agents.pick_place_server import CODES

FAULTS = {code: fault for fault, code in CODES.items()}
PATIENCE_S = 30.0
"""Timeout for the server, wall-clock s; on a busy machine its node takes ten or more to start and be discovered."""

When = tuple[int, int]
"""Control period, and simulated time in ns."""
Ended = Callable[[Problem | None, When | None], None]
"""Called with the problem, if any, and the time when the step ended; None if it never started."""


class Hands:
    """Executes one step at a time.

    Args:
        node: sends the goals.
    """

    def __init__(self, node: BenchNode) -> None:
        self._handshake = Handshake(node, names.PICK_PLACE)
        self._kept: tuple[str, Ended, float] | None = None

    def do(self, step: str, ended: Ended) -> None:
        """Execute a step as soon as the server is available; it replaces a step that still waits."""
        self._kept = step, ended, time.monotonic()
        self.turn()

    def forget(self) -> None:
        """Discard a waiting step."""
        self._kept = None

    def turn(self) -> None:
        """Send the waiting step, or give up after the timeout; call it regularly."""
        made = self._handshake.made()
        if self._kept is None:
            return
        step, ended, since = self._kept
        if made:
            self._kept = None
            self._send(step, ended)
        elif time.monotonic() - since > PATIENCE_S:
            self._kept = None
            ended(Problem(StepFault.FAILED, f'No node served {names.PICK_PLACE.name} in {PATIENCE_S:g} s. Check that its node runs.'), None)

    def _send(self, step: str, ended: Ended) -> None:
        goal = fill(interface(names.PICK_PLACE.type).Goal(), {'sentence': step})

        def on_accepted(future: Any) -> None:
            handle = future.result()
            if handle.accepted:
                handle.get_result_async().add_done_callback(lambda answer: ended(*_read(answer.result().result)))
            else:
                ended(Problem(StepFault.FAILED, f'{names.PICK_PLACE.name} rejected the step; the log of its node says why.'), None)

        self._handshake.client.send_goal_async(goal).add_done_callback(on_accepted)


def _read(result: Any) -> tuple[Problem | None, When]:
    code, text = result.result.result, result.result.error_message
    problem = None if code == OK else Problem(FAULTS.get(code, StepFault.FAILED), text)
    return problem, (int(result.seq), fields.read_stamp(result.header.stamp))
