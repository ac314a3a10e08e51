"""Gets the pictures of an instruction drawn by picture_node, before the instruction is published."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import OK
from vlm_bench_sim.core.prompts import PromptPicture
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names

Drawn = Callable[[fields.Fields, str], None]


class PromptClient:
    """Has one instruction drawn at a time.

    Args:
        node: the node that publishes the instruction.
        patience: timeout for picture_node, wall-clock s.
    """

    def __init__(self, node: BenchNode, patience: float) -> None:
        self._node, self._patience, self._client = node, patience, node.client(names.DRAW_PROMPT)
        self._call: Future[Any] = Future()
        self._drawn: Drawn | None = None
        self._deadline = 0.0

    @property
    def waits(self) -> bool:
        """Whether pictures are being drawn."""
        return self._drawn is not None

    def draw(self, pictures: tuple[PromptPicture, ...], drawn: Drawn) -> None:
        """Have the pictures drawn; `drawn` is called with the fields `pictures` and `roles`, or else with an error message."""
        self._call.cancel()
        self._drawn, self._deadline = drawn, time.monotonic() + self._patience
        if not pictures:
            self._end({'pictures': [], 'roles': []}, '')
            return
        self._call = self._node.call(self._client, {'pictures': codec.dumps(pictures)})
        self._call.add_done_callback(self._answered)

    def turn(self) -> None:
        """Give up if it is time; call it regularly."""
        if self._drawn is not None and time.monotonic() > self._deadline:
            self._call.cancel()
            self._end({}, f'The pictures of the instruction were not drawn within {self._patience:g} s. Is picture_node running?')

    def _answered(self, answer: 'Future[Any]') -> None:
        if answer.cancelled() or answer is not self._call:
            return
        found = answer.result()
        if found.result.result == OK:
            self._end({'pictures': list(found.pictures), 'roles': list(found.roles)}, '')
        else:
            self._end({}, f'The pictures of the instruction cannot be drawn: {found.result.error_message}')

    def _end(self, shown: fields.Fields, problem: str) -> None:
        drawn, self._drawn = self._drawn, None
        if drawn is not None:
            drawn(shown, problem)
