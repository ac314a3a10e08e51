"""Has the simulator show markers as their cues say, before the next period."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.nodes.answers import OK
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.judging.cues import Markers


class Dresser:
    """One episode's cues at a time."""

    def __init__(self, node: BenchNode) -> None:
        self._node, self._client = node, node.client(names.SET_LOOK)
        self._markers = Markers(())
        self._episode = 0

    def begin(self, cues: Sequence[Cue]) -> None:
        """Take up the cues of another episode; what is not answered yet is of no more interest."""
        self._markers = Markers(cues)
        self._episode += 1

    def see(self, now: Snapshot, then: Callable[[], None]) -> None:
        """Take in a snapshot, and do `then` when every marker looks as it shall."""
        looks, episode = self._markers.see(now), self._episode
        left = set(looks)
        if not left:
            then()

        def answered(name: str, future: Any) -> None:
            if future.result().result.result != OK:
                self._node.log.error(f'A cue cannot be shown: {future.result().result.error_message}')
            left.discard(name)
            if not left and episode == self._episode:
                then()

        for name, look in looks.items():
            self._node.call(self._client, _request(name, look)).add_done_callback(partial(answered, name))


def _request(name: str, look: Look) -> dict[str, Any]:
    return {'name': name, 'colour': codec.dumps(look.colour), 'texture': codec.dumps(look.texture) if look.texture else ''}
