"""A cache of the objects used last: framebuffers take memory, and pictures of any size may be requested."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar('K', bound=Hashable)
V = TypeVar('V')

MOST = 4


class Recent(Generic[K, V]):
    """Creates objects on demand, and keeps those used last.

    Args:
        make: creates the object for a key.
        free: frees an object that is discarded.
        most: maximum number of kept objects.
    """

    def __init__(self, make: Callable[[K], V], *, free: Callable[[V], object], most: int = MOST) -> None:
        self._make, self._free, self._most = make, free, most
        self._kept: dict[K, V] = {}  # the one used last comes last

    def __getitem__(self, key: K) -> V:
        """Return the object for that key."""
        self._kept[key] = found = self._kept.pop(key) if key in self._kept else self._make(key)
        while len(self._kept) > self._most:
            self._free(self._kept.pop(next(iter(self._kept))))
        return found

    def release(self) -> None:
        """Free all kept objects."""
        while self._kept:
            self._free(self._kept.popitem()[1])
