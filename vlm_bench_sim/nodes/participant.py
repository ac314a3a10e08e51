"""A node's part in the lockstep barrier."""

import time
from typing import Any

from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep import Role
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import fill, message

_RETRY_S = 1.0


class Participant:
    """Joins the barrier, as soon as there is a simulator, and acknowledges ticks.

    Args:
        node: that takes part.
        name: it joins under.
        bench: True for a part of the bench, False for a policy.
    """

    def __init__(self, node: BenchNode, name: str, *, bench: bool) -> None:
        self._name, self._role = name, Role.BENCH if bench else Role.POLICY
        self._client = node.client(names.JOIN)
        self._acks = node.publisher(names.ACK)
        self._call: Any = None
        self._asked = 0.0

    @property
    def joined(self) -> bool:
        """True once the simulator has taken it in."""
        return self._call is not None and self._call.done()

    def keep_joined(self) -> None:
        """Join if that has not been done; call it now and then."""
        late = self._call is not None and not self._call.done() and time.monotonic() - self._asked > _RETRY_S
        if (self._call is None or late) and self._client.service_is_ready():
            self._asked = time.monotonic()
            self._call = self._client.call_async(
                fill(self._client.srv_type.Request(), {'participant': self._name, 'role': int(self._role)})
            )

    def ack(self, token: str, seq: int, wants: int = 0) -> None:
        """Acknowledge a tick and ask for `wants` control periods beyond it."""
        self._acks.publish(message(names.ACK.type, {'participant': self._name, 'token': token, 'seq': seq, 'periods_wanted': wants}))
