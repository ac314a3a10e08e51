"""What other threads want done in the thread that spins a node."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class Errands:
    """A queue of them; whoever spins the node runs it.

    Args:
        node: of rclpy; its executor is woken for an errand.
    """

    def __init__(self, node: Any) -> None:
        self._waiting: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._wake = node.create_guard_condition(self.run)

    def add(self, errand: Callable[[], Any]) -> 'Future[Any]':
        """Have something done; the future holds what it returns."""
        future: Future[Any] = Future()
        self._waiting.append((errand, future))
        self._wake.trigger()
        return future

    def run(self) -> None:
        """Do what waits; what an errand raises goes to who spins, and to who waits for it."""
        while self._waiting:
            errand, future = self._waiting.popleft()
            try:
                future.set_result(errand())
            except BaseException as error:
                future.set_exception(error)
                raise
