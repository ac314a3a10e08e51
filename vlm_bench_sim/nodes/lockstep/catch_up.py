"""Lets a request wait for the world state that it is based on."""

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
"""Wall-clock time for a world state that whoever asked says to have seen, s: it is on its way, or was not."""


class CatchUp:
    """Holds requests back until the arm node knows what whoever asked knew, and confesses that the truth was used.

    It does so once a control period, not once an episode: a listener that is discovered late may miss the first time.

    Args:
        node: of the arm.
        state: what it knows.
        lockstep: True where the barrier lets nobody see more than one tick beyond ours.
    """

    def __init__(self, node: BenchNode, state: ArmState, *, lockstep: bool) -> None:
        self._state, self._events = state, Events(node, 'arm_node')
        self._ahead = 1 if lockstep else WORLD_STATE.depth
        self._waiting: list[Future] = []
        self._confessed = ('', -1)

    def look(self) -> None:
        """Have the requests that wait look again: a world state has come, or time has passed."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    async def wait(self, request: Any) -> None:
        """Wait for the world state of a MoveTcp goal or a Plan request that asks for the truth.

        Raises:
            PlanError: the request is based on a tick that has not been.
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
