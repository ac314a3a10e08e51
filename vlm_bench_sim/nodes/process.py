"""The life of a node's process."""

import sys
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions, install_signal_handlers

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.nodes import shared_memory


def run(build: Callable[[], Any]) -> int:
    """Run a node until it is interrupted; return the exit code of the process.

    `build` makes an object with `spin_once()` and `close()`. Stopping is not an error; one of our errors is printed as a sentence.
    """
    shared_memory.clean()
    # Until the node stands, a signal simply ends the process: half a node whose context is gone complains as it is torn down.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = None
    try:
        node = build()
        install_signal_handlers(SignalHandlerOptions.ALL)
        while rclpy.ok():
            node.spin_once()
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except VlmBenchError as error:
        sys.stderr.write(f'error: {error}\n')
        return 1
    except Exception:
        # A signal shuts the context down under whatever rclpy is doing, which then raises one of many errors.
        if rclpy.ok():
            raise
        return 0
    finally:
        if node is not None:
            node.close()
        rclpy.try_shutdown()
    return 0
