"""Has the simulator show markers as their cues say, before the next period."""

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
    """One episode's cues at a time.

    Args:
        node: that asks.
        fault: told of a cue that could not be shown or judged, which is nothing that a policy did, and of the control period.
    """

    def __init__(self, node: BenchNode, fault: Callable[[str, int], None]) -> None:
        self._node, self._fault, self._client = node, fault, node.client(names.SET_LOOK)
        self._markers = Markers(())
        self._episode = 0

    def begin(self, cues: Sequence[Cue]) -> None:
        """Take up the cues of another episode; what is not answered yet is of no more interest."""
        self._markers = Markers(cues)
        self._episode += 1

    def see(self, now: Snapshot, then: Callable[[], None]) -> None:
        """Take in a snapshot, and do `then` when every marker looks as it shall; where one cannot, tell of the fault instead."""
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
