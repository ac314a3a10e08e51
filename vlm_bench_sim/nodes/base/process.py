"""The life cycle of a node's process."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.nodes.base import shared_memory
from vlm_bench_sim.ros.orphan import end_with_parent


def run(build: Callable[[], Any]) -> int:
    """Run a node until it is interrupted; return the exit code of the process.

    `build` returns an object with `spin_once()`, which returns within about a tenth of a second, and `close()`. Stopping is not an error;
    one of our errors is printed as a sentence. Until `build` returns, a signal simply ends the process. Afterwards the node is closed
    while its context is still valid, so clients that wait for a result receive one. The process ends with its parent process.
    """
    end_with_parent()
    shared_memory.clean()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = None
    try:
        node = build()
        with _signals() as seen:
            while not seen and rclpy.ok():
                node.spin_once()
            node.close()
            node = None
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except VlmBenchError as error:
        sys.stderr.write(f'error: {error}\n')
        return 1
    finally:
        if node is not None:
            node.close()
        rclpy.try_shutdown()
    return 0


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collect the signals that ask the process to end."""
    seen: list[int] = []

    def take(number: int, _frame: FrameType | None) -> None:
        seen.append(number)

    before = {number: signal.signal(number, take) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
