"""How much a share of solved episodes says, and the difference between two shares."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from vlm_bench_sim.core.errors import VlmBenchError

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Rate:
    """So many of so many, with Wilson's interval: it is honest near 0 and 1 and for few episodes, where the normal one is not.

    Raises:
        VlmBenchError: there are more successes than episodes, or fewer than none.
    """

    solved: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.solved <= self.total:
            raise VlmBenchError(f'A rate is so many of at least as many; found {self.solved} of {self.total}. Count again.')

    @property
    def share(self) -> float:
        """0…1; 0 of nothing."""
        return self.solved / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share may lie, with 95 % confidence; of nothing, anywhere."""
        if not self.total:
            return 0.0, 1.0
        found = _binomial(self.solved, self.total).proportion_ci(CONFIDENCE, method='wilson')
        return float(found.low), float(found.high)

    def __add__(self, other: 'Rate') -> 'Rate':
        """Return the two counted together."""
        return Rate(self.solved + other.solved, self.total + other.total)

    def __str__(self) -> str:
        """Return it as tables show it."""
        low, high = self.interval
        return f'{self.solved}/{self.total} = {100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f})'


@dataclass(frozen=True)
class Pairs:
    """Episodes that two policies played, each counted by who solved it.

    Raises:
        VlmBenchError: a count is negative.
    """

    both: int
    first_only: int
    second_only: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.both, self.first_only, self.second_only, self.neither) < 0:
            raise VlmBenchError(f'Pairs are counted from 0; found {self}. Count again.')

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def first(self) -> Rate:
        """What the first policy solved."""
        return Rate(self.both + self.first_only, self.total)

    @property
    def second(self) -> Rate:
        """What the second policy solved."""
        return Rate(self.both + self.second_only, self.total)

    @property
    def p_value(self) -> float:
        """How likely a split at least as uneven is of the episodes that only one solved, if both are as good: McNemar's test, exact."""
        uneven = self.first_only + self.second_only
        return float(_binomial(self.first_only, uneven).pvalue) if uneven else 1.0

    @property
    def difference(self) -> float:
        """Share of the second less that of the first, -1…1."""
        return self.second.share - self.first.share

    @property
    def interval(self) -> tuple[float, float]:
        """Where the difference may lie, with 95 % confidence: Newcombe's square-and-add of the two Wilson intervals, as they correlate.

        Of nothing, anywhere. (Newcombe 1998, Statistics in Medicine 17, 2635, method 10.)
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
        """The phi coefficient, drawn towards 0 by half an episode where it is positive."""
        a, b, c, d = self.both, self.first_only, self.second_only, self.neither
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        if not margins:
            return 0.0
        product = float(a * d - b * c)
        if product > 0:
            product = max(product - self.total / 2, 0.0)
        return product / sqrt(margins)


def _apart(own: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, own * own - 2 * phi * own * other + other * other))


def _binomial(solved: int, total: int) -> Any:
    """Return scipy's exact test of a share against one half."""
    from scipy.stats import binomtest  # half a second that a process which plays and does not count is spared

    return binomtest(solved, total)
