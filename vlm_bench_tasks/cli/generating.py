"""Generate a data set: what is there is left, what is missing is made, and what came of it is told."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros.names import recorded
from vlm_bench_tasks.dataset.demonstration import Made, Order
from vlm_bench_tasks.dataset.executors import check_executor, made_by
from vlm_bench_tasks.dataset.generated import Folder, Row
from vlm_bench_tasks.dataset.generation import Generation, Job
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.workers import Lost

INDEX_EVERY = 50  # episodes: a killed generate reads so many bags again at most


@dataclass(frozen=True)
class By:
    """How a data set is generated, none of which changes what is in it.

    Attributes:
        workers: episodes at a time.
        executor: 'processes' or 'ray'.
        patience: wall-clock s for an episode.
    """

    workers: int
    executor: str
    patience: float


def generate(asked: Generation, root: Path, by: By, console: Console) -> int:
    """Make the episodes that a folder lacks; the exit code is 0 if it holds all of them then.

    Raises:
        VlmBenchError: something that was asked for does not exist, or the folder holds something else or cannot be written to.
    """
    check_executor(by.executor)
    if by.workers < 1:
        raise ConfigError(f'At least one worker is needed; found {by.workers}.')
    purpose = asked.check()
    if asked.settings.robot:
        profiles.robot(asked.settings.robot)
    cameras = profiles.cameras(asked.settings.cameras, asked.settings.width, asked.settings.height)
    folder, jobs = Folder(root.absolute()), asked.jobs()
    for robot in sorted({job.robot for job in jobs}):
        asked.settings.choice.of(recorded(profiles.robot(robot), tuple(camera.name for camera in cameras)))
    with folder.held():
        folder.begin(asked)
        campaign = _Campaign(folder, console=console)
        left = campaign.left(jobs)
        console.print(f'{len(jobs)} episodes to {purpose}: {len(jobs) - len(left)} are there, {len(left)} are to be made.', highlight=False)
        campaign.make(left, by)
        campaign.show()
    return 1 if campaign.lost else 0


@dataclass
class _Campaign:
    folder: Folder
    _: KW_ONLY
    console: Console
    rows: dict[str, Row] = field(default_factory=dict)
    lost: list[tuple[Job, Lost]] = field(default_factory=list)
    memory: dict[int, int] = field(default_factory=dict)
    fresh: int = 0
    seconds: float = 0.0

    def left(self, jobs: tuple[Job, ...]) -> list[Job]:
        """Return what is to be made, having found the rest."""
        known = self.folder.rows()
        left = []
        for job in jobs:
            if row := self.folder.found(job, known):
                self.rows[job.name] = row
            else:
                left.append(job)
                if self.folder.holds(job):
                    self.console.print(f'damaged {job.name}: is made again', highlight=False, markup=False)
        return left

    def make(self, jobs: list[Job], by: By) -> None:
        """Make episodes, and keep the index up to date."""
        began, orders = time.monotonic(), [Order(job, self.folder.root) for job in jobs]
        count = min(by.workers, max(1, len(orders)))
        with (
            _indexed(self),
            _Bar(self.console, len(jobs)) as bar,
            closing(made_by(by.executor, orders, count=count, patience=by.patience)) as ended,
        ):
            for order, made in ended:
                self._take(order.job, made)
                bar.show(self)
                self.seconds = time.monotonic() - began

    def _take(self, job: Job, made: Made | Lost) -> None:
        row = self.folder.found(job, {}) if isinstance(made, Lost) else made.row  # who was killed may have put the bag in its place before
        if isinstance(made, Made):
            self.memory[made.process] = max(made.memory, self.memory.get(made.process, 0))
        elif row is None:
            self.lost.append((job, made))
            self.console.print(f'lost    {job.name}: {made.cause}', highlight=False, markup=False)
        if row:
            self.fresh += 1
            self.rows[job.name] = row
            if self.fresh % INDEX_EVERY == 0:
                self.folder.write_index(self.rows.values())
            if row.verdict != 'success':
                self.console.print(f'failed  {job.name}: {row.cause}', highlight=False, markup=False)

    @property
    def failed(self) -> list[Row]:
        """The episodes that the oracle did not solve."""
        return [row for row in self.rows.values() if row.verdict != 'success']

    def show(self) -> None:
        """Print what came of it."""
        rows = list(self.rows.values())
        say = self.console.print
        say(f'episodes      {len(rows)}, {self.fresh} of them new, in {self.folder.root}', highlight=False, markup=False)
        say(f'solved        {Rate(len(rows) - len(self.failed), len(rows))}', highlight=False)
        for cause, count in Counter(row.cause for row in self.failed).most_common():
            say(f'failed        {count} × {cause}', highlight=False, markup=False)
        if rows:
            size = mean(row.bytes for row in rows)
            if len(drew := Counter(row.renderer for row in rows)) > 1:
                told = ', '.join(f'{count} by {renderer}' for renderer, count in drew.most_common())
                say(f'[bold yellow]renderers[/]     {escape(told)}: aggregate joins none of that with others', highlight=False)
            say(f'size          {size / 1e6:.2f} MB an episode of {mean(row.seconds for row in rows):.1f} simulated s', highlight=False)
        if self.fresh:
            rate = 60 * self.fresh / self.seconds
            say(f'wall time     {self.seconds:.1f} s, {rate:.1f} episodes a minute', highlight=False)
            peaks = ', '.join(f'{memory / 1e6:.0f} MB' for memory in sorted(self.memory.values(), reverse=True)[:8])
            say(f'peak memory   {peaks} (by worker)', highlight=False)
        if self.lost:
            say(f'[bold red]missing[/]       {len(self.lost)} episodes; the same command tries them again', highlight=False)


@contextmanager
def _indexed(campaign: _Campaign) -> Iterator[None]:
    """Write the index in the end, also where it comes early."""
    try:
        yield
    finally:
        campaign.folder.write_index(campaign.rows.values())


class _Bar:
    """The progress on a terminal: how many, how fast, how long still, and how many failed."""

    def __init__(self, console: Console, total: int) -> None:
        text = TextColumn('{task.fields[told]}')
        self._progress = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), text, console=console)
        self._bar: TaskID = self._progress.add_task('', total=total, told='')
        self._total, self._began = total, time.monotonic()

    def __enter__(self) -> '_Bar':
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, campaign: _Campaign) -> None:
        """Show how far it is."""
        done = campaign.fresh + len(campaign.lost)
        rate = 60 * done / (time.monotonic() - self._began)
        told = f'{rate:.1f} a minute, {(self._total - done) / rate:.0f} min left, {len(campaign.failed)} failed, {len(campaign.lost)} lost'
        self._progress.update(self._bar, completed=done, told=told)
