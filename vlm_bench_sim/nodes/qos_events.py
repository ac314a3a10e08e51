"""What our ends of a topic do when another node asks for a QoS that does not fit: nothing.

rclpy warns of that at both ends. Listening for it costs a recorder a fifth of its time, so ours does not: whoever connects with another QoS
than the table's reads the warning in the log of that node.
"""

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:  # Humble
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

UNHEARD_PUBLISHER = PublisherEventCallbacks(use_default_callbacks=False)
UNHEARD_SUBSCRIPTION = SubscriptionEventCallbacks(use_default_callbacks=False)
