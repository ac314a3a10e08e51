"""A stopwatch around an object."""

from collections import defaultdict
from collections.abc import Callable
from time import perf_counter
from typing import Any


class Timed:
    """Passes everything on to `target`, and adds up the seconds and the calls of each method.

    Args:
        target: whose methods are called.
        clock: s; wall clock unless another is given.
    """

    def __init__(self, target: Any, clock: Callable[[], float] = perf_counter) -> None:
        self._target, self._clock = target, clock
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._target, name)
        if not callable(member):
            return member

        def timed(*arguments: Any, **named: Any) -> Any:
            begin = self._clock()
            try:
                return member(*arguments, **named)
            finally:
                self.seconds[name] += self._clock() - begin
                self.calls[name] += 1

        return timed
