"""Many episodes on many cores."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench


def sweep(task: str, splits: str, player: str, workers: int, console: Console) -> int:
    """Run the policy on `splits` such as 'seen:0:100,unseen:0:25' and print the result; the exit code is 0 if at least 95 % were solved.

    Raises:
        TaskError: the text of the splits is malformed, or task or policy does not exist.
        SplitError: a split does not exist.
    """
    wanted = list(_wanted(splits))
    policy(player)
    for split in {split for split, _ in wanted}:
        catalogue.build(task, split, 0)
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress, ProcessPoolExecutor(workers, mp_context=get_context('spawn')) as pool:
        bar = progress.add_task(task, total=len(wanted))
        results = []
        for done in as_completed([pool.submit(_one, task, split, seed, player) for split, seed in wanted]):
            results.append(done.result())
            progress.advance(bar)
    return _print(results, console)


def _wanted(splits: str) -> Iterator[tuple[str, int]]:
    for part in splits.split(','):
        name, _, seeds = part.partition(':')
        first, _, last = seeds.partition(':')
        if not (first.isdigit() and last.isdigit() and int(first) < int(last)):
            raise TaskError(f'Splits are given as name:first:last, such as seen:0:100 for the seeds 0 to 99; found {part!r}.')
        yield from ((name, seed) for seed in range(int(first), int(last)))


@cache
def _bench() -> Bench:
    return Bench()


def _one(task: str, split: str, seed: int, player: str) -> dict[str, Any]:
    run = _bench().run(catalogue.build(task, split, seed), policy(player))
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
