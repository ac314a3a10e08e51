"""Confidence intervals for success rates and for the difference of two success rates, and the trend of a reward."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from vlm_bench_sim.core.errors import VlmBenchError

CONFIDENCE = 0.95
_DRAWS = 2000


@dataclass(frozen=True)
class Rate:
    """A success rate with Wilson's interval, which is valid near 0 and 1 and for few episodes, unlike the normal approximation.

    Raises:
        VlmBenchError: there are more successes than episodes, or fewer than none.
    """

    solved: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.solved <= self.total:
            raise VlmBenchError(
                f'The number of successes must be from 0 to the number of episodes; found {self.solved} of {self.total}. Check the counts.'
            )

    @property
    def share(self) -> float:
        """The success rate, 0…1; 0 without episodes."""
        return self.solved / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the rate; 0…1 without episodes."""
        if not self.total:
            return 0.0, 1.0
        found = _binomial(self.solved, self.total).proportion_ci(CONFIDENCE, method='wilson')
        return float(found.low), float(found.high)

    def __add__(self, other: 'Rate') -> 'Rate':
        """Return the pooled rate."""
        return Rate(self.solved + other.solved, self.total + other.total)

    def __str__(self) -> str:
        """Return the text for tables."""
        low, high = self.interval
        return f'{self.solved}/{self.total} = {100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f})'


@dataclass(frozen=True)
class Pairs:
    """Episodes that two policies played, counted by which of them solved each episode.

    Raises:
        VlmBenchError: a count is negative.
    """

    both: int
    first_only: int
    second_only: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.both, self.first_only, self.second_only, self.neither) < 0:
            raise VlmBenchError(f'The counts of pairs must not be negative; found {self}. Check them.')

    @property
    def total(self) -> int:
        """The number of pairs."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def first(self) -> Rate:
        """The success rate of the first policy."""
        return Rate(self.both + self.first_only, self.total)

    @property
    def second(self) -> Rate:
        """The success rate of the second policy."""
        return Rate(self.both + self.second_only, self.total)

    @property
    def p_value(self) -> float:
        """The p-value of McNemar's exact test on the episodes that only one policy solved. Null hypothesis: both are equally good."""
        uneven = self.first_only + self.second_only
        return float(_binomial(self.first_only, uneven).pvalue) if uneven else 1.0

    @property
    def difference(self) -> float:
        """The success rate of the second policy minus that of the first, -1…1."""
        return self.second.share - self.first.share

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the difference: Newcombe's square-and-add of the two Wilson intervals with their correlation.

        It is -1…1 without episodes. (Newcombe 1998, Statistics in Medicine 17, 2635, method 10.)
        """
        if not self.total:
            return -1.0, 1.0
        p, q = self.second.share, self.first.share
        (p_low, p_high), (q_low, q_high) = self.second.interval, self.first.interval
        phi = self._correlation
        below = _apart(p - p_low, q_high - q, phi)
        above = _apart(p_high - p, q - q_low, phi)
        return max(-1.0, self.difference - below), min(1.0, self.difference + above)

    @property
    def _correlation(self) -> float:
        """The phi coefficient. If positive, it is corrected towards 0 by half an episode."""
        a, b, c, d = self.both, self.first_only, self.second_only, self.neither
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        if not margins:
            return 0.0
        product = float(a * d - b * c)
        if product > 0:
            product = max(product - self.total / 2, 0.0)
        return product / sqrt(margins)


def trend(values: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation of values with their order, -1…1 to three digits; None if they do not vary."""
    if len(set(values)) < 2:
        return None
    from scipy.stats import spearmanr  # imported here, as below

    return round(float(spearmanr(range(len(values)), values).statistic), 3)


@dataclass(frozen=True)
class RankAgreement:
    """Whether two benches put the same cells in the same order: Kendall's tau-b of their success rates, -1…1, with a 95 % interval."""

    tau: float
    low: float
    high: float

    @property
    def told(self) -> str:
        """The number and its interval, in words."""
        if self.low == self.high:
            return f'{self.tau:.3f} (no interval: each cell is solved always or never)'
        return f'{self.tau:.3f} ({self.low:.3f} to {self.high:.3f}, 95 %, bootstrap over episodes)'


def rank_agreement(cells: Sequence[Pairs]) -> RankAgreement | None:
    """Return the rank agreement of two benches over cells, such as a policy's tasks; each holds the same episodes on both.

    The interval holds the middle 95 % of `_DRAWS` draws, in each of which every cell's episodes are drawn anew with replacement (the
    bootstrap). None if all cells have the same rate on one bench, or there is only one: then there is no order to agree on.
    """
    import numpy as np  # imported here, as below
    from scipy.stats import kendalltau

    counts = np.array([[cell.both, cell.first_only, cell.second_only, cell.neither] for cell in cells if cell.total], dtype=float)
    if len(counts) < 2:
        return None
    totals = counts.sum(axis=1)

    def tau(found: Any) -> float:
        return float(kendalltau((found[:, 0] + found[:, 1]) / totals, (found[:, 0] + found[:, 2]) / totals).statistic)

    if np.isnan(exact := tau(counts)):
        return None
    stream = np.random.default_rng(0)
    draws = [stream.multinomial(int(total), own / total, size=_DRAWS) for own, total in zip(counts, totals, strict=True)]
    found = np.array([tau(draw) for draw in np.stack(draws, axis=1)])
    low, high = np.quantile(found[~np.isnan(found)], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return RankAgreement(round(exact, 3), round(float(low), 3), round(float(high), 3))


def _apart(own: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, own * own - 2 * phi * own * other + other * other))


def _binomial(solved: int, total: int) -> Any:
    """Return scipy's exact binomial test of a share against one half."""
    from scipy.stats import binomtest  # imported here: it takes half a second, which processes without statistics save

    return binomtest(solved, total)
