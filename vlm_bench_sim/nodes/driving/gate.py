"""Decides whether the robot accepts commands: an episode runs and the simulation is not paused. Earlier commands are violations. No ROS."""

from collections import deque
from collections.abc import Callable

from vlm_bench_sim.core.codes import EventKind

MOST_VIOLATIONS = 100  # reported for the time before an episode


class Gate:
    """Closed until an episode begins.

    Args:
        paused: returns whether the simulation is paused.
        given: returns whether the aid given_grasp moves the robot.
        warn: called with a sentence on what is ignored.
        tell: reports an event to the judge: its kind and text.
    """

    def __init__(
        self, *, paused: Callable[[], bool], given: Callable[[], bool], warn: Callable[[str], object], tell: Callable[[int, str], None]
    ) -> None:
        self._paused, self._given, self._warn, self._tell = paused, given, warn, tell
        self._violations: deque[str] = deque(maxlen=MOST_VIOLATIONS)
        self.open = False

    def lets(self, what: str) -> bool:
        """Return whether the robot may accept a command now."""
        if not self.open:
            self._warn(f'Ignored {what}: no episode is running.')
            self._violations.append(f'{what} while no episode was running')
        elif self._paused():
            self._warn(f'Ignored {what}: the simulation is paused.')
            return False
        elif self._given():
            self._warn(f'Ignored {what}: the aid given_grasp moves the robot. Wait until `assisting` of /sim/tick is false.')
            return False
        return self.open

    def begin(self) -> None:
        """Open, and report the earlier violations: only now can the judge receive them and a bag hold them."""
        self.open = True
        while self._violations:
            self._tell(EventKind.VIOLATION, self._violations.popleft())
