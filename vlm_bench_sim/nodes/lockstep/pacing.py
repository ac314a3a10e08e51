"""Decides when control periods run: in lockstep when the barrier permits, in realtime by the wall clock. No ROS."""

import time
from collections.abc import Callable
from typing import Protocol

from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.timing import PERIOD_S

LOCKSTEP, REALTIME = 'lockstep', 'realtime'

IDLE_S = 0.05
BATCH = 4
"""Maximum number of periods in one batch."""

SERVING_S = 0.005
"""Time left for callbacks after a batch, s of wall clock."""

TURN_S = 0.004
"""Timeout of one wait for messages while periods are paced, s. Always the same: with another timeout rclpy restarts its round through
all ready entities, and it serves topics before services and actions, which would then rarely get a turn."""


class Pauses(Protocol):
    """Whether the simulation is paused, and whether steps were requested."""

    @property
    def paused(self) -> bool:
        """True if no period may run except for a step."""
        ...

    @property
    def step_due(self) -> bool:
        """True if a step was requested."""
        ...


class ByBarrier:
    """Runs a period as soon as it is permitted.

    Args:
        ready: returns whether a period may run.
    """

    flows = False

    def __init__(self, ready: Callable[[], bool]) -> None:
        self._ready = ready

    def restart(self) -> None:
        """Note that a scene was loaded."""

    def wait(self) -> float:
        """Return how long the simulator may wait for messages now, s of wall clock."""
        return 0.0 if self._ready() else IDLE_S

    def due(self) -> int:
        """Return how many periods should run now."""
        return int(self._ready())

    def ran(self) -> None:
        """Note that a period has run."""


class ByClock:
    """Follows the wall clock: late periods are caught up in batches, and the lag is reported once per period.

    Args:
        clock: wall clock, s.
        pauses: of the simulation; paused time is not caught up.
        tell: called with the lag, s.
    """

    def __init__(self, clock: Callable[[], float], *, pauses: Pauses, tell: Callable[[float], None]) -> None:
        self._clock, self._pauses, self._tell = clock, pauses, tell
        self.restart()

    @property
    def flows(self) -> bool:
        """True if time passes even when nobody needs it."""
        return not self._pauses.paused

    def restart(self) -> None:
        """Start the next period one period from now, after a scene was loaded."""
        self._next, self._serve_until = self._clock() + PERIOD_S, 0.0

    def wait(self) -> float:
        """Return how long the simulator may wait for messages now, s of wall clock."""
        if self._pauses.paused:
            return 0.0 if self._pauses.step_due else IDLE_S
        return TURN_S

    def due(self) -> int:
        """Return how many periods should run now: the late ones, at most one batch."""
        if self._pauses.paused:
            self.restart()
            return int(self._pauses.step_due)
        now = self._clock()
        return 0 if now < max(self._next, self._serve_until) else min(BATCH, 1 + int((now - self._next) / PERIOD_S))

    def ran(self) -> None:
        """Note that a period has run, and report its lag."""
        now = self._clock()
        self._tell(max(0.0, now - self._next))
        self._next, self._serve_until = self._next + PERIOD_S, now + SERVING_S


def pacing(mode: str, *, ready: Callable[[], bool], pauses: Pauses, tell: Callable[[float], None]) -> ByBarrier | ByClock:
    """Return the pacing of a mode; `ready` is the barrier's, `pauses` and `tell` as for `ByClock`.

    Raises:
        ConfigError: there is no such mode.
    """
    if mode == LOCKSTEP:
        return ByBarrier(ready)
    if mode == REALTIME:
        return ByClock(time.monotonic, pauses=pauses, tell=tell)
    raise ConfigError(f'There is no mode called {mode!r}. {near(mode, (LOCKSTEP, REALTIME))}')
