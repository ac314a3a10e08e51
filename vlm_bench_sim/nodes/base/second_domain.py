"""The private twin of a scored bench's node: on the domain above, where no policy looks.

That domain never leaves the machine, however far the bench's own one goes. So a policy in a network of its own, from which it reaches the
bench, still reaches no more than the domain of policies.
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
    """A node in a context of its own on ROS_DOMAIN_ID + 1, with a thread that spins it.

    Args:
        name: of the node.
        failed: told of what ends the thread, in that thread.
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
    """Let what begins within the context discover others of this machine only; rcl reads its environment as a context begins."""
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
