"""Two policies' reports, episode by episode: what may be compared, and what the difference says."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

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
    """The episodes of one task, axis and split, or all ('' then), as both policies played them.

    Attributes:
        pairs: counted by who solved the episode.
        scores: mean partial score of either, 0…100; None where there are no pairs.
        unobservable: episodes left out because the bench was at fault in one report or the other.
        floors: share of successes of either, 0…1, where its own unobservable episodes had failed.
    """

    task: str
    axis: str
    split: str
    pairs: Pairs
    scores: tuple[float, float] | None
    unobservable: int
    floors: tuple[float, float]

    def plain(self) -> dict[str, Any]:
        """Return it as one plain object."""
        pairs = self.pairs
        return {
            'task': self.task, 'axis': self.axis, 'split': self.split, 'pairs': pairs.total, 'both': pairs.both,
            'first_only': pairs.first_only, 'second_only': pairs.second_only, 'neither': pairs.neither,
            'first': pairs.first.share, 'second': pairs.second.share, 'difference': pairs.difference,
            'interval': list(pairs.interval), 'p_value': pairs.p_value, 'mean_scores': list(self.scores) if self.scores else None,
            'unobservable': self.unobservable, 'floors': list(self.floors),
        }  # fmt: skip


def compared(first: EvaluationReport, second: EvaluationReport) -> tuple[Comparison, ...]:
    """Return what the two come to for each task, axis and split, and last for all.

    Raises:
        ConfigError: they are not comparable; every reason is named.
    """
    if reasons := obstacles(first, second):
        raise ConfigError('The reports are not comparable. ' + ' '.join(f'({n}) {why}' for n, why in enumerate(reasons, start=1)))
    pairs = list(zip(first.episodes, second.episodes, strict=True))
    found: dict[tuple[str, str, str], list[tuple[Result, Result]]] = {}
    for pair in pairs:
        found.setdefault(pair[0].key[:3], []).append(pair)
    return (*(_comparison(key, own) for key, own in sorted(found.items())), _comparison(('', '', ''), pairs))


def obstacles(first: EvaluationReport, second: EvaluationReport) -> list[str]:
    """Return every reason why two reports cannot be compared; none where they can."""
    reasons = differences(first.conditions, second.conditions)
    if not reasons and [one.key for one in first.episodes] != [one.key for one in second.episodes]:
        reasons.append('They hold other episodes than their conditions say; evaluate again.')
    return reasons


def differences(ours: Conditions, theirs: Conditions) -> list[str]:
    """Return everything in which two evaluations differ that decides a score."""
    reasons = [*_tasks(ours.tasks, theirs.tasks), *_versions(ours.versions, theirs.versions)]
    for name in Conditions.model_fields:
        a, b = getattr(ours, name), getattr(theirs, name)
        if a != b and name not in ('tasks', 'versions'):
            reasons.append(f'They have other {_SAID.get(name, name)}: {_words(a)} and {_words(b)}.')
    return reasons


def _tasks(ours: Iterable[TaskConditions], theirs: Iterable[TaskConditions]) -> list[str]:
    by_name, others = {row.task: row for row in ours}, {row.task: row for row in theirs}
    reasons = [f'Only the first holds {name}.' for name in by_name if name not in others]
    reasons += [f'Only the second holds {name}.' for name in others if name not in by_name]
    for name in sorted(by_name.keys() & others.keys()):
        for part in TaskConditions.model_fields:
            a, b = getattr(by_name[name], part), getattr(others[name], part)
            if a != b:
                reasons.append(f'{name} has another {part}: {_words(a)} and {_words(b)}.')
    return reasons


def _versions(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[str]:
    a, b = (dict(version.split('=', 1) for version in versions) for versions in (ours, theirs))
    return [
        f'The versions of {name} differ: {a.get(name, "none")} and {b.get(name, "none")}.'
        for name in dict.fromkeys((*a, *b))
        if a.get(name) != b.get(name)
    ]


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
