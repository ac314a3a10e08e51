"""The bars of a report: one for each task, axis and split, with its interval; and one for each cause of failure."""

from collections.abc import Sequence
from dataclasses import dataclass

from vlm_bench_tasks.evaluation.report import GroupScore

COLORS = 4
"""How many colors the style sheet has for splits; further splits begin again."""


@dataclass(frozen=True)
class Bar:
    """One bar; `first` of its task, whose name stands above it.

    Attributes:
        task, axis, split: what the episodes have in common.
        color: number of the split's color.
        share, low, high: 0…1.
        episodes, successes: how many.
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
    """A cause with how many failures it has, and their share of all failures, 0…1."""

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
