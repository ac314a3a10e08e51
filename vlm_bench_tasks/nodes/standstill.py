"""Let no time pass while somebody thinks, so that nobody's speed changes what happens."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import names


class Standstill:
    """A participant of the barrier that acknowledges each tick once, as soon as nobody thinks.

    Args:
        node: that takes part.
        name: it joins under.
        thinks: tells whether somebody thinks in the episode of that token, so that the world shall stand still.
    """

    def __init__(self, node: BenchNode, name: str, *, thinks: Callable[[str], bool]) -> None:
        self._participant = Participant(node, name, bench=False, told=names.TICK)
        self._thinks, self._tick, self._acked = thinks, ('', 0), ('', 0)
        node.subscribe(names.TICK, self._on_tick)

    def turn(self) -> None:
        """Keep in the barrier; call it now and then."""
        self._participant.keep_joined()

    def proceed(self) -> None:
        """Let the world go on if nobody thinks; call it when somebody has come to an end."""
        if self._tick != self._acked and not self._thinks(self._tick[0]):
            self._acked = self._tick
            self._participant.ack(*self._tick)

    def _on_tick(self, tick: Any) -> None:
        self._tick = tick.token, int(tick.seq)
        self.proceed()
