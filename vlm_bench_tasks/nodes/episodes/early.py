"""Keep messages that arrive before the description of their episode. ROS does not keep the order between topics."""

from collections import deque
from collections.abc import Callable
from typing import Any

_EPISODES, _MESSAGES = 16, 1000


class Early:
    """Keeps the newest messages about each of the newest episodes that have not been described yet."""

    def __init__(self) -> None:
        self._kept: dict[str, deque[tuple[Callable[[Any], None], Any]]] = {}
        self._described = ''

    def keep(self, message: Any, take: Callable[[Any], None]) -> None:
        """Keep a message with its callback, unless it belongs to no episode or to the one described last."""
        if message.token in ('', self._described):  # in realtime the world also runs before and after an episode
            return
        waiting = self._kept.pop(message.token, None) or deque(maxlen=_MESSAGES)
        waiting.append((take, message))
        self._kept[message.token] = waiting
        if len(self._kept) > _EPISODES:
            del self._kept[next(iter(self._kept))]

    def describe(self, token: str) -> None:
        """Pass the kept messages of an episode to their callbacks, in order, and discard all others."""
        kept, self._kept, self._described = self._kept.get(token, ()), {}, token
        for take, message in tuple(kept):
            take(message)
