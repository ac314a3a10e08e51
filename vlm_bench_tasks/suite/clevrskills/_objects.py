"""ClevrSkills' objects at their published sizes, with their densities, and which of them look alike."""

from dataclasses import replace

from vlm_bench_sim.core.geometry import Vector, vector
from vlm_bench_sim.core.household import HOUSEHOLD_SIZES
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.core.symmetry import ANY, symmetry

DENSITY = 1000.0
"""Density of all objects but those of `LIGHT`, kg/m³."""

LIGHT = {'wood_block': 250.0}
"""Densities of lighter kinds, kg/m³."""

POST_DENSITY = 100.0
"""Density of posts that are hit or toppled, kg/m³."""

SIZES: dict[str, Vector] = HOUSEHOLD_SIZES | {
    'cube': (0.10, 0.10, 0.05), 'cylinder': (0.10, 0.10, 0.05), 'triangular_prism': (0.10, 0.087, 0.05), 'star': (0.10, 0.095, 0.05),
    'cross': (0.10, 0.10, 0.05), 'flower': (0.10, 0.10, 0.05), 'pentagon': (0.10, 0.095, 0.05), 'sponge': (0.072, 0.114, 0.014),
    'bowl': (0.161, 0.161, 0.055),
}  # fmt: skip
"""Bounding extents by kind, (3,) m."""

TWINS = (
    {'apple', 'softball', 'tennis_ball', 'racquetball', 'baseball', 'lemon'},
    {'pudding_box', 'gelatin_box', 'sponge', 'square', 'rectangle', 'die', 'rubiks_cube', 'cube', 'foam_brick'},
    {'soup_can', 'cylinder', 'disc', 'tuna_can'},
    {'triangle', 'triangular_prism'},
    {'hexagon', 'hexagonal_prism'},
    {'pentagon', 'flat_pentagon'},
    {'star', 'five_point_star'},
    {'plus', 'cross'},
    {'meat_can', 'wood_block'},
    {'medium_clamp', 'large_clamp', 'extra_large_clamp'},
    {'clover', 'flower'},
)
"""Kinds that differ in little but their size: no scene holds two of one set where a sentence tells things apart by their shape."""

OPEN = (
    'letter_a', 'letter_g', 'letter_l', 'letter_m', 'letter_o', 'letter_r', 'letter_v', 'banana', 'medium_clamp', 'large_clamp',
    'extra_large_clamp', 'scissors', 'wrench', 'peg_board',
)  # fmt: skip
"""Kinds on which no cup seals over their centre of mass, so that no hand takes them there."""

THIN = ('letter_e',)
"""Kinds of which no cup takes a copy of half their size."""

ROUND = ('marker', 'lemon', 'apple')
"""Kinds that lie on a round side."""


def rolls(kind: str) -> bool:
    """Return whether a kind rolls on a table."""
    return kind in ROUND or kind in TWINS[0]


def angular(kind: str) -> bool:
    """Return whether a turn of a kind can be seen, and it does not roll away once it lies on its side."""
    return kind not in ROUND and symmetry(kind, SIZES[kind]).orders[2] != ANY


def alike(a: str, b: str) -> bool:
    """Return whether two kinds are the same or twins."""
    return a == b or any(a in twins and b in twins for twins in TWINS)


def thing(name: str, kind: str, look: Look, *, noun: str = 'object', size: Vector | None = None, density: float | None = None) -> Prop:
    """Return an object; `size` replaces its published extents, (3,) m, and `density` its own, kg/m³."""
    extents = size or SIZES[kind]
    mass = round((density or LIGHT.get(kind, DENSITY)) * sized(kind, extents).volume, 6)
    return Prop(name, kind, extents, look.color, mass, noun=noun, texture=look.texture)


def pair(whole: Prop, factor: float) -> tuple[Prop, Prop]:
    """Return two copies of a thing, the first `factor` times as large as the second; the larger one has its size."""
    return _scaled(whole, min(factor, 1.0)), _scaled(whole, min(1.0, 1.0 / factor))


def _scaled(whole: Prop, factor: float) -> Prop:
    return replace(whole, size=vector([factor * extent for extent in whole.size]), mass=round(whole.mass * factor**3, 6))
