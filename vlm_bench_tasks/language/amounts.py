"""Words for amounts: a table from each word to the range of shares that it means.

`fully` and `slightly` are VLMbench's windows for drawers. Fractions are ARNOLD's, with a tolerance of a tenth of the whole.
"""

from math import isfinite

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
    """Return all words for a share of a whole, such as half and fifty percent.

    Raises:
        TaskError: it is not a whole percentage from 0 to 100.
    """
    percent = _whole(share, 100, 'share', 'a whole percentage from 0 to 100')
    return tuple(dict.fromkeys((*(word for word, named in FRACTIONS.items() if abs(named - share) < 1e-9), *_percent(percent))))


def amounts(share: float) -> tuple[str, ...]:
    """Return all words for a share before `of the water`, such as half and fifty percent.

    Raises:
        TaskError: it is not a whole percentage from 1 to 100.
    """
    if share == 0.0:
        raise TaskError('None of something is no amount. Give a share above 0.')
    return tuple(word for word in words(share) if word not in _HOW)


def lengths(length: float) -> tuple[str, ...]:
    """Return all words for a length in m, such as 40 cm and forty centimeters.

    Raises:
        TaskError: it is not a whole number of centimeters from 1 to 100.
    """
    cm = _whole(length, 100, 'length', 'a whole number of centimeters from 1 to 100')
    if cm == 0:
        raise TaskError('A length of 0 cm has no words. Give a whole number of centimeters from 1 to 100.')
    return (f'{cm} cm', f'{cm} centimeters', f'{spelled(cm)} centimeters') if cm > 1 else ('1 cm', 'one centimeter')


def angles(degrees: float) -> tuple[str, ...]:
    """Return all words for an angle in degrees, such as 45 degrees and forty-five degrees.

    Raises:
        TaskError: it is not a whole number of degrees from 0 to 180.
    """
    whole = _whole(degrees, 1, 'angle', 'a whole number of degrees from 0 to 180', most=180)
    unit = 'degree' if whole == 1 else 'degrees'
    return (f'{whole} {unit}', f'{whole}°', f'{spelled(whole)} {unit}')


def spelled(number: int) -> str:
    """Return a whole number from 0 to 199 in words.

    Raises:
        TaskError: it is another number.
    """
    if not 0 <= number < 200:
        raise TaskError(f'Only numbers from 0 to 199 are spelled out; found {number}. Write it in digits.')
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f'-{_SMALL[ones]}' if ones else '')
    return 'one hundred' + (f' and {spelled(number - 100)}' if number > 100 else '')


def _percent(percent: int) -> tuple[str, str]:
    return f'{percent} percent', f'{spelled(percent)} percent'


def _whole(value: float, scale: int, what: str, range_: str, most: int = 100) -> int:
    if not (isfinite(value) and 0 <= (whole := round(value * scale)) <= most and abs(value * scale - whole) < 1e-6):
        shown = f'{value * scale:g}' + (' %' if what == 'share' else '')
        raise TaskError(f'A {what} must be {range_} to have words; found {shown}. Give another one.')
    return whole


_HOW = ('completely', 'entirely')
"""Words that say how something is done; they are no amounts."""

_SMALL = (
    *('zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen'),
    *('fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'),
)
_TENS = ('twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety')
