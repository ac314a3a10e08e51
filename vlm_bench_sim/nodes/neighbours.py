"""Whether a bench runs in a ROS domain already."""

import time

import rclpy
from rclpy.context import Context
from rclpy.node import Node

from vlm_bench_sim.ros import names

_SIGNS = (names.STATUS, names.TICK, names.REPORT, names.WORLD_STATE, names.EPISODE_TRUTH)
"""Topics that only a bench publishes, in its own domain or in the second one of a scored bench."""


def neighbours(domain: int, seconds: float) -> list[str]:
    """Return the names of the nodes of a bench in a domain: the first that are discovered, within so many seconds of wall clock."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    try:
        node = Node('vlm_bench_probe', context=context, start_parameter_services=False, enable_rosout=False)
        until = time.monotonic() + seconds
        found: set[str] = set()
        while not found and time.monotonic() < until:
            time.sleep(0.05)
            found = {end.node_name for row in _SIGNS for end in node.get_publishers_info_by_topic(row.name)}
        node.destroy_node()
    finally:
        context.try_shutdown()
    return sorted(found)
