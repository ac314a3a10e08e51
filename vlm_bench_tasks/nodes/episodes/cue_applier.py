"""Changes the markers in the simulator as the cues require, before the next control period."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import OK
from vlm_bench_sim.core.errors import Unobservable
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.judging.cues import Markers


class CueApplier:
    """Applies the cues of one episode at a time.

    Args:
        node: calls the simulator's services.
        fault: called with the control period and a cue that could not be shown or judged; this is not the policy's fault.
    """

    def __init__(self, node: BenchNode, fault: Callable[[str, int], None]) -> None:
        self._node, self._fault, self._client = node, fault, node.client(names.SET_LOOK)
        self._markers = Markers(())
        self._episode = 0

    def begin(self, cues: Sequence[Cue]) -> None:
        """Start with another episode's cues; pending answers for the old ones are ignored."""
        self._markers = Markers(cues)
        self._episode += 1

    def see(self, now: Snapshot, then: Callable[[], None]) -> None:
        """Process a snapshot, and call `then` once every marker is up to date. If a marker cannot be changed, report the fault instead."""
        try:
            looks, episode = self._markers.see(now), self._episode
        except Unobservable as error:
            self._fault(str(error), now.seq)
            return
        left = set(looks)
        if not left:
            then()

        def answered(name: str, future: Any) -> None:
            result = future.result().result
            if episode != self._episode:
                return
            if result.result != OK:
                self._fault(f'the cue {name} cannot be shown: {result.error_message}', now.seq)
                return
            left.discard(name)
            if not left:
                then()

        for name, look in looks.items():
            self._node.call(self._client, _request(name, look)).add_done_callback(partial(answered, name))


def _request(name: str, look: Look) -> dict[str, Any]:
    return {'name': name, 'look': codec.dumps(look)}
