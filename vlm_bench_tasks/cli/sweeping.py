"""Many episodes on many cores."""

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vlm_bench_sim import profiles
from vlm_bench_sim.core.disturbance import NONE, Disturbance
from vlm_bench_sim.core.errors import TaskError, VlmBenchError, near, quoted
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.results import Key, Result, rates, read_lines, shortcomings, write_line
from vlm_bench_tasks.cli.results_page import write_pages
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench


@dataclass(frozen=True)
class Job:
    """One episode to be played: what it is, by whom, and by what it is disturbed."""

    task: str
    axis: str
    split: str
    seed: int
    policy: str
    robot: str
    disturbance: Disturbance = NONE

    @property
    def key(self) -> Key:
        """What its result is known by."""
        revision = catalogue.task(self.task).revision
        return self.task, self.axis, self.split, self.seed, self.policy, self.robot, revision, self.disturbance.conditions


@dataclass(frozen=True)
class Wanted:
    """What is swept.

    Attributes:
        tasks: id of a task, or a family: every task of it.
        axis: that varies; '': every axis of each task.
        splits: with a range of seeds each, such as 'seen:0:20,unseen:0:20'.
        policy: that plays, or several of them with commas between.
        robot: that is played with; '': each task's own.
        perturb: what episodes are disturbed by, in the words of `vlm-bench run --perturb`.
    """

    tasks: str
    axis: str
    splits: str
    policy: str = 'oracle'
    robot: str = 'panda'
    perturb: tuple[str, ...] = ()

    def jobs(self) -> list[Job]:
        """Return every episode that is wanted.

        Raises:
            TaskError: the text of the splits is malformed, or a task, an axis or a policy does not exist.
            SplitError: a split does not exist.
            ConfigError: there is no such robot or disturbance.
        """
        players = self.policy.split(',')
        for player in players:
            policy(player)
        if self.robot:
            profiles.robot(self.robot)
        harder = catalogue.disturbance(self.perturb)
        found = []
        for name in self._names():
            for axis in (self.axis,) if self.axis else catalogue.task(name).axes:
                for split in {split for split, _ in self.seeds()}:
                    catalogue.build(name, split, 0, axis)
                robot = self.robot or catalogue.task(name).robot
                found += [Job(name, axis, *at, player, robot, harder) for player in players for at in self.seeds()]
        return found

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

    def _names(self) -> tuple[str, ...]:
        every = catalogue.tasks()
        names = tuple(name for name in every if self.tasks in (name, name.partition('/')[0]))
        if not names:
            families = {name.partition('/')[0] for name in every}
            raise TaskError(f'There is no task or family called {quoted(self.tasks)}. {near(self.tasks, {*every, *families})}')
        return names


def sweep(wanted: Wanted, workers: int, console: Console, *, kept: Path | None = None, pages: Path | None = None) -> int:
    """Run the episodes and print what came of them; the exit code is 0 if the policy did what it is for.

    Args:
        wanted: what is swept.
        workers: processes.
        console: to print on.
        kept: file of results to which each is added, and from which what is in it already is taken; None: none.
        pages: folder for pages of results; None: none.

    Raises:
        TaskError, SplitError, ConfigError: as `Wanted.jobs`, and the file of results holds something else.
    """
    began, jobs = time.monotonic(), wanted.jobs()
    known = {result.key: result for result in (read_lines(kept) if kept else ())}
    results = [known[job.key] for job in jobs if job.key in known]
    fresh = [job for job in jobs if job.key not in known]
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress, ProcessPoolExecutor(workers, mp_context=get_context('spawn')) as pool:
        bar = progress.add_task(f'{wanted.tasks} {wanted.policy}', total=len(jobs), completed=len(results))
        try:
            for done in as_completed([pool.submit(_one, job) for job in fresh]):
                results.append(done.result())
                progress.advance(bar)
                if kept:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    write_line(kept, results[-1])
        except BaseException:  # at Ctrl-C the episodes that have not begun never shall
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    results.sort(key=lambda r: r.key)
    wall = _wall(results, len(fresh), time.monotonic() - began, workers)
    for path in write_pages(results, pages, wall) if pages else ():
        console.print(f'written: {path}', highlight=False)
    return show(results, console, wall)


def _wall(results: list[Result], fresh: int, seconds: float, workers: int) -> str:
    if fresh < len(results):  # some were played on another day
        return f'{sum(r.wall_seconds for r in results) / 60:.0f} minutes of work.'
    return f'{seconds / 60:.1f} minutes on {workers} processes.'


@cache
def _bench(robot: str) -> Bench:
    return Bench(robot)


def _one(job: Job) -> Result:
    revision, conditions = catalogue.task(job.task).revision, job.disturbance.conditions
    blank = Result(job.task, job.axis, job.split, job.seed, job.policy, job.robot, revision, 0.0, 'unobservable', conditions=conditions)
    try:
        built = catalogue.build(job.task, job.split, job.seed, job.axis)
        blank = replace(blank, chance=1 / (1 + len(built.alternatives)))
        run = _bench(job.robot).run(catalogue.disturbed(built, job.disturbance), policy(job.policy))
    except VlmBenchError as error:  # one scene that cannot be laid must not cost the others
        return replace(blank, causes=(str(error),))
    report = run.report
    return replace(
        blank, verdict=report.verdict.value, causes=report.causes, failures=run.failures, sim_seconds=report.sim_seconds,
        wall_seconds=run.wall_seconds, state_hash=run.hashes[-1], versions=report.versions,
    )  # fmt: skip


def show(results: list[Result], console: Console, wall: str = '') -> int:
    """Print results for people, and return the exit code."""
    for r in results:
        if r.policy == 'oracle' and (not r.solved or r.failures):
            why = '; '.join([*r.causes, *r.failures])
            console.print(f'{r.verdict:12} {r.task} {r.axis} {r.split} {r.seed}: {why}', highlight=False, markup=False)
    for key, found in rates(results, lambda r: (r.policy, r.task, r.axis, r.split)).items():
        console.print(f'{" ".join(key):64} {found}', highlight=False)
    for (player,), found in rates(results, lambda r: (r.policy,)).items():
        console.print(f'{player + " all":64} {found}', highlight=False)
    simulated, work = sum(r.sim_seconds for r in results), sum(r.wall_seconds for r in results)
    console.print(f'{simulated:.0f} s simulated in {work:.0f} s of work. {wall}', highlight=False)
    short = shortcomings(results)
    for text in short:
        console.print(f'[bold red]falls short[/] {text}', highlight=False)
    return 1 if short else 0
