"""What answers to pages wait for: news, and services of the bench."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from vlm_bench_sim.core.errors import CommandError

PATIENCE_S = 1.0
"""How long a page waits for what is newer, wall-clock s."""

ANSWER_S = 60.0
"""Timeout for a service of the bench, wall-clock s."""

LOOK_S = 1.0
"""Between two looks whether the bench is busy, wall-clock s."""

_TURN_S = 0.015


class Bench(Protocol):
    """How episodes are begun and ended; each returns the text of an error, or ''."""

    def begin(self, *, task: str, seed: int, words: Mapping[str, str], perturbation: str) -> 'Future[str]':
        """Begin an episode, with `words` for split, axis and prompt."""

    def halt(self) -> 'Future[str]':
        """End the running episode."""

    def change(self, settings: dict[str, str]) -> 'Future[str]':
        """Start the bench again with other settings."""


async def newer(true: Callable[[], bool], *, seconds: float | None = None) -> None:
    """Wait until something is true, but no longer than so many seconds of wall clock; None: than a page has patience."""
    loop = asyncio.get_running_loop()
    until = loop.time() + (PATIENCE_S if seconds is None else seconds)
    while not true() and loop.time() < until:
        await asyncio.sleep(_TURN_S)


async def done(asked: 'Future[str]', *, busy: Callable[[], bool] = lambda: False) -> Mapping[str, Any]:
    """Wait for a service of the bench, and longer while it is `busy`: a person may take long to lay a table.

    Raises:
        CommandError: it refuses, or does not answer.
    """
    loop, answer = asyncio.get_running_loop(), asyncio.wrap_future(asked)
    until = loop.time() + ANSWER_S
    try:
        while not (await asyncio.wait({answer}, timeout=min(LOOK_S, ANSWER_S)))[0]:
            if busy():
                until = loop.time() + ANSWER_S
            elif loop.time() > until:
                raise CommandError(f'The bench has not answered for {ANSWER_S:g} s. Does it run?')
        error = answer.result()
    finally:
        answer.cancel()
    if error:
        raise CommandError(error)
    return {}
