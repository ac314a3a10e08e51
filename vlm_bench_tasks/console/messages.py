"""Send a picture from one process to another over ROS, and see who else is in the domain. Imports rclpy in those processes alone."""

import os
import secrets
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import KW_ONLY, dataclass
from statistics import median
from typing import Any

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros import names
from vlm_bench_tasks import workers
from vlm_bench_tasks.console.findings import Check, not_tried
from vlm_bench_tasks.console.tryouts import Reference, failed, unstarted
from vlm_bench_tasks.graph import environment
from vlm_bench_tasks.launching.domain import claimant, free, present
from vlm_bench_tasks.workers import Lost

MESSAGE, OTHERS = 'message', 'other benches'
REFERENCE = Reference(0.65, 'ms', 'Each control period waits for several messages, so benches take longer.')
PATIENCE_S = 8.0
_GRACE_S = 7.0  # to import rclpy, and to leave the domain
_COUNT, _BETWEEN_S, _SIDE = 20, 0.02, 256
_LOOK_S = 5.0  # others announce themselves every 3 s, and an answer to a new node may be lost; a bench was seen whole after 4 s


@dataclass(frozen=True)
class End:
    """One of the two processes.

    Attributes:
        topic: name of the topic, which nobody else uses.
        domain: ROS domain.
        speaks: it publishes; otherwise it subscribes.
        patience: timeout, wall-clock s.
    """

    topic: str
    domain: int
    _: KW_ONLY
    speaks: bool
    patience: float = PATIENCE_S


@dataclass(frozen=True)
class Heard:
    """What the subscriber found.

    Attributes:
        times: from before publishing to the callback, ms, of the messages in the order in which they arrived.
        benches: nodes of benches in the domain.
        clocks: nodes that publish /clock there.
    """

    times: tuple[float, ...] = ()
    benches: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()


def rows(earlier: Iterable[Check]) -> list[Check]:
    """Return the rows of a message and of other benches in the ROS domain of this process.

    Args:
        earlier: rows of what they need.
    """
    wrong = [check.name for check in earlier if not check.ok]
    try:
        domain = present()
    except ConfigError as error:
        return [not_tried(name, str(error)) for name in (MESSAGE, OTHERS)]
    if lacking := [need for need in ('ROS 2', 'RMW') if need in wrong]:
        why = f'it needs {" and ".join(lacking)}'
        return [not_tried(MESSAGE, why), others(domain) if claimant(domain) else not_tried(OTHERS, why)]
    heard = exchange(*ends(domain))
    if isinstance(heard, Lost):
        return [failed(MESSAGE, heard, _remedy()), others(domain)]
    return [message(heard), others(domain, heard)]


def ends(domain: int) -> tuple[End, End]:
    """Return the two ends of a topic that nobody else uses: the publisher and the subscriber."""
    topic = f'/vlm_bench_doctor/message_{os.getpid()}_{secrets.token_hex(4)}'
    return End(topic, domain, speaks=True), End(topic, domain, speaks=False)


def message(heard: Heard) -> Check:
    """Return the row of a message."""
    if not heard.times:
        return Check(MESSAGE, f'nothing arrived from another process within {PATIENCE_S:g} s', _remedy())
    return REFERENCE.check(MESSAGE, median(heard.times))


def others(domain: int, heard: Heard = Heard()) -> Check:
    """Return the row of other benches in a ROS domain: what `vlm-bench up` would refuse, or stop for."""
    told = []
    try:
        if owner := claimant(domain):
            told.append(owner)
        if not told and not heard.benches and not heard.clocks:
            return Check(OTHERS, f'none in ROS domain {domain}')
        other = free(domain)
    except ConfigError as error:
        return Check(OTHERS, ''.join(told) or 'cannot be told', str(error))
    if heard.benches:
        told.append(f'nodes {", ".join(heard.benches)}')
    if heard.clocks:
        told.append(f'{names.CLOCK.name} from {", ".join(heard.clocks)}')
    other += other % 2
    return Check(
        OTHERS,
        f'in ROS domain {domain}: {"; ".join(told)}',
        f'End them, or choose another even ROS_DOMAIN_ID up to 100: export ROS_DOMAIN_ID={other}',
    )


def exchange(speaker: End, listener: End) -> Heard | Lost:
    """Run both ends, each in a process of its own, and return what the listener found; both processes are gone afterwards."""
    patience = max(speaker.patience, listener.patience) + _GRACE_S
    try:
        with closing(workers.play([speaker, listener], take_part, workers=2, patience=patience)) as results:
            found = dict(results)
    except (OSError, EOFError) as error:
        return unstarted(error)
    mine, theirs = found[listener], found[speaker]
    return theirs if isinstance(theirs, Lost) and isinstance(mine, Heard) and not mine.times else mine


def take_part(end: End) -> Heard:
    """Be one end, with the environment that the nodes of a bench have. Called in a process of its own."""
    os.environ.update(environment(os.environ))
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from vlm_bench_sim.nodes.base import shared_memory

    shared_memory.clean()
    rclpy.init(args=[], domain_id=end.domain, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node(f'vlm_bench_doctor_{os.getpid()}', start_parameter_services=False, enable_rosout=False)
    try:
        return _speak(node, end) if end.speaks else _hear(node, end)
    finally:
        with suppress(RuntimeError):  # the node is going anyway
            node.destroy_node()
        rclpy.try_shutdown()


def _speak(node: Any, end: End) -> Heard:
    """Publish until the subscriber, once it was there, has gone."""
    from vlm_bench_sim.nodes.base.qos import qos
    from vlm_bench_sim.ros import convert

    row = names.COLOR
    publisher = node.create_publisher(convert.interface(row.type), end.topic, qos(row))
    fields = {'height': _SIDE, 'width': _SIDE, 'step': 3 * _SIDE, 'encoding': 'rgb8', 'data': os.urandom(3 * _SIDE**2)}
    picture, met, deadline = convert.message(row.type, fields), False, time.monotonic() + end.patience
    left = 3 * _COUNT  # some may be lost; more would only burden the machine
    while time.monotonic() < deadline:
        there = publisher.get_subscription_count() > 0
        if met and not there:
            break
        met = there
        if there and left:
            left -= 1
            picture.header.frame_id = str(time.monotonic_ns())
            publisher.publish(picture)
        time.sleep(_BETWEEN_S)
    return Heard()


def _hear(node: Any, end: End) -> Heard:
    """Subscribe until enough has arrived, and those who were there before have been discovered."""
    import rclpy

    from vlm_bench_sim.nodes.base.qos import qos
    from vlm_bench_sim.ros import convert
    from vlm_bench_tasks.launching.listener import nodes_of_benches

    times: list[float] = []
    row = names.COLOR
    node.create_subscription(
        convert.interface(row.type), end.topic, lambda told: times.append((time.monotonic_ns() - int(told.header.frame_id)) / 1e6), qos(row)
    )
    began = time.monotonic()
    while time.monotonic() - began < (_LOOK_S if len(times) >= _COUNT else end.patience):
        rclpy.spin_once(node, timeout_sec=0.1)
    clocks = {told.node_name for told in node.get_publishers_info_by_topic(names.CLOCK.name)}
    return Heard(tuple(times), tuple(nodes_of_benches(node)), tuple(sorted(clocks)))


def _remedy() -> str:
    """Return what may help if messages do not arrive."""
    if os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE') == 'OFF':
        return 'ROS_AUTOMATIC_DISCOVERY_RANGE=OFF hides processes from each other. Set it to LOCALHOST.'
    if 'zenoh' in os.environ.get('RMW_IMPLEMENTATION', ''):
        return 'Start the router of Zenoh: ros2 run rmw_zenoh_cpp rmw_zenohd'
    return (
        'Allow UDP and multicast between processes here (firewall, VPN, container), or set ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST. '
        'Unset variables of the middleware, such as FASTDDS_DEFAULT_PROFILES_FILE or CYCLONEDDS_URI.'
    )
