"""The QoS of our topics, and how our nodes react to another node with an incompatible QoS.

rclpy warns of an incompatible QoS on both sides. Listening for that event costs a recorder a fifth of its time. Our nodes therefore listen
only on topics that a policy or a tracker publishes. On all other topics, the warning appears in the log of the other node.
"""

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from vlm_bench_sim.ros.names import Name

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:  # Humble
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

NAMED_S = 1.0
HEARD = 100
"""Queue length of a subscriber to a signed topic: unsigned messages, which are dropped, must not push out those of the bench."""
SERVED = QoSProfile(depth=1000)
"""QoS of services. Its queue is long because hundreds of participants may leave the barrier at once."""
UNHEARD_PUBLISHER = PublisherEventCallbacks(use_default_callbacks=False)
UNHEARD_SUBSCRIPTION = SubscriptionEventCallbacks(use_default_callbacks=False)


def qos(row: Name) -> QoSProfile:
    """Return the QoS of a topic: reliable, and transient_local where it is latched."""
    durability = DurabilityPolicy.TRANSIENT_LOCAL if row.latched else DurabilityPolicy.VOLATILE
    return QoSProfile(depth=row.depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability)


def heard(row: Name) -> QoSProfile:
    """Return the QoS of a subscriber to a topic."""
    profile = qos(row)
    profile.depth = max(row.depth, HEARD) if row.signed else row.depth
    return profile


def subscription_events(row: Name, node: Any, warn: Callable[[str], None], *, raw: bool) -> SubscriptionEventCallbacks:
    """Return the events of a subscription: `warn` names a node that publishes a topic of policies or trackers with best effort."""
    if raw or row.server or row.signed:
        return UNHEARD_SUBSCRIPTION

    timers: list[Any] = []

    def name_it() -> None:
        node.destroy_timer(timers.pop())
        ends = node.get_publishers_info_by_topic(row.name)
        who = sorted({end.node_name for end in ends if end.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT})
        if who:
            warn(f'{", ".join(who)} publishes {row.name} best effort, so no message arrives. Publish it with reliable QoS.')

    def unfit(_event: Any) -> None:
        if not timers:  # a node's name is discovered a little later than its publisher
            timers.append(node.create_timer(NAMED_S, name_it, clock=Clock(clock_type=ClockType.STEADY_TIME)))

    return SubscriptionEventCallbacks(incompatible_qos=unfit, use_default_callbacks=False)
