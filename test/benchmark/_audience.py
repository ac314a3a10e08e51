"""A node as a user might write it, in a process of its own: it listens to every picture topic of the named cameras and counts what comes.

Its queues hold five seconds, so that what is missing was lost on the way and not dropped by a process that another one kept from running.
It says `ready` once each topic has shown something; when it is interrupted it prints, as JSON, the stamps (ns) that came on each topic.
"""

import json
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.fields import read_stamp

DEPTH = 50


class Audience(Node):
    """Keeps the stamps of what it is shown, by topic."""

    def __init__(self, cameras: tuple[str, ...]) -> None:
        super().__init__('audience')
        rows = [replace(row, depth=DEPTH) for row in names.camera_names(cameras) if not (row.latched or row.private)]
        self.stamps: dict[str, list[int]] = {row.name: [] for row in rows}
        self._said = False
        for row in rows:
            self.create_subscription(interface(row.type), row.name, self._taker(row.name), qos(row))

    def _taker(self, name: str) -> Any:
        def take(message: Any) -> None:
            self.stamps[name].append(read_stamp(message.header.stamp))
            if not self._said and all(self.stamps.values()):
                self._said = True
                print('ready', flush=True)

        return take


def main() -> None:
    """Listen until interrupted."""
    rclpy.init()
    node = Audience(tuple(sys.argv[1].split(',')))
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)
    print(json.dumps(node.stamps), flush=True)


if __name__ == '__main__':
    main()
