"""Whether what is held goes on growing."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import theilslopes

from test.soak._kept import Sample
from vlm_bench_sim.core.geometry import Floats

WARM = 20
"""What is held may grow for one part in so many of a soak, and for `SETTLED` episodes at least: caches fill, libraries are loaded."""
SETTLED = 10
FEWEST = 3
"""Episodes after that, without which nothing is said."""
LIMITS = {'memory': 10.0, 'shared': 10.0, 'threads': 1.0, 'descriptors': 1.0}
"""How much more may be held after as many episodes again, by the median of all slopes: MB of memory, whole threads and descriptors."""

SWING = 20.0
"""By how many MB a simulator's memory sags and rises again, seen in many soaks: the C library gives the top of its heap back to the
machine and takes it again, at times that differ from run to run."""
SHORT = 100
"""Episodes below which a life may have sagged in all of its first half by chance."""


@dataclass(frozen=True)
class Growth:
    """Something that grew by more than its limit in one bench's life."""

    who: str
    what: str
    amount: float
    episodes: int

    def __str__(self) -> str:
        unit = ' MB' if self.what in ('memory', 'shared') else ''
        return f'{self.who}: {self.what} grew by {self.amount:.1f}{unit} in {self.episodes} episodes'


def warm(count: int) -> int:
    """Return how many of so many episodes are left for warming up."""
    return max(SETTLED, -(-count // WARM))


def told(life: list[Sample]) -> bool:
    """Tell whether a life was long enough to say whether anything grew."""
    return len(life) - warm(len(life)) >= FEWEST


def growths(life: list[Sample]) -> Iterator[Growth]:
    """Yield what grew in the life of a bench after it was warm, and still grew at its end, by the slopes of Theil and Sen.

    A few leaps do not move such a slope in a long life. In a short one a single leap does, so the later half must have grown as well.
    And so does memory that is given back and filled again, every ten episodes or so: the most that is held must have grown, too.
    """
    if not told(life):
        return
    after = life[warm(len(life)) :]
    numbers = np.arange(len(after))
    for who, held in after[-1].held.items():
        for what in held.keys() & LIMITS.keys():
            whole = np.array([sample.held.get(who, {}).get(what, np.nan) for sample in life])
            values = whole[warm(len(life)) :]
            known = ~np.isnan(values)
            if known.sum() >= FEWEST:
                amount = min(_slope(values[known], numbers[known]) * len(life), _rise(whole[~np.isnan(whole)]))
                if amount >= _limit(what, len(life)):
                    yield Growth(who, what, amount, len(life))


def _limit(what: str, episodes: int) -> float:
    """Return how much more must be held before it is called growth: in a short life no swing of the memory may pass for one."""
    return LIMITS[what] + (2.0 * SWING if what == 'memory' and episodes < SHORT else 0.0)


def _slope(values: Floats, numbers: Floats) -> float:
    """Return the lesser of the slopes of all and of the later half, if that has enough episodes."""
    parts = (slice(None), slice(-(len(values) // 2), None))
    return min(float(theilslopes(values[part], numbers[part]).slope) for part in parts if len(values[part]) >= FEWEST)


def _rise(values: Floats) -> float:
    """Return by how much the most that is held rises in a whole life, by its two halves."""
    early, late = np.array_split(values, 2)
    return 2.0 * float(late.max() - early.max())
