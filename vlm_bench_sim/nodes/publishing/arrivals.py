"""Who has ever begun to listen to a publisher: unlike the number of those that listen now, it tells of one that takes another's place."""

from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation as rclpy

_KINDS: Any = getattr(rclpy, 'rcl_publisher_event_type_t', None)


class Arrivals:
    """Counts those who come to listen to one publisher.

    It asks for the event of a match instead of waiting for it: an executor that waited for one more thing for each topic of each camera
    would be slower at everything. Humble knows no such event; there the listeners of the moment are counted.
    """

    def __init__(self, publisher: Any) -> None:
        self._publisher, self._event = publisher, None
        if hasattr(_KINDS, 'RCL_PUBLISHER_MATCHED'):
            self._event = rclpy.EventHandle(publisher.handle, _KINDS.RCL_PUBLISHER_MATCHED)

    @property
    def count(self) -> int:
        """How many have come so far."""
        told = self._event.take_event() if self._event is not None else None
        return int(told.total_count if told is not None else self._publisher.get_subscription_count())
