"""A node has room for what many others say of themselves at once; what does not fit is lost, and said again a second later."""

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context

WANTED = 4_194_304  # `receiveBufferSize` in config/fastdds.xml
PORTS = 250  # a domain's


@pytest.fixture
def ports(domains):
    """The UDP ports of a domain that a node of this process is in."""
    context, domain = Context(), domains()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('listening', context=context)
    yield range(7400 + PORTS * domain, 7400 + PORTS * (domain + 1))
    node.destroy_node()
    context.shutdown()


def receive_buffers(ports):
    found = {}
    for entry in os.listdir('/proc/self/fd'):
        with suppress(OSError), socket.fromfd(int(entry), socket.AF_INET, socket.SOCK_DGRAM) as mine:
            family, kind = (mine.getsockopt(socket.SOL_SOCKET, option) for option in (socket.SO_DOMAIN, socket.SO_TYPE))
            if (family, kind) == (socket.AF_INET, socket.SOCK_DGRAM) and mine.getsockname()[1] in ports:
                found[mine.getsockname()[1]] = mine.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    return found


def test_the_sockets_of_a_node_have_room_for_many_that_start_at_once(ports):
    granted = min(WANTED, int(Path('/proc/sys/net/core/rmem_max').read_text()))
    found = receive_buffers(ports)
    assert len(found) >= 2  # one for discovery, one for messages
    assert set(found.values()) == {2 * granted}  # the kernel counts its own bookkeeping, too
