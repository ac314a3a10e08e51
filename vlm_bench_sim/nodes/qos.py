"""The QoS of our topics, and what our ends do when another node asks for one that does not fit: nothing.

rclpy warns of that at both ends. Listening for it costs a recorder a fifth of its time, so ours does not: whoever connects with another QoS
than the table's reads the warning in the log of that node.
"""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from vlm_bench_sim.ros.names import Name

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:  # Humble
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

UNHEARD_PUBLISHER = PublisherEventCallbacks(use_default_callbacks=False)
UNHEARD_SUBSCRIPTION = SubscriptionEventCallbacks(use_default_callbacks=False)


def qos(row: Name) -> QoSProfile:
    """Return the QoS of a topic: reliable, and transient_local where it is latched."""
    durability = DurabilityPolicy.TRANSIENT_LOCAL if row.latched else DurabilityPolicy.VOLATILE
    return QoSProfile(depth=row.depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability)
