"""When control periods run: in lockstep whenever the barrier lets them, in realtime by the wall clock. No ROS."""

import time
from collections.abc import Callable
from typing import Protocol

from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.timing import PERIOD_S

LOCKSTEP, REALTIME = 'lockstep', 'realtime'

IDLE_S = 0.05
BATCH = 4
"""Most periods that run at a stretch."""

SERVING_S = 0.005
"""What is left after a batch for who wants something of the simulator, s of wall clock."""

TURN_S = 0.004
"""How long one wait for messages may last while periods are paced, s. Always the same: rclpy begins its round through all that is ready
anew where another wait is asked for, and serves topics before services and actions, whose turn would hardly come."""


class Pauses(Protocol):
    """Whether somebody has paused the simulation, and asked for a step meanwhile."""

    @property
    def paused(self) -> bool:
        """True where no period may run but for a step."""
        ...

    @property
    def step_due(self) -> bool:
        """True where a step was asked for."""
        ...


class ByBarrier:
    """A period runs as soon as it may.

    Args:
        ready: tells whether it may.
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
        """Return how many periods shall run now."""
        return int(self._ready())

    def ran(self) -> None:
        """Note that a period has run."""


class ByClock:
    """Keeps the wall clock: what is late is caught up with in batches, and how late it is is told once a period.

    Args:
        clock: wall clock, s.
        pauses: of the simulation; what passes meanwhile is not caught up with.
        tell: called with the lag, s.
    """

    def __init__(self, clock: Callable[[], float], *, pauses: Pauses, tell: Callable[[float], None]) -> None:
        self._clock, self._pauses, self._tell = clock, pauses, tell
        self.restart()

    @property
    def flows(self) -> bool:
        """True where time passes though nobody needs it."""
        return not self._pauses.paused

    def restart(self) -> None:
        """Let the next period begin a period from now: a scene was loaded."""
        self._next, self._serve_until = self._clock() + PERIOD_S, 0.0

    def wait(self) -> float:
        """Return how long the simulator may wait for messages now, s of wall clock."""
        if self._pauses.paused:
            return 0.0 if self._pauses.step_due else IDLE_S
        return TURN_S

    def due(self) -> int:
        """Return how many periods shall run now: those that are late, a batch at most."""
        if self._pauses.paused:
            self.restart()
            return int(self._pauses.step_due)
        now = self._clock()
        return 0 if now < max(self._next, self._serve_until) else min(BATCH, 1 + int((now - self._next) / PERIOD_S))

    def ran(self) -> None:
        """Note that a period has run, and tell how late it is."""
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
