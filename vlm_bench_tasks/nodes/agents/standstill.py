"""Stop simulated time while a node computes, so that its speed does not affect the result."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import names


class Standstill:
    """A participant of the barrier that acknowledges each tick once, as soon as no computation is running.

    Args:
        node: the node that takes part.
        name: its name in the barrier.
        thinks: returns whether a computation is running in the episode of that token; the world then stands still.
    """

    def __init__(self, node: BenchNode, name: str, *, thinks: Callable[[str], bool]) -> None:
        self._participant = Participant(node, name, bench=False, told=(names.TICK,))
        self._thinks, self._tick, self._acked = thinks, ('', 0), ('', 0)
        node.subscribe(names.TICK, self._on_tick)

    def turn(self) -> None:
        """Stay in the barrier; call it regularly."""
        self._participant.keep_joined()

    def proceed(self) -> None:
        """Let the world continue if no computation is running; call it when one has ended."""
        if self._tick != self._acked and not self._thinks(self._tick[0]):
            self._acked = self._tick
            self._participant.ack(*self._tick)

    def _on_tick(self, tick: Any) -> None:
        self._tick = tick.token, int(tick.seq)
        self.proceed()
