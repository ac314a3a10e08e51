"""Publishes pictures that say when they were sent, in a process of its own: 256x256 color at 20 Hz, CLOCK_MONOTONIC ns in `frame_id`."""

import time

import numpy as np
import rclpy
from rclpy.node import Node

from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface, message

ROW = names.COLOR.camera('benchmark')
SIDE = 256


def main() -> None:
    """Publish until interrupted, as soon as somebody listens."""
    rclpy.init()
    node = Node('ping')
    publisher = node.create_publisher(interface(ROW.type), ROW.name, qos(ROW))
    pixels = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8).tobytes()
    fields = {'height': SIDE, 'width': SIDE, 'step': 3 * SIDE, 'encoding': 'rgb8', 'data': pixels}
    try:
        while rclpy.ok():
            time.sleep(0.05)
            if publisher.get_subscription_count():
                picture = message(ROW.type, fields)
                picture.header.frame_id = str(time.monotonic_ns())
                publisher.publish(picture)
    except KeyboardInterrupt:
        pass


if __name__ == '__main__':
    main()
