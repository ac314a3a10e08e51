"""Generate a data set: keep existing episodes, play the missing ones, and print the outcome."""

import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros.names import recorded
from vlm_bench_tasks.campaign import Store, Watcher, carried_out
from vlm_bench_tasks.dataset.demonstration import Made, Order
from vlm_bench_tasks.dataset.executors import check_executor, made_by
from vlm_bench_tasks.dataset.generated import Folder, Row
from vlm_bench_tasks.dataset.generation import Generation
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.trial import Trial
from vlm_bench_tasks.workers import Lost

INDEX_EVERY = 50  # episodes between two writes; after a kill, at most this many bags are read again


@dataclass(frozen=True)
class By:
    """How a data set is generated; this does not affect its content.

    Attributes:
        workers: number of parallel episodes.
        executor: 'processes' or 'ray'.
        patience: timeout for an episode, wall-clock s.
    """

    workers: int
    executor: str
    patience: float


def generate(asked: Generation, root: Path, by: By, console: Console) -> int:
    """Generate the episodes that are missing in a folder; the exit code is 0 if the folder is then complete.

    Raises:
        VlmBenchError: an option is invalid, or the folder holds something else or cannot be written.
    """
    check_executor(by.executor)
    if by.workers < 1:
        raise ConfigError(f'At least one worker is needed; found {by.workers}.')
    purpose = asked.check()
    folder, trials = Folder(root.absolute()), asked.trials()
    for robot, cameras in sorted({(trial.robot, trial.cameras) for trial in trials}):
        found = profiles.cameras(cameras, asked.settings.width, asked.settings.height, robot=robot)
        asked.settings.choice.of(recorded(profiles.robot(robot), tuple(camera.name for camera in found)))
    with folder.held():
        folder.begin(asked)
        making = _Making(asked, folder, purpose=purpose, by=by, console=console)
        with making.shown():
            carried_out(trials, making, making.play_all, making)
        making.show()
    return 1 if making.lost else 0


class _Making(Store[Row | Lost], Watcher[Row | Lost]):
    """Generates the missing episodes, updates the index and shows the progress."""

    def __init__(self, asked: Generation, folder: Folder, *, purpose: str, by: By, console: Console) -> None:
        self._asked, self._folder, self._purpose, self._by, self._console = asked, folder, purpose, by, console
        self._bar = _Bar(console)
        self._memory: dict[int, int] = {}
        self._began, self._fresh, self._spent = 0.0, 0, 0.0
        self.rows: dict[Trial, Row] = {}
        self.lost: list[Trial] = []

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a progress bar as a context, and write the index at the end, also after an interruption."""
        try:
            with self._bar:
                yield
        finally:
            self._folder.write_index(self.rows.values())

    def known(self, trials: Sequence[Trial]) -> dict[Trial, Row | Lost]:
        """Return the complete episodes, and print which bags are damaged."""
        index = self._folder.rows()
        for trial in trials:
            if row := self._folder.found(trial, self._asked.token(trial), index):
                self.rows[trial] = row
            elif self._folder.holds(trial):
                self._say(f'damaged {trial.name}: generated again')
        return dict(self.rows)

    def begun(self, total: int, known: int) -> None:
        """Print how many episodes are to be generated."""
        self._say(f'{total} episodes to {self._purpose}: {known} exist, {total - known} are missing.')
        self._began = time.monotonic()
        self._bar.begin(total - known)

    def play_all(self, trials: list[Trial]) -> Generator[tuple[Trial, Row | Lost], None, None]:
        """Generate trials, and yield each with its row, or with the reason why there is none."""
        orders, by = [Order(trial, self._asked, self._folder.root) for trial in trials], self._by
        with closing(made_by(by.executor, orders, count=min(by.workers, max(1, len(orders))), patience=by.patience)) as ended:
            for order, made in ended:
                if isinstance(made, Made):
                    self._memory[made.process] = max(made.memory, self._memory.get(made.process, 0))
                    yield order.trial, made.row
                else:  # a killed worker may have stored the bag before
                    yield order.trial, self._folder.found(order.trial, self._asked.token(order.trial), {}) or made

    def keep(self, trial: Trial, result: Row | Lost) -> Row | Lost:
        """Add a row to the index, which is written periodically."""
        if isinstance(result, Row):
            self.rows[trial], self._fresh = result, self._fresh + 1
            if self._fresh % INDEX_EVERY == 0:
                self._folder.write_index(self.rows.values())
        return result

    def ended(self, trial: Trial, result: Row | Lost) -> None:
        """Print a failed or unsolved episode."""
        if isinstance(result, Lost):
            self.lost.append(trial)
            self._say(f'lost    {trial.name}: {result.cause}')
        elif not result.solved:
            self._say(f'failed  {trial.name}: {_cause(result)}')
        self._spent = time.monotonic() - self._began
        self._bar.show(self._fresh, len(self.failed), len(self.lost))

    @property
    def failed(self) -> list[Row]:
        """The episodes in which the oracle failed."""
        return [row for row in self.rows.values() if not row.solved]

    def show(self) -> None:
        """Print the outcome."""
        rows, say = list(self.rows.values()), self._say
        say(f'episodes      {len(rows)}, {self._fresh} of them new, in {self._folder.root}')
        say(f'solved        {Rate(len(rows) - len(self.failed), len(rows))}')
        for cause, count in Counter(_cause(row) for row in self.failed).most_common():
            say(f'failed        {count} × {cause}')
        if rows:
            size = mean(row.bytes for row in rows)
            if len(drew := Counter(row.renderer for row in rows)) > 1:
                told = ', '.join(f'{count} by {renderer}' for renderer, count in drew.most_common())
                warning = Text.assemble(
                    ('renderers', 'bold yellow'), f'     {told}: aggregate does not join episodes of different renderers'
                )
                self._console.print(warning)
            say(f'size          {size / 1e6:.2f} MB an episode of {mean(row.recorded_seconds for row in rows):.1f} simulated s')
        if self._fresh:
            say(f'wall time     {self._spent:.1f} s, {60 * self._fresh / self._spent:.1f} episodes a minute')
            peaks = ', '.join(f'{memory / 1e6:.0f} MB' for memory in sorted(self._memory.values(), reverse=True)[:8])
            say(f'peak memory   {peaks} (by worker)')
        if self.lost:
            missing = f'       {len(self.lost)} episodes; the same command tries them again'
            self._console.print(Text.assemble(('missing', 'bold red'), missing))

    def _say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False)


def _cause(row: Row) -> str:
    return '; '.join(row.causes)


class _Bar:
    """The progress bar: count, rate, remaining time, and number of failures."""

    def __init__(self, console: Console) -> None:
        text = TextColumn('{task.fields[told]}')
        self._progress = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), text, console=console)
        self._bar: TaskID = self._progress.add_task('', total=None, told='')
        self._total, self._began = 0, time.monotonic()

    def __enter__(self) -> '_Bar':
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, total: int) -> None:
        """Start the bar with the number of episodes to generate."""
        self._total, self._began = total, time.monotonic()
        self._progress.reset(self._bar, total=total)

    def show(self, made: int, failed: int, lost: int) -> None:
        """Update the bar."""
        done = made + lost
        rate = 60 * done / (time.monotonic() - self._began)
        told = f'{rate:.1f} a minute, {(self._total - done) / rate:.0f} min left, {failed} failed, {lost} lost'
        self._progress.update(self._bar, completed=done, told=told)
