"""Bars of a report page: one for each task, axis and split, with its interval, and one for each cause of failure."""

from collections.abc import Sequence
from dataclasses import dataclass

from vlm_bench_tasks.evaluation.report import GroupScore

COLORS = 4
"""Number of colors for splits in the style sheet; further splits reuse them."""


@dataclass(frozen=True)
class Bar:
    """One bar of the page.

    Attributes:
        first: whether it is the first bar of its task, above which the page writes the task's name.
        task, axis, split: common to its episodes.
        color: number of the split's color.
        share, low, high: 0…1.
        episodes, successes: counts.
    """

    task: str
    axis: str
    split: str
    color: int
    first: bool
    share: float
    low: float
    high: float
    episodes: int
    successes: int


@dataclass(frozen=True)
class Cause:
    """A cause with its number of failures, and its share of all failures, 0…1."""

    word: str
    count: int
    share: float


def bars(groups: Sequence[GroupScore]) -> list[Bar]:
    """Return the bars in the order of the groups."""
    splits = list(dict.fromkeys(group.split for group in groups))
    found: list[Bar] = []
    for group in groups:
        first = not found or found[-1].task != group.task
        found.append(
            Bar(
                group.task, group.axis, group.split, splits.index(group.split) % COLORS, first, group.share, group.low, group.high,
                group.episodes, group.successes,
            )
        )  # fmt: skip
    return found


def causes(group: GroupScore) -> list[Cause]:
    """Return the causes of failures, the most frequent first."""
    failures = sum(group.causes.values())
    return [Cause(word, count, count / failures) for word, count in sorted(group.causes.items(), key=lambda found: (-found[1], found[0]))]
