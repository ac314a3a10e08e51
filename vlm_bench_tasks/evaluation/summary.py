"""Summarize the episodes of an evaluation: rates with intervals, means, and counts of causes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from vlm_bench_tasks.evaluation.report import GroupScore
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.result import Result


def summed(scores: Sequence[Result], *, task: str = '', axis: str = '', split: str = '') -> GroupScore:
    """Return the summary of some episodes; the names give what these have in common."""
    seen = [score for score in scores if score.seen]
    rate = Rate(sum(score.solved for score in seen), len(seen))
    low, high = rate.interval
    return GroupScore(
        task=task,
        axis=axis,
        split=split,
        episodes=rate.total,
        successes=rate.solved,
        share=rate.share,
        low=low,
        high=high,
        mean_score=_mean(score.score for score in seen),
        mean_reward=_mean(score.reward for score in seen),
        mean_sim_seconds=_mean(score.sim_seconds for score in seen),
        causes=dict(sorted(Counter(score.cause for score in seen if not score.solved).items())),
        violations=sum(score.violations for score in seen),
        drops=sum(score.drops for score in seen),
        unobservable=len(scores) - len(seen),
    )


def groups(scores: Iterable[Result]) -> tuple[GroupScore, ...]:
    """Return a summary for each task, split and axis, sorted by these names."""
    found: dict[tuple[str, str, str], list[Result]] = {}
    for score in scores:
        found.setdefault((score.task, score.split, score.axis), []).append(score)
    return tuple(summed(own, task=task, split=split, axis=axis) for (task, split, axis), own in sorted(found.items()))


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None
