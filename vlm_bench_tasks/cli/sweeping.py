"""Many episodes on many cores."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import SeedError, TaskError, VlmBenchError
from vlm_bench_sim.core.perturbation import NONE, Perturbation
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.fingerprint import code
from vlm_bench_tasks.cli.results import Key, Result, rate, rates, read_lines, scored, worked, write_line
from vlm_bench_tasks.cli.results_page import write_pages
from vlm_bench_tasks.cli.thresholds import Cell, shortcomings, unsure
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.variation.seeds import read_seeds
from vlm_bench_tasks.workers import Lost, play

UNPERTURBED = 'none'
"""The condition of an episode that is as its task says."""


@dataclass(frozen=True)
class Job:
    """One episode to be played: what it is, by whom, and by what it is perturbed."""

    task: str
    axis: str
    split: str
    seed: int
    policy: str
    robot: str
    perturbation: Perturbation = NONE

    @property
    def key(self) -> Key:
        """What its result is known by."""
        revision = catalogue.task(self.task).revision
        return self.task, self.axis, self.split, self.seed, self.policy, self.robot, revision, self.perturbation.labels


@dataclass(frozen=True)
class Wanted:
    """What is swept.

    Attributes:
        tasks: id of a task, or a family: every task of it.
        axis: that varies; '': every axis of each task.
        splits: with a range of seeds each, such as 'seen:100000:100020,unseen:100000:100020'.
        policy: that plays, or several of them with commas between.
        robot: that is played with; '': each task's own.
        perturb: what episodes are perturbed by, in the words of `vlm-bench run --perturb`.
        perturbations: of each episode one more under each of these, in the same words with commas between, on top of `perturb`; 'none' adds
            nothing.
        more: how many seeds more are played of a task, axis and split of which the oracle solves less than is due, before it counts.
    """

    tasks: str
    axis: str
    splits: str
    policy: str = 'oracle'
    robot: str = 'panda'
    perturb: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = (UNPERTURBED,)
    more: int = 0

    def jobs(self) -> list[Job]:
        """Return every episode that is wanted.

        Raises:
            TaskError: the text of the splits is malformed, or a task, an axis or a policy does not exist.
            SplitError: a split does not exist.
            ConfigError: there is no such robot or perturbation.
        """
        players = self.policy.split(',')
        for player in players:
            policy(player)
        if self.robot:
            profiles.robot(self.robot)
        return self._jobs(catalogue.chosen(self.tasks), players, tuple(self.seeds()), self._perturbations())

    def again(self, cells: Iterable[Cell]) -> list[Job]:
        """Return `more` episodes of the oracle, unperturbed, after the last seeds of some tasks, axes and splits."""
        lasts = self._lasts()
        return [
            Job(task, axis, split, seed, 'oracle', self.robot or catalogue.task(task).robot)
            for task, axis, split in cells
            for seed in range(lasts[split], lasts[split] + self.more)
        ]

    def _jobs(self, tasks: Iterable[str], players: list[str], seeds: tuple[tuple[str, int], ...], harder: list[Perturbation]) -> list[Job]:
        found: list[Job] = []
        for name in tasks:
            for axis in (self.axis,) if self.axis else catalogue.task(name).axes:
                for split in {split for split, _ in seeds}:
                    catalogue.build(name, split, 0, axis)
                robot = self.robot or catalogue.task(name).robot
                found += [Job(name, axis, *at, player, robot, one) for one in harder for player in players for at in seeds]
        return list(dict.fromkeys(found))

    def _perturbations(self) -> list[Perturbation]:
        """Return what the episodes are perturbed by, each once."""
        words = [() if text == UNPERTURBED else (text,) for text in self.perturbations]
        return list(dict.fromkeys(catalogue.perturbation((*self.perturb, *more)) for more in words))

    def _lasts(self) -> dict[str, int]:
        lasts: dict[str, int] = {}
        for split, seed in self.seeds():
            lasts[split] = max(lasts.get(split, 0), seed + 1)
        return lasts

    def seeds(self) -> Iterator[tuple[str, int]]:
        """Yield each split with each of its seeds.

        Raises:
            TaskError: the text of the splits is malformed.
        """
        for part in self.splits.split(','):
            name, _, seeds = part.partition(':')
            try:
                chosen = read_seeds(seeds)
            except SeedError as error:
                raise TaskError(f'Splits are given as name:first:last, such as seen:0:100 for the seeds 0 to 99. {error}') from error
            yield from ((name, seed) for seed in chosen)


def sweep(wanted: Wanted, workers: int, console: Console, *, kept: Path | None = None, old: bool = False, pages: Path | None = None) -> int:
    """Run the episodes and print what came of them; the exit code is 0 if the policy did what it is for.

    Args:
        wanted: what is swept.
        workers: processes.
        console: to print on.
        kept: file of results to which each is added, and from which what is in it already is taken; None: none.
        old: take also what other code of ours played, or nobody knows which; False: it is played again.
        pages: folder for pages of results; None: none.

    Raises:
        TaskError, SplitError, ConfigError: as `Wanted.jobs`, and the file of results holds something else.
    """
    began, jobs = time.monotonic(), wanted.jobs()
    table = _Table(_known(jobs, console, kept, old=old), workers, console=console, kept=kept)
    results = table.played(jobs, f'{wanted.tasks} {wanted.policy}')
    if again := wanted.again(unsure(results)):
        cells = ', '.join(' '.join(cell) for cell in unsure(results))
        console.print(f'Less than is due of {cells}. Playing {wanted.more} more of each.', highlight=False, markup=False)
        results += table.played(again, 'more')
    results.sort(key=lambda r: r.key)
    wall = _wall(results, table.fresh, time.monotonic() - began, workers)
    for path in write_pages(results, pages) if pages else ():
        console.print(f'written: {path}', highlight=False, markup=False)
    return show(results, console, wall)


def _known(jobs: list[Job], console: Console, kept: Path | None, *, old: bool) -> dict[Key, Result]:
    """Return what is known already, and say how much of what is wanted other code has played."""
    known = {result.key: result for result in (read_lines(kept) if kept else ())}
    others = [known[job.key] for job in jobs if job.key in known and known[job.key].code != code()]
    if others:
        by = ', '.join(sorted({result.code or 'unknown code' for result in others}))
        then = 'They are kept, as --keep says.' if old else 'They are played again; --keep takes them as they are.'
        console.print(
            f'{len(others)} of {len(jobs)} episodes were played by {by}, and this is {code()}. {then}', highlight=False, markup=False
        )
    return known if old else {key: result for key, result in known.items() if result.code == code()}


@dataclass
class _Table:
    """Plays jobs whose results are not known yet, and keeps each as it comes; `fresh` counts them."""

    known: dict[Key, Result]
    workers: int
    _: KW_ONLY
    console: Console
    kept: Path | None
    fresh: int = 0

    def played(self, jobs: list[Job], title: str) -> list[Result]:
        """Return the results of all jobs, in no order."""
        results = [self.known[job.key] for job in jobs if job.key in self.known]
        left = [job for job in jobs if job.key not in self.known]
        columns = (TextColumn('{task.description}', markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.console) as progress:
            bar = progress.add_task(title, total=len(jobs), completed=len(results))
            for job, done in play(left, _one, workers=self.workers):
                results.append(replace(_blank(job), causes=(done.cause,)) if isinstance(done, Lost) else self._kept(done))
                progress.advance(bar)
        return results

    def _kept(self, result: Result) -> Result:
        self.fresh += 1
        if self.kept:
            self.kept.parent.mkdir(parents=True, exist_ok=True)
            write_line(self.kept, result)
        return result


def _wall(results: list[Result], fresh: int, seconds: float, workers: int) -> str:
    if fresh < len(results):  # some were played on another day
        return worked(results)
    return f'{seconds / 60:.1f} minutes on {workers} processes.'


@cache
def _bench(robot: str) -> Bench:
    return Bench(robot)


def _blank(job: Job) -> Result:
    revision, perturbations = catalogue.task(job.task).revision, job.perturbation.labels
    return Result(
        job.task, job.axis, job.split, job.seed, job.policy, job.robot, revision, 0.0, 'unobservable', code=code(),
        perturbations=perturbations,
    )  # fmt: skip


def _one(job: Job) -> Result:
    blank = _blank(job)
    try:
        built = catalogue.build(job.task, job.split, job.seed, job.axis)
        blank = replace(blank, chance=1 / (1 + len(built.alternatives)))
        run = _bench(job.robot).run(catalogue.perturbed(built, job.perturbation), policy(job.policy))
    except VlmBenchError as error:  # one scene that cannot be laid must not cost the others
        return replace(blank, causes=(str(error),))
    report = run.report
    return replace(
        blank, verdict=report.verdict.value, causes=report.causes, failures=run.failures, sim_seconds=report.sim_seconds,
        cpu_seconds=run.cpu_seconds, state_hash=run.hashes[-1], versions=report.versions, score=report.score, drops=report.drops,
    )  # fmt: skip


def show(results: list[Result], console: Console, wall: str = '') -> int:
    """Print results for people, and return the exit code."""
    for r in results:
        if r.policy == 'oracle' and (not r.solved or (r.failures and not r.perturbations)):
            why = '; '.join([*r.causes, *r.failures])
            console.print(f'{r.verdict:12} {r.task} {r.axis} {r.split} {r.seed}: {why}', highlight=False, markup=False)
    for perturbations in sorted({r.perturbations for r in results}):
        own = [r for r in results if r.perturbations == perturbations]
        if perturbations:
            console.print(f'perturbed: {", ".join(perturbations)}; {sum(r.drops for r in own)} drops', highlight=False, markup=False)
        for key in rates(own, lambda r: (r.policy, r.task, r.axis, r.split)):
            _line(console, key, [r for r in own if (r.policy, r.task, r.axis, r.split) == key])
        for (player,) in rates(own, lambda r: (r.policy,)):
            _line(console, (player, 'all'), [r for r in own if r.policy == player])
    simulated, work = sum(r.sim_seconds for r in results), sum(r.cpu_seconds for r in results)
    console.print(f'{simulated:.0f} s simulated in {work:.0f} s of CPU time. {wall}', highlight=False, markup=False)
    short = shortcomings(results)
    for text in short:
        console.print(Text.assemble(('falls short', 'bold red'), f' {text}'))
    return 1 if short else 0


def _line(console: Console, key: tuple[str, ...], results: list[Result]) -> None:
    console.print(f'{" ".join(key):64} {rate(results)}   score {scored(results)}', highlight=False, markup=False)
