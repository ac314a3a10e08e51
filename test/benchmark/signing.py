"""What it costs that a verdict cannot be forged: to sign a world state and to check it, as a share of saying and reading it at all."""

from collections.abc import Callable
from contextlib import closing
from statistics import median
from time import perf_counter
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.nodes.base.signing import SigningPublisher
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import interface, message
from vlm_bench_sim.ros.signature import Signer, Verifier
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.run import Bench

TASK, SPLIT = 'lohoravens/stack_alternate', 'test'
ROW, KEY = names.WORLD_STATE, bytes(32)
SIGNED_A_PERIOD = sum(bool(row.signed) for row in (names.TICK, names.WORLD_STATE, names.COMMANDED, names.APPLIED, names.RUNNING_REPORT))
CHECKS = 4
"""Nodes that hear it: judge, task node, arm node and recorder."""


class _Wire:
    """Takes the bytes that a publisher sends."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def publish(self, data: bytes) -> None:
        """Keep a message."""
        self.sent.append(data)


def report(times: int = 2000) -> list[str]:
    """Return the lines of the report."""
    state, wire, verifier = _state(), _Wire(), Verifier(KEY, ROW.name)
    publisher = SigningPublisher(wire, Signer(KEY, ROW.name))
    plain = _microseconds(lambda: serialize_message(state), times)
    signed = _microseconds(lambda: publisher.publish(state), times)
    sent = iter(wire.sent)
    checked = _microseconds(lambda: verifier.end(next(sent)), times)
    read = _microseconds(lambda: deserialize_message(wire.sent[0], interface(ROW.type)), times)
    period, own = 1e6 / CONTROL_HZ, SIGNED_A_PERIOD * (max(0.0, signed - plain) + CHECKS * checked)
    return [
        f'a world state of {len(wire.sent[0]) / 1024:.1f} kB: written in {plain:.0f} µs, with a signature in {signed:.0f} µs',
        f'read in {read:.0f} µs, and checked in {checked:.0f} µs more',
        f'{SIGNED_A_PERIOD} such messages a period, each checked {CHECKS} times: {own / period:.2%} of {period / 1000:.0f} ms',
    ]


def _state() -> Any:
    episode = catalogue.build(TASK, SPLIT, 100_000)
    with closing(Bench(catalogue.task(TASK).robot)) as bench:
        snapshot = bench.world.load(episode.scene)
    return message(ROW.type, fields.world_state(snapshot, ns=0, token='0' * 8, state_hash='0' * 32))


def _microseconds(what: Callable[[], Any], times: int) -> float:
    """Return the median: on a busy machine single calls take long."""
    found = []
    for _ in range(times):
        begun = perf_counter()
        what()
        found.append(perf_counter() - begun)
    return median(found) * 1e6
