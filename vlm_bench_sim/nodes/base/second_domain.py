"""The private node of a scored bench, on the next ROS domain, where no policy looks.

That domain never leaves the machine, even if the public domain does. A policy in a separate network that can reach the bench
therefore reaches only the public domain.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node


class SecondDomain:
    """A node in its own context on ROS_DOMAIN_ID + 1, with a thread that spins it.

    Args:
        name: name of the node.
        failed: called in that thread with the exception that ends it.
    """

    def __init__(self, name: str, *, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._context = Context()
        with _local():
            rclpy.init(context=self._context, domain_id=int(os.environ.get('ROS_DOMAIN_ID', '0')) + 1)
        self.node = Node(name, context=self._context, start_parameter_services=False, enable_rosout=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._thread = Thread(target=self._spin, name='private domain', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Destroy node and context."""
        self._executor.shutdown(timeout_sec=1.0)
        self._thread.join(timeout=2.0)
        self.node.destroy_node()
        self._context.try_shutdown()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except Exception as error:
            self._failed(error)


@contextmanager
def _local() -> Iterator[None]:
    """Limit the discovery of nodes made within the block to this machine; rcl reads its environment when a context begins."""
    name, value = (
        ('ROS_LOCALHOST_ONLY', '1') if os.environ.get('ROS_DISTRO') == 'humble' else ('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    )
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
