"""Ticks from the wall clock, one per control period, for setups without a simulator."""

import time
from types import SimpleNamespace

from vlm_bench_sim.core.timing import PERIOD_S, STEPS_PER_PERIOD
from vlm_bench_sim.ros import fields


def tick(token: str, seq: int, ns: int) -> SimpleNamespace:
    """Return the content of a Tick at a time, ns, where no simulator publishes ticks."""
    seconds, nanoseconds = divmod(ns, fields.SECOND_NS)
    return SimpleNamespace(
        header=SimpleNamespace(stamp=SimpleNamespace(sec=seconds, nanosec=nanoseconds)), token=token, seq=seq, step=seq * STEPS_PER_PERIOD,
        arm_busy=False, gripper_busy=False, assisting=False,
    )  # fmt: skip


class Pulse:
    """Counts the control periods of an episode by the wall clock; missed ticks are not made up for."""

    def __init__(self) -> None:
        self._token, self._seq, self._next = '', 0, 0.0

    def begin(self, token: str) -> None:
        """Restart the count."""
        self._token, self._seq, self._next = token, 0, time.monotonic()

    def beat(self) -> SimpleNamespace | None:
        """Return the content of a Tick if a period has passed since the last one; None if not, or before the first episode."""
        now = time.monotonic()
        if not self._token or now < self._next:
            return None
        self._next = max(self._next + PERIOD_S, now)
        self._seq += 1
        return tick(self._token, self._seq, time.time_ns())
