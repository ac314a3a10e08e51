"""What takes long, such as asking a model, is done in a thread of its own, so that the node goes on hearing."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from vlm_bench_sim.nodes.base.bench_node import BenchNode

T = TypeVar('T')


def think(node: BenchNode, work: Callable[[], T], done: Callable[[T], None]) -> None:
    """Begin some work; its end is told in the thread that spins the node.

    Args:
        node: that is spun.
        work: is done in a thread of its own.
        done: is called with what it returns. What it raises is raised where the node is spun, which ends the node: nobody foresaw it.
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

    if node.ok():  # else the process is ending, and what touches a context then raises
        node.on_spin(throw)
