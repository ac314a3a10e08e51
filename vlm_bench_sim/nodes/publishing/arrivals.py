"""Counts all subscribers that ever matched a publisher; unlike the current number, it also shows one that replaces another."""

from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation as rclpy

_KINDS: Any = getattr(rclpy, 'rcl_publisher_event_type_t', None)


class Arrivals:
    """Counts the subscribers that match one publisher.

    It polls for the match event and does not wait for it: an executor that waited for one more entity per topic and camera would be slower
    at everything. Humble has no such event; there the current subscribers are counted.
    """

    def __init__(self, publisher: Any) -> None:
        self._publisher, self._event = publisher, None
        if hasattr(_KINDS, 'RCL_PUBLISHER_MATCHED'):
            self._event = rclpy.EventHandle(publisher.handle, _KINDS.RCL_PUBLISHER_MATCHED)

    @property
    def count(self) -> int:
        """Number of subscribers so far."""
        told = self._event.take_event() if self._event is not None else None
        return int(told.total_count if told is not None else self._publisher.get_subscription_count())
