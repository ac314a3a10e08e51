"""A stopwatch around an object."""

from collections import defaultdict
from time import perf_counter
from typing import Any


class Timed:
    """Passes everything on to `target`, and adds up the seconds and the calls of each method."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._target, name)
        if not callable(member):
            return member

        def timed(*arguments: Any, **named: Any) -> Any:
            begin = perf_counter()
            try:
                return member(*arguments, **named)
            finally:
                self.seconds[name] += perf_counter() - begin
                self.calls[name] += 1

        return timed
