"""Jobs on a Ray cluster, as `vlm_bench_tasks.workers` does them in processes of this machine."""

import os
import time
from collections.abc import Callable, Iterable
from itertools import islice
from logging import ERROR
from math import inf
from typing import Any, TypeVar

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.workers import Lost, Results, lost_to

J = TypeVar('J')
R = TypeVar('R')

_STORE_BYTES = 100_000_000  # results are rows of an index


def play(jobs: Iterable[J], work: Callable[[J], R], *, workers: int, patience: float | None = None) -> Results[J, R]:
    """Do jobs on the cluster that `RAY_ADDRESS` names, else on one of this machine that lasts as long as the iteration.

    What `workers.play` promises holds here, too.

    Args:
        jobs: values that can be sent to a process; each is asked for when a place is free.
        work: a function of a module, which every machine of the cluster imports.
        workers: jobs at a time, each on a core of its own.
        patience: wall-clock s for a job, from when it is given to the cluster, which gets no more of them at a time than it has CPUs;
            None: as long as it takes.

    Raises:
        ConfigError: Ray is not installed, or there is no such cluster.
    """
    cluster = _Cluster(workers)
    waiting, limit = iter(jobs), inf if patience is None else patience
    running: dict[Any, tuple[J, float]] = {}

    def give() -> None:
        for job in islice(waiting, 1):
            running[cluster.begin(work, job)] = job, time.monotonic() + limit

    try:
        for _ in range(min(workers, cluster.places)):
            give()
        while running:
            for place, done in cluster.over({place: deadline for place, (_, deadline) in running.items()}):
                job, _ = running.pop(place)
                result: R | Lost = cluster.result(place) if done else cluster.stopped(place, limit)
                give()
                yield job, result
    finally:
        cluster.close()


class _Cluster:
    """A connection to Ray.

    Raises:
        ConfigError: Ray is not installed, or there is no such cluster.
    """

    def __init__(self, workers: int) -> None:
        os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')
        try:
            import ray  # only who asks for it needs it
        except ImportError as error:
            raise ConfigError('--executor ray needs Ray, which is not installed. Run `pip install ray`.') from error
        self._ray: Any = ray
        here: dict[str, Any] = {'num_cpus': workers, 'include_dashboard': False, 'object_store_memory': _STORE_BYTES}
        try:
            self._ray.init(log_to_driver=False, logging_level=ERROR, **({} if os.environ.get('RAY_ADDRESS') else here))
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ConfigError(f'Ray could not be reached or started: {error}. See RAY_ADDRESS.') from error
        self._attempt = self._ray.remote(num_cpus=1, max_retries=0)(_attempt)

    @property
    def places(self) -> int:
        """How many jobs the cluster does at a time; what is given to it beyond that waits there."""
        return max(1, int(self._ray.cluster_resources().get('CPU', 1)))

    def begin(self, work: Callable[[J], R], job: J) -> Any:
        """Give a job to the cluster, and return what it is known by there."""
        return self._attempt.remote(work, job)

    def over(self, deadlines: dict[Any, float]) -> list[tuple[Any, bool]]:
        """Wait for one to end or to run out of time, and return those that did, each with whether it ended."""
        left = min(deadlines.values()) - time.monotonic()
        done, _ = self._ray.wait(list(deadlines), num_returns=1, timeout=None if left == inf else max(0.0, left))
        now = time.monotonic()
        return [(place, place in done) for place, deadline in deadlines.items() if place in done or deadline <= now]

    def result(self, place: Any) -> Any:
        """Return what came of a job that has ended."""
        try:
            return self._ray.get(place)
        except self._ray.exceptions.RayError as error:
            return Lost(f'Ray gave no result: {str(getattr(error, "cause", error)).splitlines()[0]}', str(error))

    def stopped(self, place: Any, patience: float) -> Lost:
        """End a job."""
        self._ray.cancel(place, force=True)
        return Lost(f'It took longer than {patience:g} s and was ended.')

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._ray.shutdown()


def _attempt(work: Callable[[J], R], job: J) -> R | Lost:
    try:
        return work(job)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is told)
        return lost_to(error)
