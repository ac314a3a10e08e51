"""Serves the lockstep barrier: who joins, who has acknowledged, who has fallen silent."""

import time
from collections.abc import Callable
from typing import Any

from vlm_bench_sim.nodes.answers import OK, answer
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep import Lockstep, Role
from vlm_bench_sim.ros import names

LEAVE = 2


class BarrierServer:
    """The barrier, with its ROS names.

    Args:
        node: of the simulator.
        patience: wall-clock seconds after which a silent part of the bench has failed.
        token: of the episode that is loaded.
    """

    def __init__(self, node: BenchNode, patience: float, token: Callable[[], str]) -> None:
        self._patience, self._token = patience, token
        self._barrier = Lockstep()
        node.service(names.JOIN, self._join)
        node.subscribe(names.ACK, self._acknowledge)

    def missing(self, participants: list[str]) -> list[str]:
        """Return who of these has not joined."""
        return [name for name in participants if name not in self._barrier.participants]

    def restart(self) -> None:
        """Begin an episode."""
        self._barrier.restart(time.monotonic())

    def tick(self, seq: int) -> None:
        """Say that period `seq` is about to be told; whoever has heard of it may acknowledge."""
        self._barrier.tick(seq, time.monotonic())

    def ready(self, *, busy: bool) -> bool:
        """Tell whether the next period may run."""
        return self._barrier.ready(busy=busy)

    def drop_silent(self) -> list[str]:
        """Let go the parts of the bench that have kept everyone waiting for too long, and say what happened."""
        silent = self._barrier.silent(Role.BENCH, time.monotonic(), self._patience)
        for name in silent:
            self._barrier.leave(name)
        return [f'{name} silent for {self._patience:g} s' for name in silent]

    def _join(self, request: Any, response: Any) -> Any:
        if request.role == LEAVE:
            self._barrier.leave(request.participant)
        else:
            self._barrier.join(request.participant, Role(request.role), time.monotonic())
        return answer(response, OK)

    def _acknowledge(self, ack: Any) -> None:
        if ack.token == self._token():
            self._barrier.ack(ack.participant, ack.seq, ack.periods_wanted)
