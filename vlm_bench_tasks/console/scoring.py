"""Terminal output of evaluations: progress and tables of scores."""

import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros import installed
from vlm_bench_tasks.campaign import PlayAll, Watcher
from vlm_bench_tasks.evaluation.cells import cells, part
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.plan import ROS, Asked, Manner, planned
from vlm_bench_tasks.evaluation.playing import Scored
from vlm_bench_tasks.evaluation.policy_digest import digest
from vlm_bench_tasks.evaluation.report import EvaluationReport, GroupScore
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.language.pictures import WORDS
from vlm_bench_tasks.trial import Trial

MOST_CAUSES = 5
"""Largest number of causes of unobservable episodes to print, and of faults of a policy."""


class RateColumn(ProgressColumn):
    """Episodes per minute, without those of an earlier run."""

    def render(self, task: Task) -> Text:
        """Return the rate so far."""
        return Text(f'{60 * task.speed:.1f}/min' if task.speed else '–/min')


COLUMNS = (
    TextColumn('{task.description}', markup=False),
    BarColumn(),
    MofNCompleteColumn(),
    RateColumn(),
    TimeElapsedColumn(),
    TimeRemainingColumn(),
)


class Bar(Watcher[Scored]):
    """Updates a progress bar and measures the time."""

    def __init__(self, progress: Progress, bar: TaskID) -> None:
        self._progress, self._bar, self._began, self.idle = progress, bar, time.monotonic(), False

    def begun(self, total: int, known: int) -> None:
        """Exclude what an earlier run has played."""
        self._progress.update(self._bar, total=total - known)
        if known:
            self._progress.console.print(f'{known} episodes were played by an earlier run.', highlight=False, markup=False)

    def whole(self) -> None:
        """Remember that nothing was played."""
        self.idle = True

    def ended(self, trial: Trial, result: Scored) -> None:
        """Count an episode, unless it will be played again."""
        if not result.again:
            self._progress.advance(self._bar)

    def seconds(self) -> float:
        """Return the elapsed wall-clock time, s."""
        return round(time.monotonic() - self._began, 3)


def score(asked: Asked, report: Path, workers: int, console: Console) -> int:
    """Run an evaluation, write the report and print its tables.

    The exit code is 0, 1 if an episode was unobservable, or 130 after an interruption.

    Raises:
        VlmBenchError: an option is invalid, or the report cannot be written.
    """
    if workers < 1:
        raise ConfigError(f'An evaluation needs at least one worker; found {workers}.')
    plan = planned(asked)
    way = _way(plan.manner, workers, console)
    try:
        with Progress(*COLUMNS, console=console) as progress:
            bar = Bar(progress, progress.add_task(asked.policy, total=len(plan.trials)))
            found = evaluated(plan, report, processes=workers, watcher=bar, play_all=way)
    except KeyboardInterrupt:
        console.print('Interrupted. Finished episodes are kept; the same command continues from there.', highlight=False, markup=False)
        return 130
    show(found, console)
    if digest(plan.manner.policy, plan.manner.arguments) != plan.manner.code:
        changed = 'The files of the policy, or those that its arguments name, have changed while it was scored'
        console.print(f'warning: {changed}: not all episodes may be of the same policy. Score a copy.', highlight=False, markup=False)
    kept = 'already holds this evaluation, so nothing was played; remove it to play it again'
    console.print(f'{report} {kept}.' if bar.idle else f'written: {report}', highlight=False, markup=False)
    return 1 if found.overall.unobservable else 0


def _way(manner: Manner, workers: int, console: Console) -> PlayAll[Scored] | None:
    """Return the function that plays the trials of a policy over ROS; None for all other policies."""
    if manner.policy != ROS:
        return None
    if workers > 1:
        raise ConfigError(f'A node plays one episode at a time; {workers} workers were requested. Leave --workers out.')
    installed.check()
    from vlm_bench_tasks.launching.ros_scoring import play_all

    return lambda trials: play_all(trials, manner, console)


def show(report: EvaluationReport, console: Console) -> None:
    """Print a report."""
    for group in (*report.groups, report.overall):
        console.print(_line(group), highlight=False, markup=False)
    conditions = report.conditions
    told = tuple(sorted({f'{row.task}: {row.prompt}' for row in conditions.tasks if row.prompt != WORDS}))
    for text in _protocol(report):
        console.print(text, highlight=False, markup=False)
    for what, words in (('asked with', told), ('perturbed by', conditions.perturbations), ('assisted by', conditions.assistance)):
        if words:
            console.print(f'{what} {", ".join(words)}', highlight=False, markup=False)
    console.print(
        f'seeds {conditions.seeds[0]} to {conditions.seeds[1] - 1}, which are for: {conditions.purpose}', highlight=False, markup=False
    )
    console.print(f'decides {report.decides}', highlight=False, markup=False)
    _show_faults(report, console)
    _show_unseen(report, console)


def _protocol(report: EvaluationReport) -> list[str]:
    """Return what a report is declared to be, and its results by level or task of the protocol, in words."""
    declared = report.declared
    if not declared.protocol:
        return []
    share = part(report)
    rows = [
        f'{cell_name(cell.name, cell.split, cell.condition)} {100 * cell.share:.1f} % ({100 * cell.interval[0]:.1f} to '
        f'{100 * cell.interval[1]:.1f})   score {cell.score:.1f}   tasks {cell.tasks}, episodes {cell.episodes}'
        for cell in cells(report)
    ]
    return [f'{declared}{f"; a part of it: {share}" if share else ""}', *rows]


def _show_faults(report: EvaluationReport, console: Console) -> None:
    """Print what policies did wrong that could not be used, such as the errors that they raised, the most frequent first."""
    faults = Counter(one.causes[0] for one in report.episodes if one.seen and not one.solved and one.causes and ': ' in one.causes[0])
    for fault, count in faults.most_common(MOST_CAUSES):
        console.print(f'{count} {fault}', highlight=False, markup=False)
    if len(faults) > MOST_CAUSES:
        console.print(f'and {len(faults) - MOST_CAUSES} more faults, which the report names', highlight=False, markup=False)


def _show_unseen(report: EvaluationReport, console: Console) -> None:
    """Print why episodes were unobservable, the most frequent cause first."""
    causes = Counter('; '.join(score.causes) for score in report.episodes if not score.seen)
    for cause, count in causes.most_common(MOST_CAUSES):
        console.print(f'{count} unobservable: {cause}', highlight=False, markup=False)
    if len(causes) > MOST_CAUSES:
        console.print(f'and {len(causes) - MOST_CAUSES} more causes, which the report names', highlight=False, markup=False)
    if causes:
        share = f'{100 * report.overall.floor:.1f} %'
        console.print(
            f'The rates exclude them; with them as failures, {share} are solved. The same command plays them again; the report states it.',
            highlight=False,
            markup=False,
        )
    show_again(report, console)


def show_again(report: EvaluationReport, console: Console, whose: str = '') -> None:
    """Print if episodes were played more than once, since a policy that spoils an episode on purpose gets another try."""
    if report.again:
        what = f'played more than once because they were unobservable: {report.again} of {len(report.episodes)}'
        console.print(f'{whose}{what}; solved at the first try: {report.at_first}', highlight=False, markup=False)


def cell_name(*words: str) -> str:
    """Return the words that name a row of results, as wide as those of other rows; 'all' without any."""
    return f'{" ".join(filter(None, words)) or "all":48}'


def _line(group: GroupScore) -> str:
    means = ((group.mean_score, 'score', 1), (group.mean_reward, 'reward', 2), (group.mean_sim_seconds, 's', 1))
    said = [f'{what} –' if value is None else f'{what} {value:.{digits}f}' for value, what, digits in means]
    said += [f'{count} {cause}' for cause, count in group.causes.items()]
    said += [f'{group.unobservable} unobservable'] if group.unobservable else []
    return f'{cell_name(group.task, group.split, group.axis)} {Rate(group.successes, group.episodes)}   {"   ".join(said)}'
