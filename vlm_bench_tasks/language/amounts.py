"""Words for amounts: a table from each word to the range of shares that it means.

`fully` and `slightly` are VLMbench's windows for drawers. Fractions are ARNOLD's, with a tolerance of a tenth of the whole.
"""

from vlm_bench_sim.core.errors import TaskError, near

Shares = tuple[float, float]
"""Least and greatest share of a whole."""

TOLERANCE = 0.10
"""Tolerance of a fraction, as a share of the whole."""

FRACTIONS = {
    'a quarter': 0.25, 'one quarter': 0.25, '25 percent': 0.25, 'twenty-five percent': 0.25,
    'half': 0.5, 'two quarters': 0.5, '50 percent': 0.5, 'fifty percent': 0.5,
    'three quarters': 0.75, '75 percent': 0.75, 'seventy-five percent': 0.75,
    'completely': 1.0, 'entirely': 1.0, 'all': 1.0, '100 percent': 1.0, 'one hundred percent': 1.0,
}  # fmt: skip
"""Words for fractions."""

AMOUNTS: dict[str, Shares] = {
    'fully': (0.8, 1.1),
    'slightly': (0.4, 0.7),
    **{word: (share - TOLERANCE, share + TOLERANCE) for word, share in FRACTIONS.items()},
}
"""All words for amounts."""

DOORS: dict[str, Shares] = {'fully': (25 / 30, 35 / 30), 'slightly': (10 / 30, 20 / 30)}
"""The same words for doors: VLMbench's windows of 25 to 35° and 10 to 20°, as shares of the 30° that its doors open."""

EXTENTS = {'fully': 'all the way', 'slightly': 'part of the way'}
"""Phrases for how far something moves by that amount."""


def shares(word: str) -> Shares:
    """Return the range of shares that a word means.

    Raises:
        TaskError: it is not a word for an amount.
    """
    if word not in AMOUNTS:
        raise TaskError(f'There is no amount called {word!r}. {near(word, AMOUNTS)}')
    return AMOUNTS[word]


def words(share: float) -> tuple[str, ...]:
    """Return all words for a share of a whole; empty if there is none."""
    return tuple(word for word, named in FRACTIONS.items() if abs(named - share) < 1e-9)
