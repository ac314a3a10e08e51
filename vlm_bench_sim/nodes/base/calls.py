"""Service calls that are asked again until they are answered.

A response is lost where the server has not yet discovered the client's side of the service (Fast DDS gives up after 100 ms and says so in a
warning), which happens when nodes start on a busy machine. So only services that may be asked twice are called this way; all of ours may.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

AGAIN_S = 1.0


@dataclass
class Call:
    """One question: to whom, what, and where the answer goes."""

    client: Any
    request: Any
    _: KW_ONLY
    answer: 'Future[Any]' = field(default_factory=Future)
    asked: float = 0.0


class Calls:
    """The questions that are not answered yet. Belongs to the thread that spins.

    Args:
        hand_over: has something done in that thread; answers of another domain come in one of their own.
    """

    def __init__(self, hand_over: Callable[[Callable[[], Any]], Any]) -> None:
        self._open: list[Call] = []
        self._hand_over = hand_over

    def add(self, call: Call) -> None:
        """Take up a question."""
        self._open.append(call)
        self.ask()

    def ask(self) -> None:
        """Ask what is due: what was never asked, and what has been without an answer for a second."""
        self._open = [call for call in self._open if not call.answer.done()]
        for call in self._open:
            if time.monotonic() - call.asked > AGAIN_S and call.client.service_is_ready():
                call.asked = time.monotonic()
                asked = call.client.call_async(call.request)
                asked.add_done_callback(lambda future, call=call: self._hand_over(lambda: _take(call, future)))


def _take(call: Call, future: Any) -> None:
    if not call.answer.done() and future.exception() is None and future.result() is not None:
        call.answer.set_result(future.result())
