"""The cells of a protocol's tables: success and score of a report by level or task, and by split."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.declaration import NOTHING, Declaration, read_fine_tuned_on, read_trained_on
from vlm_bench_tasks.evaluation.plan import task_conditions
from vlm_bench_tasks.evaluation.protocols import PROTOCOLS, TEST, Protocol, level_or_task, protocol
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.judging.statistics import CONFIDENCE
from vlm_bench_tasks.result import Result


@dataclass(frozen=True)
class Cell:
    """Results of one level or task in one split. Each task weighs the same, however many axes it is played along.

    Attributes:
        name: the level, or the id of the task.
        split: name of the split.
        condition: how the policy meets the level: trained, fine-tuned or zero-shot; '' where that is not declared.
        tasks: number of tasks with an observable episode.
        episodes: number of observable episodes.
        share: mean of the tasks' success rates, 0…1.
        interval: its 95 % interval; Wilson's if each task has as many episodes.
        score: mean of the tasks' mean scores, 0…100.
        unobservable: number of further episodes in which the bench was at fault.
    """

    name: str
    split: str
    condition: str
    tasks: int
    episodes: int
    share: float
    interval: tuple[float, float]
    score: float
    unobservable: int = 0


def cells(report: EvaluationReport) -> tuple[Cell, ...]:
    """Return the cells of a report that a protocol was declared for, sorted by name and split; none of any other report."""
    if not report.declared.protocol:
        return ()
    found: dict[tuple[str, str], list[Result]] = {}
    for one in report.episodes:
        found.setdefault((level_or_task(one.task), one.split), []).append(one)
    return tuple(_cell(name, split, report.declared.condition(name), own) for (name, split), own in sorted(found.items()))


def mean(name: str, split: str, results: Iterable[Cell]) -> Cell | None:
    """Return the mean of cells in which each one weighs the same; None if nothing was observed."""
    seen = [one for one in results if one.episodes]
    if not seen:
        return None
    share, count = fmean(one.share for one in seen), len(seen)
    interval = wilson(share, count**2 / sum(1 / one.episodes for one in seen))
    unobservable, episodes, tasks = (sum(getattr(one, what) for one in seen) for what in ('unobservable', 'episodes', 'tasks'))
    return Cell(name, split, seen[0].condition, tasks, episodes, share, interval, fmean(one.score for one in seen), unobservable)


def wilson(share: float, episodes: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate from so many episodes, which need not be a whole number; 0…1 without episodes."""
    if not episodes:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    middle, spread = share + z**2 / (2 * episodes), z * sqrt(share * (1 - share) / episodes + (z / (2 * episodes)) ** 2)
    low, high = ((middle + sign * spread) / (1 + z**2 / episodes) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def part(report: EvaluationReport) -> str:
    """Return in words how much of its protocol a report holds; '' if it is all of it, or if there is no such protocol here.

    Raises:
        ConfigError: the protocol has no such table.
    """
    if report.declared.protocol not in PROTOCOLS:
        return ''
    conditions, wanted = report.conditions, PROTOCOLS[report.declared.protocol]
    every = wanted.tasks(wanted.variant(report.declared.variant))
    told = [f'{len(conditions.tasks)} of {len(every)} tasks'] if len(conditions.tasks) < len(every) else []
    seeds = range(*conditions.seeds)
    if seeds != wanted.seeds:
        told.append(f'{_words(seeds)} instead of {_words(wanted.seeds)}')
    return ', '.join(told)


def check(report: EvaluationReport, name: str, file: str) -> None:
    """Check that a report was made under a protocol, and as it is now.

    Args:
        report: the report.
        name: name of the protocol.
        file: name of the report's file, for the message.

    Raises:
        ConfigError: it was not; the message lists every difference.
    """
    wanted, declared, conditions = protocol(name), report.declared, report.conditions
    if declared.protocol != name:
        what = f'of the protocol {declared.protocol}' if declared.protocol else 'of no protocol'
        raise ConfigError(f'{file} is a report {what}, not of {name}. Evaluate with --protocol {name}.')
    variant = wanted.variant(declared.variant)
    reasons = [f'it has the {what} {found}, not {fixed}' for what, found, fixed in (
        ('cameras', conditions.cameras, wanted.cameras), ('size', conditions.size, wanted.size),
        ('perturbations', ', '.join(conditions.perturbations) or 'none', 'none'),
    ) if found != fixed]  # fmt: skip
    reasons += [f'it lacks the aid {aid}' for aid in variant.assist if aid not in conditions.assistance]
    reasons += [] if conditions.purpose == TEST else [f'its seeds are for: {conditions.purpose or "nothing"}, not for: {TEST}']
    reasons += _training(wanted, declared)
    every = wanted.tasks(variant)
    for row in conditions.tasks:
        if row.task not in every or row != task_conditions(row.task, wanted.axes(row.task), wanted.splits, prompt=variant.prompt):
            reasons.append(f'it played {row.task} in another way')
    if reasons:
        raise ConfigError(f'{file} does not follow the protocol {name} as it is here: {"; ".join(reasons)}. Evaluate again.')


def _training(wanted: Protocol, declared: Declaration) -> list[str]:
    """Return what is wrong with a declared training."""
    if not wanted.levels:
        return ['its tasks have no levels to be trained on'] if declared.trained_on is not None or declared.fine_tuned_on else []
    if declared.trained_on is None:
        return ['it does not declare what the policy was trained on']
    try:
        read_trained_on('+'.join(declared.trained_on) or NOTHING, wanted.levels)
        read_fine_tuned_on('+'.join(declared.fine_tuned_on), wanted.levels, declared.trained_on)
    except ConfigError as error:
        return [f'what it declares is not valid ({error})']
    return []


def _words(seeds: range) -> str:
    return f'seeds {seeds[0]} to {seeds[-1]}' if len(seeds) > 1 else f'seed {seeds[0]}'


def _cell(name: str, split: str, condition: str, results: list[Result]) -> Cell:
    by_task: dict[str, list[Result]] = {}
    for one in results:
        by_task.setdefault(one.task, []).append(one)
    alone = [_of_task(task, split, condition, own) for task, own in by_task.items()]
    lost = sum(one.unobservable for one in alone)
    found = mean(name, split, alone)
    if found is None:
        return Cell(name, split, condition, 0, 0, 0.0, wilson(0.0, 0), 0.0, lost)
    return Cell(name, split, condition, found.tasks, found.episodes, found.share, found.interval, found.score, lost)


def _of_task(task: str, split: str, condition: str, results: list[Result]) -> Cell:
    seen = [one for one in results if one.seen]
    share = sum(one.solved for one in seen) / len(seen) if seen else 0.0
    score = fmean(one.score for one in seen) if seen else 0.0
    return Cell(task, split, condition, 1, len(seen), share, wilson(share, len(seen)), score, len(results) - len(seen))
