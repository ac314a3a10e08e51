"""Household objects and kit pieces of ClevrSkills, from simple solids with their published sizes (YCB objects and the kit of Ravens)."""

from collections.abc import Callable, Sequence

import numpy as np

from vlm_bench_sim.core.figures import clover, cross, disc, letter_t, pentagon, rectangle, square, star, triangle
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.groceries import GROCERIES, GROCERY_SIZES
from vlm_bench_sim.core.letters import LETTERS
from vlm_bench_sim.core.solids import Piece, Solid, prism, ring
from vlm_bench_sim.core.utensils import UTENSIL_SIZES, UTENSILS
from vlm_bench_sim.core.vessels import ball


def _hexagon() -> list[Piece]:
    return [ring(6)]


def _diamond() -> list[Piece]:
    return [ring(4)]


def _heart() -> list[Piece]:
    """Return a heart with its tip towards -y: a square on its corner, with half a disc on each upper side."""
    bottom, right, top, left = (np.array(corner) for corner in ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)))
    return [np.array([bottom, right, top, left]), _half_disc(right, top), _half_disc(top, left)]


def _half_disc(first: Piece, last: Piece) -> Piece:
    """Return half a disc over the line from `first` to `last`, on its right."""
    middle, along = (first + last) / 2, (last - first) / 2
    out = np.array([along[1], -along[0]])
    turn = np.linspace(-np.pi / 2, np.pi / 2, 9)[1:-1]
    return np.concatenate([[first], middle + np.outer(np.sin(turn), along) + np.outer(np.cos(turn), out), [last]])


def _lying_bottle() -> list[Piece]:
    """Return the outline of a mustard bottle with its cap towards +y."""
    body, cap = rectangle((-0.048, 0.0), (0.048, 0.125)), rectangle((-0.018, 0.160), (0.018, 0.190))
    return [body, np.array([body[3], body[2], cap[1], cap[0]]), cap]


def _prism(figure: Callable[[], Sequence[Piece]]) -> Callable[[], Solid]:
    return lambda: prism(figure())


_KIT: Vector = (0.10, 0.10, 0.025)

_MADE: dict[str, tuple[Callable[[], Solid], Vector]] = {
    'triangle': (_prism(triangle), (0.10, 0.087, 0.025)),
    'square': (_prism(square), _KIT),
    'plus': (_prism(cross), _KIT),
    'flat_t': (_prism(letter_t), _KIT),
    **{kind: (_prism(figure), _KIT) for kind, figure in LETTERS.items()},
    'clover': (_prism(clover), _KIT),
    'flat_pentagon': (_prism(pentagon), _KIT),
    'rectangle': (_prism(square), (0.10, 0.06, 0.025)),
    'five_point_star': (_prism(star), _KIT),
    'disc': (_prism(disc), _KIT),
    'hexagon': (_prism(_hexagon), (0.10, 0.087, 0.025)),
    'diamond': (_prism(_diamond), (0.07, 0.10, 0.025)),
    'heart': (_prism(_heart), _KIT),
    'hexagonal_prism': (_prism(_hexagon), (0.10, 0.087, 0.05)),
    'mustard_bottle': (_prism(_lying_bottle), (0.096, 0.190, 0.058)),
    'pudding_box': (_prism(square), (0.089, 0.110, 0.035)),
    'gelatin_box': (_prism(square), (0.073, 0.085, 0.028)),
    'wood_block': (_prism(square), (0.0425, 0.0425, 0.10)),
    'foam_brick': (_prism(square), (0.050, 0.075, 0.050)),
    'softball': (ball, (0.096, 0.096, 0.096)),
    'baseball': (ball, (0.075, 0.075, 0.075)),
    'tennis_ball': (ball, (0.066, 0.066, 0.066)),
    'racquetball': (ball, (0.056, 0.056, 0.056)),
}

HOUSEHOLD = {kind: made for kind, (made, _) in _MADE.items()} | GROCERIES | UTENSILS
"""These solids by name."""

HOUSEHOLD_SIZES = {kind: size for kind, (_, size) in _MADE.items()} | GROCERY_SIZES | UTENSIL_SIZES
"""Their published bounding extents, (3,) m. What ClevrSkills scales is scaled: a wood block by 0.5, a die by 2."""
