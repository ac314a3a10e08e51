"""Merge the results of several evaluations into one table, and summarize them."""

import re
from collections.abc import Callable, Iterable
from functools import reduce
from statistics import mean

from vlm_bench_tasks.evaluation.report import EvaluationReport, TaskConditions
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.language.pictures import WORDS
from vlm_bench_tasks.result import Result


class Entry(Result):
    """A result, together with the properties that all results of its report share.

    Attributes:
        policy: name of the policy.
        robot: name of the robot profile.
        prompt: how the policy was asked.
        perturbations: perturbations of the episode, each as `name=size unit`; empty for none.
        versions: versions of everything that affects a score.
        bench: digest of the code of the bench; '' if unknown.
        cpu_seconds: CPU time of the episode.
    """

    policy: str
    robot: str
    prompt: str = WORDS
    perturbations: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    bench: str = ''
    cpu_seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Why the episode failed. Numbers are removed so that equal reasons are counted together."""
        text = ': '.join([*self.causes[:1], *self.failures[-1:]]) or self.verdict
        return re.sub(r'_\d+\b', '', re.sub(r'-?\d+\.\d+', '…', text))


def entries(report: EvaluationReport) -> list[Entry]:
    """Return an entry for each episode of a report."""
    conditions, played = report.conditions, {row.task: row for row in report.conditions.tasks}
    common = {
        'policy': report.policy,
        'perturbations': conditions.perturbations,
        'versions': conditions.versions,
        'bench': report.bench,
    }
    worked = report.circumstances.episode_cpu_seconds or (0.0,) * len(report.episodes)
    return [
        Entry.model_validate(dict(one) | common | _of(played[one.task], seconds))
        for one, seconds in zip(report.episodes, worked, strict=True)
    ]


def _of(played: TaskConditions, seconds: float) -> dict[str, object]:
    return {'robot': played.robot, 'prompt': played.prompt, 'cpu_seconds': seconds}


def rate(results: Iterable[Entry]) -> Rate:
    """Return the success rate over the observable episodes."""
    return reduce(Rate.__add__, (Rate(int(r.solved), 1) for r in results if r.seen), Rate(0, 0))


def mean_score(results: Iterable[Entry]) -> float | None:
    """Return the mean score over the observable episodes; None if there are none or one has no score."""
    scores = [r.score for r in results if r.seen]
    return mean(scores) if scores and min(scores) >= 0.0 else None


def scored(results: Iterable[Entry]) -> str:
    """Return the mean score as text for tables."""
    found = mean_score(results)
    return '–' if found is None else f'{found:.1f}'


def worked(results: Iterable[Entry]) -> str:
    """Return the total CPU time of the runs as text."""
    minutes = sum(r.cpu_seconds for r in results) / 60
    return f'{minutes:.0f} minutes of CPU time.' if minutes >= 10 else f'{minutes:.1f} minutes of CPU time.'


def rates(results: Iterable[Entry], by: Callable[[Entry], tuple[str, ...]]) -> dict[tuple[str, ...], Rate]:
    """Return the success rate of each group of results."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return {key: rate(group) for key, group in sorted(groups.items())}
