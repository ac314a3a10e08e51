"""Looks of surfaces: named colors, and two-color patterns that are computed, not read from images."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Vector

PATTERNS = ('stripe', 'dot', 'swirl', 'checker', 'brick', 'wood', 'grid', 'zigzag', 'marble', 'ring', 'diamond', 'speckle')
"""All patterns."""

CLEAR = 'clear'
"""Instead of a pattern: the surface is see-through, like glass, and tinted by the object's own color. Perturbations never draw it."""


@serialisable
@dataclass(frozen=True)
class Color:
    """A named color; `rgb` in 0…1."""

    name: str
    rgb: Vector


@serialisable
@dataclass(frozen=True)
class Texture:
    """A pattern drawn over a surface's own color, which moves with the object; or `CLEAR`, which needs no color or period of its own.

    Raises:
        SceneError: the pattern is unknown, or the period is not positive.

    Attributes:
        pattern: one of `PATTERNS`, or `CLEAR`.
        color: color of the pattern.
        period: distance after which it repeats, m.
    """

    pattern: str
    color: Color
    period: float = 0.02

    def __post_init__(self) -> None:
        if self.pattern not in (*PATTERNS, CLEAR):
            raise SceneError(f'There is no pattern called {self.pattern!r}. {near(self.pattern, (*PATTERNS, CLEAR))}')
        if not self.period > 0.0:
            raise SceneError(f'The period of a pattern is a length above 0 m; found {self.period}. Give one such as 0.02.')


@serialisable
@dataclass(frozen=True)
class Look:
    """The look of an object: its color, and the pattern over it or None."""

    color: Color
    texture: Texture | None = None


def glass(tint: Color) -> Look:
    """Return the look of see-through things of that tint."""
    return Look(tint, Texture(CLEAR, tint))


TABLES = {
    'beech': Look(Color('beech', (0.80, 0.68, 0.53))),
    'oak': Look(Color('oak', (0.76, 0.58, 0.38)), Texture('wood', Color('grain', (0.55, 0.38, 0.22)), 0.12)),
    'marble': Look(Color('marble', (0.90, 0.90, 0.88)), Texture('marble', Color('vein', (0.62, 0.62, 0.64)), 0.15)),
    'slate': Look(Color('slate', (0.34, 0.36, 0.39)), Texture('speckle', Color('grain', (0.42, 0.44, 0.47)), 0.03)),
}
"""Table materials; the first is the default."""
