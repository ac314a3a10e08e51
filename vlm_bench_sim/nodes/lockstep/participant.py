"""A node's part in the lockstep barrier."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.barrier import LEAVE, Role
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message

SETTLE_S = 0.5
AGAIN_S = 1.0
LEAVE_S = 0.5  # maximum, of wall clock: if all processes end, nobody is left to answer


class Participant:
    """Joins the barrier of every simulator that appears, acknowledges ticks, and leaves before its node closes, so nobody waits for it.

    An acknowledgement is repeated every second: a lost one would stop the world, and losses happen while nodes discover one another.

    Args:
        node: the node that takes part.
        name: its name in the barrier.
        bench: True for a part of the bench, False for a policy.
        ready: returns whether the node has discovered all that it needs; it joins half a second later, when the others know it too.
        told: topics whose publishers it must discover before it joins. An episode begins once every part of the bench has joined: one that
            does not know yet who describes the episode would hold it up.
    """

    def __init__(
        self,
        node: BenchNode,
        name: str,
        *,
        bench: bool,
        ready: Callable[[], bool] = lambda: True,
        told: Iterable[names.Name] = (names.WORLD_STATE,),
    ) -> None:
        self._node, self._name, self._role, self._ready = node, name, Role.BENCH if bench else Role.POLICY, ready
        self._told = tuple(told)
        self._client = node.client(names.JOIN)
        self._acks = node.publisher(names.ACK)
        self._ready_since: float | None = None
        self._call: Any = None
        self._acked: Any = None
        self._acked_at = 0.0
        node.farewells.append(self.leave)

    @property
    def joined(self) -> bool:
        """True once the simulator has accepted it."""
        return self._call is not None and self._call.done()

    @property
    def late(self) -> bool:
        """True while a simulator does not know of it yet and may publish what it misses."""
        return self._call is None and self._client.service_is_ready()

    def keep_joined(self) -> None:
        """Join if it has not yet, or repeat the last acknowledgement. Call it regularly."""
        if self._acked is not None and time.monotonic() - self._acked_at > AGAIN_S:
            self._say(self._acked)
        served = self._client.service_is_ready()
        if self.joined and not served:  # the simulator is gone, and another may appear
            self._call = self._ready_since = None
        if self._call is not None or not (served and all(map(self._node.is_told, self._told)) and self._ready()):
            return
        self._ready_since = self._ready_since or time.monotonic()
        if time.monotonic() - self._ready_since >= SETTLE_S:
            self._call = self._node.call(self._client, {'participant': self._name, 'role': int(self._role)})

    def leave(self) -> None:
        """Leave, if it has joined and there is a simulator; the simulator keeps parts of the bench."""
        asked, self._call = self._call, None
        if asked is None or not self._client.service_is_ready():
            return
        asked.cancel()  # a pending request to join would be sent again
        left = self._node.call(self._client, {'participant': self._name, 'role': LEAVE})
        until = time.monotonic() + LEAVE_S
        while not left.done() and time.monotonic() < until:
            self._node.spin_once(0.02)

    def ack(self, token: str, seq: int, wants: int = 0) -> None:
        """Acknowledge a tick and ask for `wants` control periods beyond it."""
        self._say(message(names.ACK.type, {'participant': self._name, 'token': token, 'seq': seq, 'periods_wanted': wants}))

    def _say(self, ack: Any) -> None:
        self._acked, self._acked_at = ack, time.monotonic()
        self._acks.publish(ack)
