"""One thread that reads and draws, beside the server's: renderers belong to the thread that made them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vlm_bench_tasks.dataset.reel import Projector

T = TypeVar('T')


class Studio:
    """The thread, and a projector for each place on a page.

    Each place has its own, so that two episodes side by side need not be loaded again and again.
    """

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='studio')
        self._projectors: dict[tuple[int, str], Projector] = {}

    async def worked(self, work: Callable[[], T]) -> T:
        """Run a function in the thread and return what it returns."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def projector(self, place: int, robot: str) -> Projector:
        """Return the projector of a place, from within the thread; one of another robot is closed.

        Raises:
            WorldError: there is no renderer on this machine.
            ConfigError: there is no such robot.
        """
        if (place, robot) not in self._projectors:
            for other in [key for key in self._projectors if key[0] == place]:
                self._projectors.pop(other).close()
            self._projectors[place, robot] = Projector(robot)
        return self._projectors[place, robot]

    def close(self) -> None:
        """Free the renderers, in the thread that made them, and end it."""
        self._worker.submit(self._free).result()
        self._worker.shutdown()

    def _free(self) -> None:
        for projector in self._projectors.values():
            projector.close()
        self._projectors.clear()
