"""The results of several evaluations as one table, and what they come to together."""

import re
from collections.abc import Callable, Iterable
from functools import reduce
from statistics import mean

from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.result import Result


class Entry(Result):
    """A result with what its report says of all of its results.

    Attributes:
        policy: that played.
        robot: name of the profile.
        perturbations: what the episode was perturbed by, each as `name=size unit`; empty: by nothing.
        versions: of all that decides a score.
        bench: digest of the code of the bench that played; '' where nobody said.
        cpu_seconds: processor time that it took.
    """

    policy: str
    robot: str
    perturbations: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    bench: str = ''
    cpu_seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Why it was no success, without the numbers of things, so that like reasons are counted together."""
        text = ': '.join([*self.causes[:1], *self.failures[-1:]]) or self.verdict
        return re.sub(r'_\d+\b', '', re.sub(r'-?\d+\.\d+', '…', text))


def entries(report: EvaluationReport) -> list[Entry]:
    """Return what a report says of each of its episodes."""
    conditions, robots = report.conditions, {row.task: row.robot for row in report.conditions.tasks}
    common = {
        'policy': report.policy,
        'perturbations': conditions.perturbations,
        'versions': conditions.versions,
        'bench': report.bench,
    }
    worked = report.circumstances.episode_cpu_seconds or (0.0,) * len(report.episodes)
    return [
        Entry.model_validate(dict(one) | common | {'robot': robots[one.task], 'cpu_seconds': seconds})
        for one, seconds in zip(report.episodes, worked, strict=True)
    ]


def rate(results: Iterable[Entry]) -> Rate:
    """Return how many were solved, of those that could be observed."""
    return reduce(Rate.__add__, (Rate(int(r.solved), 1) for r in results if r.seen), Rate(0, 0))


def mean_score(results: Iterable[Entry]) -> float | None:
    """Return the mean score of those that could be observed; None where one of them says none, or there are none."""
    scores = [r.score for r in results if r.seen]
    return mean(scores) if scores and min(scores) >= 0.0 else None


def scored(results: Iterable[Entry]) -> str:
    """Return the mean score as tables show it."""
    found = mean_score(results)
    return '–' if found is None else f'{found:.1f}'


def worked(results: Iterable[Entry]) -> str:
    """Say how much time of processors the runs took together."""
    minutes = sum(r.cpu_seconds for r in results) / 60
    return f'{minutes:.0f} minutes of CPU time.' if minutes >= 10 else f'{minutes:.1f} minutes of CPU time.'


def rates(results: Iterable[Entry], by: Callable[[Entry], tuple[str, ...]]) -> dict[tuple[str, ...], Rate]:
    """Return the rate of each group of results."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return {key: rate(group) for key, group in sorted(groups.items())}
