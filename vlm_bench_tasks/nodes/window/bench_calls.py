"""Asks the bench for episodes, and who started it for another robot or other cameras."""

import json
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from vlm_bench_sim.core.codes import OK
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import fill

CHANGED_S = 50.0
"""Timeout for the bench to end and to start again, wall-clock s."""

_MOST_BYTES = 1 << 16


class BenchCalls:
    """Services of the bench, from any thread.

    Args:
        node: calls them.
        leash: descriptor of the socket to who started the bench; -1: none.
    """

    def __init__(self, node: BenchNode, *, leash: int) -> None:
        self._node = node
        self._start, self._stop = node.client(names.START_EPISODE), node.client(names.STOP_EPISODE)
        self._leash = socket.socket(fileno=leash) if leash >= 0 else None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='leash')

    def close(self) -> None:
        """Let go of the leash."""
        if self._leash is not None:
            with suppress(OSError):
                self._leash.shutdown(socket.SHUT_RDWR)  # who waits for an answer waits no longer
        self._worker.shutdown(wait=False, cancel_futures=True)

    def change(self, settings: dict[str, str]) -> 'Future[str]':
        """Have the bench started again with other settings; the future holds the text of an error, or ''."""
        return self._worker.submit(self._asked, settings)

    def _asked(self, settings: dict[str, str]) -> str:
        if self._leash is None:
            return 'Robot and cameras of this bench cannot be changed: nobody would start it again.'
        try:
            self._leash.settimeout(0.0)
            with suppress(BlockingIOError):
                while self._leash.recv(_MOST_BYTES):  # answers that came too late
                    pass
            self._leash.settimeout(CHANGED_S)
            self._leash.sendall(json.dumps(settings).encode())
            answer = self._leash.recv(_MOST_BYTES).decode()
        except OSError as error:
            return f'The bench was not started again: {error}.'
        return answer[1:] if answer else 'Who started the bench has ended.'  # an answer is a space and a text

    def begin(self, *, task: str, seed: int, words: Mapping[str, str], perturbation: str) -> 'Future[str]':
        """Begin an episode; the future holds the text of an error, or ''. Who cancels it wants no episode any more."""
        told: Future[str] = Future()
        wanted = {'task': task, 'seed': seed, 'perturbation': perturbation, **words}

        def ask(_: Any) -> None:
            if not told.cancelled():
                request = fill(self._start.srv_type.Request(), wanted)
                self._start.call_async(request).add_done_callback(partial(_tell, told))

        # Something harmless comes first, until it is answered: answers are lost until both sides have discovered each other.
        self._until_cancelled(told, self._node.call(self._start, {'task': '?'}), ask)
        return told

    def halt(self) -> 'Future[str]':
        """End the running episode; the future holds the text of an error, or ''."""
        told: Future[str] = Future()
        self._until_cancelled(told, self._node.call(self._stop, {}), partial(_tell, told))
        return told

    def _until_cancelled(self, told: 'Future[str]', answer: 'Future[Any]', then: Callable[[Any], None]) -> None:
        """Go on once a service has answered; nobody asks it any longer if the page does not want to know."""
        answer.add_done_callback(lambda found: None if found.cancelled() else then(found))
        told.add_done_callback(lambda found: answer.cancel() if found.cancelled() else None)


def _tell(told: 'Future[str]', found: Any) -> None:
    """Put the text of the error that a service has answered into a future, '' if there is none; unless nobody waits for it."""
    result = found.result().result
    if told.set_running_or_notify_cancel():
        told.set_result('' if result.result == OK else result.error_message or f'The bench refuses with the code {result.result}.')
