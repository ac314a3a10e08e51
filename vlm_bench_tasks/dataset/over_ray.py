"""Run jobs on a Ray cluster, in the way `vlm_bench_tasks.workers` runs them on this machine."""

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

_STORE_BYTES = 100_000_000  # enough, since results are only rows of an index


def play(jobs: Iterable[J], work: Callable[[J], R], *, workers: int, patience: float | None = None) -> Results[J, R]:
    """Run jobs on the cluster at `RAY_ADDRESS`, or else on a local one that exists until the iteration ends.

    The guarantees of `workers.play` hold here, too.

    Args:
        jobs: values that can be sent to a process; the next one is taken when a worker is free.
        work: a module-level function; every machine of the cluster imports it.
        workers: number of parallel jobs, each on its own core.
        patience: timeout of a job, wall-clock s from its submission; at most as many jobs as the cluster has CPUs are submitted at a time.
            None: no timeout.

    Raises:
        ConfigError: Ray is not installed, or the cluster cannot be reached.
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
        ConfigError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, workers: int) -> None:
        os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')
        try:
            import ray  # imported only if Ray is used
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
        """Number of jobs that the cluster runs in parallel; further jobs are queued there."""
        return max(1, int(self._ray.cluster_resources().get('CPU', 1)))

    def begin(self, work: Callable[[J], R], job: J) -> Any:
        """Submit a job to the cluster, and return its handle."""
        return self._attempt.remote(work, job)

    def over(self, deadlines: dict[Any, float]) -> list[tuple[Any, bool]]:
        """Wait until a job ends or exceeds its deadline; return all such jobs, each with whether it ended."""
        left = min(deadlines.values()) - time.monotonic()
        done, _ = self._ray.wait(list(deadlines), num_returns=1, timeout=None if left == inf else max(0.0, left))
        now = time.monotonic()
        return [(place, place in done) for place, deadline in deadlines.items() if place in done or deadline <= now]

    def result(self, place: Any) -> Any:
        """Return the result of a job that has ended."""
        try:
            return self._ray.get(place)
        except self._ray.exceptions.RayError as error:
            return Lost(f'Ray gave no result: {str(getattr(error, "cause", error)).splitlines()[0]}', str(error))

    def stopped(self, place: Any, patience: float) -> Lost:
        """Cancel a job."""
        self._ray.cancel(place, force=True)
        return Lost(f'It took longer than {patience:g} s and was ended.')

    def close(self) -> None:
        """Disconnect from the cluster, and shut it down if it was started here."""
        self._ray.shutdown()


def _attempt(work: Callable[[J], R], job: J) -> R | Lost:
    try:
        return work(job)
    except Exception as error:  # noqa: BLE001 (every error is reported)
        return lost_to(error)
