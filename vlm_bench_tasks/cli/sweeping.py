"""Many episodes on many cores."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench


@dataclass(frozen=True)
class Wanted:
    """What is swept: a task on splits such as 'seen:0:100,unseen:0:25', along an axis ('': the task's first), by a policy with a robot."""

    task: str
    splits: str
    axis: str
    policy: str
    robot: str

    def seeds(self) -> Iterator[tuple[str, int]]:
        """Yield each split with each of its seeds.

        Raises:
            TaskError: the text of the splits is malformed.
        """
        for part in self.splits.split(','):
            name, _, seeds = part.partition(':')
            first, _, last = seeds.partition(':')
            if not (first.isdigit() and last.isdigit() and int(first) < int(last)):
                raise TaskError(f'Splits are given as name:first:last, such as seen:0:100 for the seeds 0 to 99; found {part!r}.')
            yield from ((name, seed) for seed in range(int(first), int(last)))


def sweep(wanted: Wanted, workers: int, console: Console) -> int:
    """Run the episodes and print the result; the exit code is 0 if at least 95 % were solved.

    Raises:
        TaskError: the text of the splits is malformed, or task or policy does not exist.
        SplitError: a split does not exist.
        ConfigError: there is no such robot.
    """
    seeds = list(wanted.seeds())
    policy(wanted.policy)
    profiles.robot(wanted.robot)
    for split in {split for split, _ in seeds}:
        catalogue.build(wanted.task, split, 0, wanted.axis)
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress, ProcessPoolExecutor(workers, mp_context=get_context('spawn')) as pool:
        bar = progress.add_task(wanted.task, total=len(seeds))
        results = []
        for done in as_completed([pool.submit(_one, wanted, split, seed) for split, seed in seeds]):
            results.append(done.result())
            progress.advance(bar)
    return _print(results, console)


@cache
def _bench(robot: str) -> Bench:
    return Bench(robot)


def _one(wanted: Wanted, split: str, seed: int) -> dict[str, Any]:
    run = _bench(wanted.robot).run(catalogue.build(wanted.task, split, seed, wanted.axis), policy(wanted.policy))
    report = run.report
    return {
        'split': split, 'seed': seed, 'verdict': report.verdict.value, 'causes': report.causes, 'failures': run.failures,
        'sim_seconds': report.sim_seconds, 'wall_seconds': run.wall_seconds, 'state_hash': run.hashes[-1],
    }  # fmt: skip


def _print(results: list[dict[str, Any]], console: Console) -> int:
    results.sort(key=lambda r: (r['split'], r['seed']))
    for r in results:
        if r['verdict'] != 'success' or r['failures']:
            why = '; '.join([*r['causes'], *r['failures']])
            console.print(f'{r["verdict"]:12} {r["split"]} {r["seed"]}: {why}', highlight=False)
    solved, total = Counter(r['split'] for r in results if r['verdict'] == 'success'), Counter(r['split'] for r in results)
    for split, count in total.items():
        console.print(f'{split}: {solved[split]} of {count} solved', highlight=False)
    simulated, wall = (sum(r[key] for r in results) for key in ('sim_seconds', 'wall_seconds'))
    console.print(f'{solved.total()} of {total.total()} solved; {simulated:.0f} s simulated in {wall:.0f} s of work', highlight=False)
    return 0 if solved.total() >= 0.95 * total.total() else 1
