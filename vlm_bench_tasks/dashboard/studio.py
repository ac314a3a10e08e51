"""One thread that reads and draws, beside the server's: renderers belong to the thread that made them."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from contextlib import suppress
from typing import TypeVar

from vlm_bench_tasks.dataset.reel import Projector

T = TypeVar('T')


ENDING_S = 5.0
"""Timeout for freeing the renderers, wall-clock s."""

MOST_PROJECTORS = 4
"""A projector has a renderer and the meshes of a robot."""


class Studio:
    """The thread, and a projector for each place on a page and robot, of which the least used are given up.

    Each place has its own, so that two episodes side by side need not be loaded again and again.
    """

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='studio')
        self._projectors: OrderedDict[tuple[int, str], Projector] = OrderedDict()

    async def worked(self, work: Callable[[], T]) -> T:
        """Run a function in the thread and return what it returns."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def projector(self, place: int, robot: str) -> Projector:
        """Return the projector of a place, from within the thread.

        Raises:
            WorldError: there is no renderer on this machine.
            ConfigError: there is no such robot.
        """
        if (place, robot) not in self._projectors:
            self._projectors[place, robot] = Projector(robot)
        self._projectors.move_to_end((place, robot))
        while len(self._projectors) > MOST_PROJECTORS:
            self._projectors.popitem(last=False)[1].close()
        return self._projectors[place, robot]

    def close(self) -> None:
        """Free the renderers, in the thread that made them, and end it."""
        with suppress(TimeoutError):  # what still draws by then is left to the end of the process
            self._worker.submit(self._free).result(timeout=ENDING_S)
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _free(self) -> None:
        for projector in self._projectors.values():
            projector.close()
        self._projectors.clear()
