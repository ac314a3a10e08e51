"""Compare the reports of two policies, episode by episode."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from vlm_bench_sim.core.engine import ENGINE, ENGINES, recorded
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.report import Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.judging.statistics import Pairs, Rate
from vlm_bench_tasks.result import Result

_SAID = {
    'seeds': 'seeds (first and one past the last)',
    'size': 'size of the pictures',
    'answer_seconds': 'seconds for an answer',
}


@dataclass(frozen=True)
class Comparison:
    """Results of both policies for one task, axis and split; all three are '' for the total.

    Attributes:
        pairs: number of episodes by which of the policies succeeded.
        scores: mean partial score of each policy, 0…100; None if there are no pairs.
        unobservable: episodes left out because the bench was at fault in one of the reports.
        floors: success rate of each policy, 0…1, with its own unobservable episodes counted as failures.
    """

    task: str
    axis: str
    split: str
    pairs: Pairs
    scores: tuple[float, float] | None
    unobservable: int
    floors: tuple[float, float]

    def plain(self) -> dict[str, Any]:
        """Return the comparison as a plain dictionary."""
        pairs = self.pairs
        return {
            'task': self.task, 'axis': self.axis, 'split': self.split, 'pairs': pairs.total, 'both': pairs.both,
            'first_only': pairs.first_only, 'second_only': pairs.second_only, 'neither': pairs.neither,
            'first': pairs.first.share, 'second': pairs.second.share, 'difference': pairs.difference,
            'interval': list(pairs.interval), 'p_value': pairs.p_value, 'mean_scores': list(self.scores) if self.scores else None,
            'unobservable': self.unobservable, 'floors': list(self.floors),
        }  # fmt: skip


def compared(first: EvaluationReport, second: EvaluationReport, *, across: bool = False) -> tuple[Comparison, ...]:
    """Return the comparison for each task, axis and split, followed by the total.

    Args:
        first: a report.
        second: a report of the same episodes.
        across: the reports are of two engines, and may differ in that.

    Raises:
        ConfigError: the reports are not comparable; the message lists every reason.
    """
    if reasons := obstacles(first, second, across=across):
        raise ConfigError('The reports are not comparable. ' + ' '.join(f'({n}) {why}' for n, why in enumerate(reasons, start=1)))
    pairs = list(zip(first.episodes, second.episodes, strict=True))
    found: dict[tuple[str, str, str], list[tuple[Result, Result]]] = {}
    for pair in pairs:
        found.setdefault(pair[0].key[:3], []).append(pair)
    return (*(_comparison(key, own) for key, own in sorted(found.items())), _comparison(('', '', ''), pairs))


def obstacles(first: EvaluationReport, second: EvaluationReport, *, across: bool = False) -> list[str]:
    """Return all reasons why two reports cannot be compared, `across` engines or not; empty if they can."""
    reasons = differences(first.conditions, second.conditions, across=across)
    if not reasons and [one.key for one in first.episodes] != [one.key for one in second.episodes]:
        reasons.append('The reports have equal conditions but hold different episodes. Evaluate again.')
    return reasons


def differences(ours: Conditions, theirs: Conditions, *, across: bool = False) -> list[str]:
    """Return all differences between two evaluations that affect a score; `across` engines, without these."""
    reasons = [*_tasks(ours.tasks, theirs.tasks), *_versions(ours.versions, theirs.versions)]
    if ours.engine != theirs.engine and not across:
        reasons.append(f'They were played in the engines {ours.engine} and {theirs.engine}. Add --across-engines to compare these.')
    for name in Conditions.model_fields:
        a, b = getattr(ours, name), getattr(theirs, name)
        if a != b and name not in ('tasks', 'versions'):
            reasons.append(f'They differ in {_SAID.get(name, name)}: {_words(a)} and {_words(b)}.')
    return reasons


def _tasks(ours: Iterable[TaskConditions], theirs: Iterable[TaskConditions]) -> list[str]:
    by_name, others = {row.task: row for row in ours}, {row.task: row for row in theirs}
    reasons = [f'Only the first holds {name}.' for name in by_name if name not in others]
    reasons += [f'Only the second holds {name}.' for name in others if name not in by_name]
    for name in sorted(by_name.keys() & others.keys()):
        for part in TaskConditions.model_fields:
            a, b = getattr(by_name[name], part), getattr(others[name], part)
            if a != b:
                reasons.append(f'{name} differs in {part}: {_words(a)} and {_words(b)}.')
    return reasons


def _versions(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[str]:
    a, b = (_by_name(versions) for versions in (ours, theirs))
    told = (ENGINE, *(ENGINES if recorded(ours) != recorded(theirs) else ()))  # in a sentence of their own
    return [
        f'The versions of {name} differ: {a.get(name, "none")} and {b.get(name, "none")}.'
        for name in dict.fromkeys((*a, *b))
        if a.get(name) != b.get(name) and name not in told
    ]


def _by_name(versions: Iterable[str]) -> dict[str, str]:
    pairs = (version.partition('=') for version in versions)
    return {name: number or 'unknown' for name, _, number in pairs}


def across_engines(reports: Sequence[EvaluationReport]) -> tuple[tuple[EvaluationReport, EvaluationReport], ...]:
    """Return the pairs of reports of one policy with the same tasks in two engines, the engine of the first report first in each.

    Raises:
        ConfigError: the reports are not pairs that differ only in the engine.
    """
    found: dict[tuple[str, ...], list[EvaluationReport]] = {}
    for report in reports:
        played = (row.task for row in report.conditions.tasks)
        found.setdefault((report.policy, report.code, *map(str, sorted(report.options.items())), *played), []).append(report)
    engines = sorted({report.conditions.engine for report in reports})
    for name, own in found.items():
        if len(engines) != 2 or sorted(report.conditions.engine for report in own) != engines:
            told = ', '.join(report.conditions.engine for report in own)
            raise ConfigError(
                f'Across engines, each policy has one report of the same tasks in each of two engines; found {name[0]!r} in {told}. '
                'Name such reports.'
            )
    first = reports[0].conditions.engine
    return tuple((own[0], own[1]) if own[0].conditions.engine == first else (own[1], own[0]) for own in found.values())


def _comparison(key: tuple[str, str, str], both: list[tuple[Result, Result]]) -> Comparison:
    seen = [pair for pair in both if pair[0].seen and pair[1].seen]
    solved = [(a.solved, b.solved) for a, b in seen]
    pairs = Pairs(*(solved.count(ways) for ways in ((True, True), (True, False), (False, True), (False, False))))
    scores = (fmean(a.score for a, _ in seen), fmean(b.score for _, b in seen)) if seen else None
    floors = (Rate(sum(a.solved for a, _ in both), len(both)).share, Rate(sum(b.solved for _, b in both), len(both)).share)
    return Comparison(*key, pairs, scores, len(both) - len(seen), floors)


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return ', '.join(str(part) for part in value) or 'none'
    return str(value)
