"""Play the study of judges that see poses, and keep and show what it finds."""

from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from vlm_bench_sim.core.errors import WorldError
from vlm_bench_tasks import catalogue, fingerprint, task_choice
from vlm_bench_tasks.agreement.ledger import Ledger
from vlm_bench_tasks.agreement.study import Case, cases
from vlm_bench_tasks.console.scoring import COLUMNS
from vlm_bench_tasks.pages.paging import check_markdown, write_markdown
from vlm_bench_tasks.pages.tracker_page import TITLE, tracker_page
from vlm_bench_tasks.trial import Trial
from vlm_bench_tasks.workers import Lost, play

PATIENCE_S = 900.0
"""Timeout for one episode with its near miss and all its judgements, wall-clock s."""


def trials(tasks: str, axis: str, split: str, seeds: range) -> list[Trial]:
    """Return the episodes of a study; an empty axis or split is the first that each task has.

    Raises:
        VlmBenchError: there is no such task, axis or split.
    """
    found = []
    for name in task_choice.chosen(tasks):
        task, pool = catalogue.task(name), split or catalogue.splits(name)[0]
        along = catalogue.build(name, pool, seeds.start, axis).axis
        found += [Trial(name, along, pool, seed, task.robot) for seed in seeds]
    return found


def study(wanted: list[Trial], out: Path, console: Console, *, workers: int = 1) -> Ledger:
    """Play the episodes that the file does not know yet; return all that it then knows.

    Raises:
        ConfigError: the file is no ledger, was written by other code, or is being written by another process.
        WorldError: an episode could not be played.
    """
    first = min((trial.seed for trial in wanted), default=0)
    with Ledger.held(out), Progress(*COLUMNS, console=console) as progress:
        ledger = Ledger(out, fingerprint.code())
        left = [trial for trial in wanted if trial.key not in ledger.known]
        bar = progress.add_task('agreement', total=len(wanted), completed=len(wanted) - len(left))
        for trial, found in play(left, partial(_one, first=first), workers=workers, patience=PATIENCE_S):
            if isinstance(found, Lost):
                raise WorldError(f'{trial.task}, seed {trial.seed}: {found.cause}')
            ledger.keep(trial, found)
            progress.advance(bar)
    return ledger


def _one(trial: Trial, *, first: int) -> tuple[Case, ...]:
    return cases(trial, trial.seed - first)


def show(ledger: Ledger, console: Console) -> None:
    """Print the cases in which a tracker's judge says something else."""
    for case in ledger.cases():
        for level, told in case.told.items():
            if told != case.verdict:
                said = f'{case.task} {case.seed} {case.kind}, {level}: {case.verdict}, by poses {told} {case.causes[level]}'
                console.print(said, highlight=False, markup=False)
    console.print(f'{sum(1 for _ in ledger.cases())} cases of {len(ledger.known)} episodes: {ledger.path}', highlight=False, markup=False)


def check_page(page: Path) -> None:
    """Check, before a study is played, that its page can be written.

    Raises:
        ConfigError: it cannot, or its path holds something else.
    """
    check_markdown(page, TITLE, option='--page')


def write(ledger: Ledger, page: Path) -> None:
    """Write the page of all cases."""
    write_markdown(page, tracker_page(list(ledger.cases()), ledger.code), option='--page')
