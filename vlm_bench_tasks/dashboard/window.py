"""The window's server in a thread of its own, beside a node's."""

import asyncio
import threading
from collections.abc import Callable

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks.dashboard.server import Server, until_interrupted

_ENDING_S = 5.0


class Window:
    """Serves until it is closed.

    Args:
        server: the server.
        told: receives the port, in the thread of the window.
    """

    def __init__(self, server: Server, told: Callable[[int], None]) -> None:
        self._loop = asyncio.new_event_loop()
        self._served = self._loop.create_task(until_interrupted(server, told))
        self._fault: VlmBenchError | None = None
        self._thread = threading.Thread(target=self._serve, name='window', daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise the error that has ended it, if any.

        Raises:
            VlmBenchError: nobody can listen there.
        """
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        """End it."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._served.cancel)
        self._thread.join(_ENDING_S)

    def _serve(self) -> None:
        try:
            self._loop.run_until_complete(self._served)
        except asyncio.CancelledError:
            pass
        except Exception as error:  # noqa: BLE001 (a node without its window must say so)
            self._fault = error if isinstance(error, VlmBenchError) else ConfigError(f'The window has ended: {error!r:.300}.')
