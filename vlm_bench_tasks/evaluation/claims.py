"""Check what a report says of itself without playing anything: its sums, its isolation, its aids, and what its seeds are for."""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import isclose
from typing import Any

from vlm_bench_sim.core.errors import SeedError, VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.plan import Manner, purpose_of, sees_truth
from vlm_bench_tasks.evaluation.report import EvaluationReport, GroupScore
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.run import TRUTH

_UNKNOWN = -1.0  # score of an episode that nobody scored
_RANGES = {'score': 100.0, 'progress': 1.0, 'reward': 1.0, 'chance': 1.0}
_NEAR = 1e-9  # sums of other versions of numpy and scipy may differ in the last bits


def false_claims(report: EvaluationReport) -> tuple[str, ...]:
    """Return what a report says that does not follow from its own episodes, policy and conditions, each a sentence."""
    return (*_numbers(report.episodes), *_sums(report), *_policy(report), *_purpose(report))


def _numbers(episodes: Iterable[Result]) -> Iterator[str]:
    for one in episodes:
        for name, most in _RANGES.items():
            value = getattr(one, name)
            if not (0.0 <= value <= most or (name == 'score' and value == _UNKNOWN)):
                yield f'The episode {" ".join(map(str, one.key))} has the {name} {value:g}; it is a number of 0 to {most:g}.'


def _sums(report: EvaluationReport) -> Iterator[str]:
    made, told = ({_key(one): one for one in found} for found in (groups(report.episodes), report.groups))
    for key, count in Counter(map(_key, report.groups)).items():
        if count > 1:
            yield f'The group {_name(key)} stands {count} times.'
    for key in made.keys() - told.keys():
        yield f'The group {_name(key)} is missing, though there are episodes of it.'
    for key in told.keys() - made.keys():
        yield f'There are no episodes of the group {_name(key)}.'
    for key in sorted(told.keys() & made.keys()):
        yield from _apart(f'The group {_name(key)}', told[key], made[key])
    yield from _apart('The sum over all episodes', report.overall, summed(report.episodes))


def _apart(what: str, told: GroupScore, made: GroupScore) -> Iterator[str]:
    """Yield how a summary differs from that of its episodes; what an older report does not say is left out."""
    for name in sorted(told.model_fields_set):
        given, found = getattr(told, name), getattr(made, name)
        if not _alike(given, found):
            yield f'{what} says {name} {given}; its episodes give {found}.'


def _alike(given: Any, found: Any) -> bool:
    if isinstance(given, float) and isinstance(found, float):
        return isclose(given, found, rel_tol=_NEAR, abs_tol=_NEAR)
    return bool(given == found)


def _policy(report: EvaluationReport) -> Iterator[str]:
    manner, isolation = Manner(report.policy), Manner(report.policy).isolation
    if report.code and not manner.foreign:
        yield f'It has the digest {report.code[:16]} of a class; the policy {report.policy} is none.'
    if report.isolation not in ('none', isolation):
        yield f'It says that the policy was isolated by {report.isolation}; {report.policy} is played with isolation {isolation}.'
    if sees_truth(report.policy) and TRUTH not in report.conditions.assistance:
        yield f'Its policy {report.policy} sees the ground truth, which it does not list as assistance.'


def _purpose(report: EvaluationReport) -> Iterator[str]:
    """Yield that the seeds are not for what it says; nothing if a task or a split is not known here."""
    conditions = report.conditions
    try:
        if any(split not in catalogue.splits(row.task) for row in conditions.tasks for split in row.splits):
            return
        found = purpose_of(conditions.tasks, range(*conditions.seeds))
    except SeedError as error:
        yield f'No policy is scored on its seeds: {error}'
    except VlmBenchError:
        return
    else:
        if found != conditions.purpose:
            yield f'It says that its seeds are for: {conditions.purpose}; they are for: {found}.'


def _key(one: GroupScore) -> tuple[str, str, str]:
    return one.task, one.split, one.axis


def _name(key: Iterable[str]) -> str:
    return ' '.join(key)
