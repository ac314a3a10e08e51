"""The QoS of our topics, and what our ends do when another node asks for one that does not fit.

rclpy warns of that at both ends. Listening for it costs a recorder a fifth of its time, so ours listens on those topics alone that a policy
or a tracker writes. Of all others, whoever connects with another QoS than the table's reads the warning in the log of that node.
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
"""Messages on a signed topic that wait for who hears them: those of strangers, which are dropped, push out none of the bench."""
SERVED = QoSProfile(depth=1000)
"""Of services: so many requests wait to be served, since hundreds of participants may leave the barrier at once."""
UNHEARD_PUBLISHER = PublisherEventCallbacks(use_default_callbacks=False)
UNHEARD_SUBSCRIPTION = SubscriptionEventCallbacks(use_default_callbacks=False)


def qos(row: Name) -> QoSProfile:
    """Return the QoS of a topic: reliable, and transient_local where it is latched."""
    durability = DurabilityPolicy.TRANSIENT_LOCAL if row.latched else DurabilityPolicy.VOLATILE
    return QoSProfile(depth=row.depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability)


def heard(row: Name) -> QoSProfile:
    """Return the QoS with which a topic is heard."""
    profile = qos(row)
    profile.depth = max(row.depth, HEARD) if row.signed else row.depth
    return profile


def subscription_events(row: Name, node: Any, warn: Callable[[str], None], *, raw: bool) -> SubscriptionEventCallbacks:
    """Return what a subscription listens for: a node that writes a topic of policies or trackers best effort, which is named by `warn`."""
    if raw or row.server or row.signed:
        return UNHEARD_SUBSCRIPTION

    timers: list[Any] = []

    def name_it() -> None:
        node.destroy_timer(timers.pop())
        ends = node.get_publishers_info_by_topic(row.name)
        who = sorted({end.node_name for end in ends if end.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT})
        if who:
            warn(f'{", ".join(who)} publishes {row.name} best effort: nothing of that arrives. Publish it reliably.')

    def unfit(_event: Any) -> None:
        if not timers:  # the name of a node comes a little later than its publisher
            timers.append(node.create_timer(NAMED_S, name_it, clock=Clock(clock_type=ClockType.STEADY_TIME)))

    return SubscriptionEventCallbacks(incompatible_qos=unfit, use_default_callbacks=False)
