"""Run slow work, such as calling a model, in a thread, so that the node keeps processing messages."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from vlm_bench_sim.nodes.base.bench_node import BenchNode

T = TypeVar('T')


def think(node: BenchNode, work: Callable[[], T], done: Callable[[T], None]) -> None:
    """Start some work in a thread; its end is reported in the thread that spins the node.

    Args:
        node: the spinning node.
        work: runs in its own thread.
        done: called with the result. Exceptions are raised in the spinning thread and end the node, since they are unexpected.
    """

    def run() -> None:
        try:
            result = work()
        except Exception as error:
            _end(node, error)
        else:
            node.on_spin(lambda: done(result))

    Thread(target=run, name='thinking', daemon=True).start()


def _end(node: BenchNode, error: Exception) -> None:
    def throw() -> None:
        raise error

    if node.ok():  # otherwise the process is shutting down, and using the context would raise
        node.on_spin(throw)
