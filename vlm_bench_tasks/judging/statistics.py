"""How much a share of solved episodes says."""

from dataclasses import dataclass

from scipy.stats import binomtest

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
        found = binomtest(self.solved, self.total).proportion_ci(CONFIDENCE, method='wilson')
        return float(found.low), float(found.high)

    def __add__(self, other: 'Rate') -> 'Rate':
        """Return the two counted together."""
        return Rate(self.solved + other.solved, self.total + other.total)

    def __str__(self) -> str:
        """Return it as tables show it."""
        low, high = self.interval
        return f'{self.solved}/{self.total} = {100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f})'
