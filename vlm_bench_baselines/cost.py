"""What a training costs: a line of JSON for each run of it, also of one that was stopped."""

import json
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError

COST = 'cost.jsonl'


@dataclass
class Spent:
    """What was done since a run began.

    Attributes:
        steps: number of batches.
    """

    steps: int = 0


@contextmanager
def measured(folder: Path, threads: int) -> Iterator[Spent]:
    """Measure a block, and append a line to `COST` in a folder if it took a step: steps, seconds of wall clock and of processor time.

    Args:
        folder: of the training.
        threads: number of threads that PyTorch uses.
    """
    spent, wall, cpu = Spent(), time.monotonic(), time.process_time()
    try:
        yield spent
    finally:
        line = {
            'steps': spent.steps, 'wall_s': round(time.monotonic() - wall, 1), 'cpu_s': round(time.process_time() - cpu, 1),
            'threads': threads, 'processor': platform.machine(),
        }  # fmt: skip
        if spent.steps and folder.is_dir():
            with suppress(OSError), (folder / COST).open('a') as file:  # what it cost is no reason to lose what was learned
                file.write(json.dumps(line) + '\n')


def minutes(folder: Path) -> float:
    """Return the minutes of processor time that a training took in all.

    Raises:
        ConfigError: the folder does not tell.
    """
    try:
        lines = [json.loads(line) for line in (folder / COST).read_text().splitlines()]
        return sum(float(line['cpu_s']) for line in lines) / 60
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f'{folder / COST} does not tell what the training took: {error!r:.200}. Train again with vlm-bench train.'
        ) from error
