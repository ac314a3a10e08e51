"""What is told of an episode before its description: topics overtake one another."""

from collections import deque
from collections.abc import Callable
from typing import Any

_EPISODES, _MESSAGES = 16, 1000


class Early:
    """Keeps the newest messages about each of the newest episodes that nobody has described yet."""

    def __init__(self) -> None:
        self._kept: dict[str, deque[tuple[Callable[[Any], None], Any]]] = {}
        self._described = ''

    def keep(self, message: Any, take: Callable[[Any], None]) -> None:
        """Keep a message with what takes it in, unless it is of no episode or of the one that was described last."""
        if message.token in ('', self._described):  # in realtime the world goes on without an episode, and after one
            return
        waiting = self._kept.pop(message.token, None) or deque(maxlen=_MESSAGES)
        waiting.append((take, message))
        self._kept[message.token] = waiting
        if len(self._kept) > _EPISODES:
            del self._kept[next(iter(self._kept))]

    def describe(self, token: str) -> None:
        """Have the messages about an episode taken in, as they came; all others are forgotten."""
        kept, self._kept, self._described = self._kept.get(token, ()), {}, token
        for take, message in tuple(kept):
            take(message)
