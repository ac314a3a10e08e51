"""Block letters as plane figures: convex pieces that share their corners. The top of each letter is towards +y."""

from collections.abc import Callable

import numpy as np

from vlm_bench_sim.core.figures import rectangle
from vlm_bench_sim.core.solids import Piece

_ROUND = 24  # pieces of the letter O
_HALF = 8  # pieces of the round side of the letter R


def letter_a() -> list[Piece]:
    """Return a letter A: two slanted bars that meet at the top, and a bar across."""
    low, high = 1.1, 2.0
    outer = {y: -2.0 + 0.3 * y for y in (0.0, low, high, 5.0)}
    left = [
        np.array([(outer[bottom], bottom), (outer[bottom] + 1, bottom), (outer[top] + 1, top), (outer[top], top)])
        for bottom, top in ((0.0, low), (low, high))
    ]
    left.append(np.array([(outer[high], high), (outer[high] + 1, high), (0.0, 10 / 3), (outer[5.0], 5.0)]))
    right = [(piece * (-1.0, 1.0))[::-1] for piece in left]
    across = np.array([(outer[low] + 1, low), (-outer[low] - 1, low), (-outer[high] - 1, high), (outer[high] + 1, high)])
    return [*left, *right, across, np.array([(0.0, 10 / 3), (0.5, 5.0), (-0.5, 5.0)])]


def letter_e() -> list[Piece]:
    """Return a letter E of bars one unit wide, four wide and five high, in cells that share their corners."""
    cells = [*((0, y) for y in range(5)), *((x, y) for y in (0, 2, 4) for x in (1, 2, 3))]
    return [rectangle((x, y), (x + 1, y + 1)) for x, y in cells]


def letter_g() -> list[Piece]:
    """Return a letter G of bars one unit wide, four wide and six high, in cells that share their corners."""
    lower = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (2, 2)]
    return [rectangle((x, y), (x + 1, y + 1)) for x, y in (*lower, *((0, y) for y in range(1, 6)), (1, 5), (2, 5), (3, 5))]


def letter_l() -> list[Piece]:
    """Return a letter L: a bar, and one half as long at its foot."""
    return [rectangle((0, 0), (1, 1)), rectangle((1, 0), (3, 1)), rectangle((0, 1), (1, 4))]


def letter_m() -> list[Piece]:
    """Return a letter M: two upright bars, and two slanted ones between them that meet in the middle."""
    stem = [rectangle((-2.6, 0.0), (-1.6, 3.4)), rectangle((-2.6, 3.4), (-1.6, 5.0))]
    slant = np.array([(-1.6, 3.4), (0.0, 1.0), (0.0, 2.6), (-1.6, 5.0)])
    left = [*stem, slant]
    return [*left, *((piece * (-1.0, 1.0))[::-1] for piece in left)]


def letter_o() -> list[Piece]:
    """Return a letter O, thicker at its sides than at its top."""
    turn = np.arange(_ROUND) * 2 * np.pi / _ROUND
    outer, inner = (np.column_stack([x * np.cos(turn), y * np.sin(turn)]) for x, y in ((1.0, 1.0), (0.38, 0.66)))
    ends = [(i, (i + 1) % _ROUND) for i in range(_ROUND)]
    return [np.array([outer[i], outer[j], inner[j], inner[i]]) for i, j in ends]


def letter_r() -> list[Piece]:
    """Return a letter R: an upright bar, a bow on its upper half, and a slanted leg."""
    middle, turn = np.array([2.3, 4.2]), np.linspace(-np.pi / 2, np.pi / 2, _HALF + 1)
    way = np.column_stack([np.cos(turn), np.sin(turn)])
    outer, inner = middle + 1.8 * way, middle + 0.7 * way
    bow = [np.array([outer[i], outer[i + 1], inner[i + 1], inner[i]]) for i in range(_HALF)]
    stem = [rectangle((0.0, low), (1.1, high)) for low, high in ((0.0, 2.4), (2.4, 3.5), (3.5, 4.9), (4.9, 6.0))]
    bars = [rectangle((1.1, 4.9), (2.3, 6.0)), rectangle((1.1, 2.4), (2.3, 3.5))]
    return [*stem, *bars, *bow, np.array([(1.1, 2.4), (3.0, 0.0), (4.3, 0.0), (2.3, 2.4)])]


def letter_v() -> list[Piece]:
    """Return a letter V with its tip towards -y: two slanted bars and the foot that they share."""
    foot, inner = ((-0.5, 0.0), (0.5, 0.0)), (0.0, 1.2)
    left = np.array([foot[0], inner, (-1.0, 4.0), (-2.0, 4.0)])
    right = np.array([foot[1], (2.0, 4.0), (1.0, 4.0), inner])
    return [np.array([*foot, inner]), left, right]


LETTERS: dict[str, Callable[[], list[Piece]]] = {
    'letter_a': letter_a, 'letter_e': letter_e, 'letter_g': letter_g, 'letter_l': letter_l, 'letter_m': letter_m, 'letter_o': letter_o,
    'letter_r': letter_r, 'letter_v': letter_v,
}  # fmt: skip
"""Names of these figures."""
