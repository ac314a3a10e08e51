"""Delays a request until the world state that it is based on has arrived."""

import time
from typing import Any

from rclpy.task import Future

from vlm_bench_sim.core.codes import INCORRECT_STATE, EventKind
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.arm_requests import TRUTH, ArmState
from vlm_bench_sim.ros.names import WORLD_STATE

PATIENCE_S = 5.0
"""Wall-clock timeout for a world state that the client claims to have seen, s: either it is on its way, or it never existed."""


class CatchUp:
    """Delays requests until the arm node knows the tick that the client knew, and reports the use of the ground truth.

    It reports once per control period, not once per episode: a subscriber that is discovered late may miss the first report.

    Args:
        node: the arm node.
        state: what the node knows.
        lockstep: True if the barrier lets nobody see more than one tick beyond ours.
    """

    def __init__(self, node: BenchNode, state: ArmState, *, lockstep: bool) -> None:
        self._state, self._events = state, Events(node, 'arm_node')
        self._ahead = 1 if lockstep else WORLD_STATE.depth
        self._waiting: list[Future] = []
        self._confessed = ('', -1)

    def look(self) -> None:
        """Check the waiting requests again, after a new world state or some time."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    async def wait(self, request: Any) -> None:
        """Wait for the world state of a MoveTcp goal or a Plan request that uses the ground truth.

        Raises:
            PlanError: the request is based on a tick that was never published.
        """
        if request.collision_scene != TRUTH:
            return
        newest = self._state.seq
        token, until = self._state.token, time.monotonic() + PATIENCE_S
        while request.seq > self._state.seq and token == self._state.token:
            if request.seq > newest + self._ahead or time.monotonic() > until:
                raise PlanError(
                    f'The request is based on tick {request.seq}, and the newest is {self._state.seq}. Send the number of a tick that you '
                    'have seen.',
                    INCORRECT_STATE,
                )
            future = Future()
            self._waiting.append(future)
            await future
        if self._confessed != (self._state.token, request.seq):
            self._confessed = (self._state.token, request.seq)
            self._events.tell(EventKind.ASSISTANCE, 'truth', token=self._state.token, seq=request.seq)
