"""Functions that other threads ask the spinning thread of a node to run."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class Errands:
    """A queue of these functions; the spinning thread runs it.

    Args:
        node: an rclpy node; its executor is woken for each function.
    """

    def __init__(self, node: Any) -> None:
        self._waiting: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._wake = node.create_guard_condition(self.run)

    def add(self, errand: Callable[[], Any]) -> 'Future[Any]':
        """Add a function to the queue; the future holds its return value."""
        future: Future[Any] = Future()
        self._waiting.append((errand, future))
        self._wake.trigger()
        return future

    def run(self) -> None:
        """Run the queued functions, but those that were canceled; an exception goes to both the spinning thread and the future."""
        while self._waiting:
            errand, future = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(errand())
            except BaseException as error:
                future.set_exception(error)
                raise
