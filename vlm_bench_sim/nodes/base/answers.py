"""Answers of services and actions, and events."""

from typing import Any

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message

SUPERSEDED = 'another episode was started'
"""Why an episode was abandoned."""


def answer(response: Any, code: int, text: str = '') -> Any:
    """Fill in the Result of a response and return the response."""
    response.result.result, response.result.error_message = int(code), text
    return response


class Events:
    """Tells the judge what snapshots do not show.

    Args:
        node: the node that publishes the events.
        source: name of the source.
    """

    def __init__(self, node: BenchNode, source: str) -> None:
        self._publisher, self._source = node.publisher(names.EVENTS), source

    def tell(self, kind: int, text: str = '', *, token: str, seq: int) -> None:
        """Publish an event of control period `seq` in the episode `token`."""
        fields = {'token': token, 'seq': seq, 'kind': int(kind), 'source': self._source, 'text': text}
        self._publisher.publish(message(names.EVENTS.type, fields))

    def superseded(self, *, token: str, seq: int) -> None:
        """Publish that the episode was abandoned because another one begins."""
        self.tell(EventKind.ABANDONED, SUPERSEDED, token=token, seq=seq)
