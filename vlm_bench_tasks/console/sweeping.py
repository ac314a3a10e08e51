"""Run a sweep: play or load each evaluation, print the results, and write pages."""

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from vlm_bench_tasks.console.scoring import COLUMNS, Bar
from vlm_bench_tasks.evaluation.entries import Entry, entries, rate, rates, scored, worked
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.finished import OtherCode
from vlm_bench_tasks.evaluation.plan import Plan
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.sweep import Sweep
from vlm_bench_tasks.evaluation.thresholds import shortcomings, unsure
from vlm_bench_tasks.pages.results_page import write_pages


def sweep(wanted: Sweep, workers: int, console: Console, *, kept: Path | None = None, old: bool = False, pages: Path | None = None) -> int:
    """Run all evaluations of a sweep and print the results; the exit code is 0 if all requirements on our own policies are met.

    Args:
        wanted: the sweep.
        workers: number of worker processes.
        console: output.
        kept: folder of reports; results in it are reused, and new reports are stored; None: no reports are stored.
        old: also reuse results of another or unknown version of the bench's code; False: play them again.
        pages: folder for result pages; None: none are written.

    Raises:
        VlmBenchError: as in `Sweep.plans`, or a report belongs to another evaluation.
    """
    with ExitStack() as stack:
        folder = kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='vlm_bench_')))
        played = _Played(folder, workers, console=console, other_code=OtherCode.KEEP if old else OtherCode.REPLACE)
        results = played.all(wanted.plans())
        if (cells := unsure(results)) and wanted.more:
            named = ', '.join(' '.join(cell) for cell in cells)
            console.print(f'The oracle solves too few of {named}. Playing {wanted.more} more of each.', highlight=False, markup=False)
            results += played.all(wanted.again(cells))
    results.sort(key=lambda r: (r.key, r.policy, r.perturbations))
    for path in write_pages(results, pages) if pages else ():
        console.print(f'written: {path}', highlight=False, markup=False)
    return show(results, console, worked(results))


class _Played:
    """The evaluations of a sweep, each played or loaded from its report."""

    def __init__(self, folder: Path, workers: int, *, console: Console, other_code: OtherCode) -> None:
        self._folder, self._workers, self._console, self._other_code = folder, workers, console, other_code

    def all(self, plans: Iterable[tuple[str, Plan]]) -> list[Entry]:
        """Return the results of several evaluations, one after the other."""
        results: list[Entry] = []
        for name, plan in plans:
            results += entries(self._one(self._folder / name, plan))
        return results

    def _one(self, path: Path, plan: Plan) -> EvaluationReport:
        self._tell_other_code(path, plan)
        with Progress(*COLUMNS, console=self._console) as progress:
            bar = Bar(progress, progress.add_task(plan.manner.policy, total=len(plan.trials)))
            return evaluated(plan, path, processes=self._workers, watcher=bar, other_code=self._other_code)

    def _tell_other_code(self, path: Path, plan: Plan) -> None:
        if path.exists() and (report := EvaluationReport.load(path)).bench != plan.bench:
            then = 'It is used because of --keep.' if self._other_code is OtherCode.KEEP else 'It is played again; with --keep it is used.'
            what = f'{path} was played by {report.bench or "unknown code"}; the code here is {plan.bench}.'
            self._console.print(f'{what} {then}', highlight=False, markup=False)


def show(results: list[Entry], console: Console, work: str = '') -> int:
    """Print results, and return the exit code."""
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
    console.print(f'{sum(r.sim_seconds for r in results):.0f} s simulated in {work}', highlight=False, markup=False)
    short = shortcomings(results)
    for text in short:
        console.print(Text.assemble(('falls short', 'bold red'), f' {text}'))
    return 1 if short else 0


def _line(console: Console, key: tuple[str, ...], results: list[Entry]) -> None:
    console.print(f'{" ".join(key):64} {rate(results)}   score {scored(results)}', highlight=False, markup=False)
