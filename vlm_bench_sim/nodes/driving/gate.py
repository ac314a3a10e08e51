"""Whether the robot listens: an episode runs and nobody has paused the simulation. What comes before one is a violation. No ROS."""

from collections import deque
from collections.abc import Callable

from vlm_bench_sim.core.codes import EventKind

MOST_VIOLATIONS = 100  # that are told of the time before an episode


class Gate:
    """Closed until an episode begins.

    Args:
        paused: tells whether the simulation is.
        warn: called with a sentence on what is ignored.
        tell: tells the judge, as a kind of event with its text.
    """

    def __init__(self, *, paused: Callable[[], bool], warn: Callable[[str], object], tell: Callable[[int, str], None]) -> None:
        self._paused, self._warn, self._tell = paused, warn, tell
        self._violations: deque[str] = deque(maxlen=MOST_VIOLATIONS)
        self.open = False

    def lets(self, what: str) -> bool:
        """Tell whether something that was asked of the robot may be done now."""
        if not self.open:
            self._warn(f'Ignored {what}: no episode is running.')
            self._violations.append(f'{what} while no episode was running')
        elif self._paused():
            self._warn(f'Ignored {what}: the simulation is paused.')
            return False
        return self.open

    def begin(self) -> None:
        """Open, and tell of what came too early: now somebody is there to hear of it, and a bag to hold it."""
        self.open = True
        while self._violations:
            self._tell(EventKind.VIOLATION, self._violations.popleft())
