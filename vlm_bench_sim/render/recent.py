"""The few costly things that were used last: what is drawn into takes memory, and anybody may ask for pictures of any size."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar('K', bound=Hashable)
V = TypeVar('V')

MOST = 4


class Recent(Generic[K, V]):
    """Makes things as they are asked for, and keeps those that were asked for last.

    Args:
        make: makes the thing for a key.
        free: frees one that is kept no longer.
        most: how many are kept.
    """

    def __init__(self, make: Callable[[K], V], *, free: Callable[[V], object], most: int = MOST) -> None:
        self._make, self._free, self._most = make, free, most
        self._kept: dict[K, V] = {}  # the one asked for last comes last

    def __getitem__(self, key: K) -> V:
        """Return the thing for that key."""
        self._kept[key] = found = self._kept.pop(key) if key in self._kept else self._make(key)
        while len(self._kept) > self._most:
            self._free(self._kept.pop(next(iter(self._kept))))
        return found

    def release(self) -> None:
        """Free all that are kept."""
        while self._kept:
            self._free(self._kept.popitem()[1])
