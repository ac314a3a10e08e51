"""Service calls that are repeated until they are answered.

A server's response is lost if the server has not yet discovered the client's reader (Fast DDS gives up after 100 ms and logs a warning).
This happens when nodes start on a busy machine. Use it only for services that may be called twice, as all of ours may.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

AGAIN_S = 1.0


@dataclass
class Call:
    """One pending call: its client, its request and the future of its answer."""

    client: Any
    request: Any
    _: KW_ONLY
    answer: 'Future[Any]' = field(default_factory=Future)
    asked: float = 0.0


class Calls:
    """The calls that have no answer yet. Belongs to the spinning thread.

    Args:
        hand_over: runs a function in that thread; answers from another domain arrive in a thread of their own.
    """

    def __init__(self, hand_over: Callable[[Callable[[], Any]], Any]) -> None:
        self._open: list[Call] = []
        self._hand_over = hand_over

    def add(self, call: Call) -> None:
        """Add a call."""
        self._open.append(call)
        self.ask()

    def ask(self) -> None:
        """Send the calls that are due: new ones, and those without an answer for a second."""
        self._open = [call for call in self._open if not call.answer.done()]
        for call in self._open:
            if time.monotonic() - call.asked > AGAIN_S and call.client.service_is_ready():
                call.asked = time.monotonic()
                asked = call.client.call_async(call.request)
                asked.add_done_callback(lambda future, call=call: self._hand_over(lambda: _take(call, future)))


def _take(call: Call, future: Any) -> None:
    if not call.answer.done() and future.exception() is None and future.result() is not None:
        with suppress(InvalidStateError):  # another thread has canceled it meanwhile
            call.answer.set_result(future.result())
