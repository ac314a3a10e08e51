"""Executors that generate episodes: worker processes on this machine, or a Ray cluster."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_tasks import workers
from vlm_bench_tasks.dataset import over_ray
from vlm_bench_tasks.dataset.demonstration import Made, Order, demonstrate

Ended: TypeAlias = workers.Results[Order, Made]

EXECUTORS: dict[str, Callable[[Sequence[Order], int, float | None], Ended]] = {
    'processes': lambda orders, count, patience: workers.play(orders, demonstrate, workers=count, patience=patience),
    'ray': lambda orders, count, patience: over_ray.play(orders, demonstrate, workers=count, patience=patience),
}


def check_executor(name: str) -> str:
    """Return the name if it is a known executor.

    Raises:
        ConfigError: the executor is unknown.
    """
    if name not in EXECUTORS:
        raise ConfigError(f'There is no executor called {quoted(name)}. {near(name, EXECUTORS)}')
    return name


def made_by(name: str, orders: Sequence[Order], *, count: int, patience: float | None) -> Ended:
    """Generate the episodes, `count` at a time, and yield each with its result as it ends."""
    return EXECUTORS[check_executor(name)](orders, count, patience)
