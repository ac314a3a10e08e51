"""Looks of surfaces: named colors, and two-color patterns that are computed, not read from images."""

from collections.abc import Mapping
from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near, quoted
from vlm_bench_sim.core.geometry import Vector, vector

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

    @property
    def plain(self) -> bool:
        """Whether one color or material names the look, such as red, wooden or clear glass of one tint."""
        return self.texture is None or self.texture.color.name in ('', self.color.name)

    @property
    def words(self) -> str:
        """What the look is called: red, wooden, red and blue stripes, dark red and blue stripes."""
        if self.texture is None or self.plain:
            return self.color.name
        return f'{self.color.name} and {self.texture.color.name} {PATTERN_NOUNS[self.texture.pattern]}'

    @property
    def darker(self) -> str:
        """What the same look with its first color darkened is called."""
        return _DARK + self.words

    def describe(self, noun: str, shade: str = '') -> str:
        """Return the words for a thing that looks so, without an article: red cube, cube with red and blue stripes.

        Args:
            noun: what it is.
            shade: a word before those of the look, with a blank; empty: none.
        """
        return f'{shade}{self.words} {noun}' if self.plain else f'{noun} with {shade}{self.words}'


def read_look(words: str, colors: Mapping[str, Vector]) -> Look:
    """Return the look that is called by these words, as `Look.words` says it.

    Args:
        words: a color, one of `MATERIALS`, or two colors and a pattern; the first color also *dark*.
        colors: rgb in 0…1 of the colors, by name.

    Raises:
        SceneError: there is no such color, material or pattern.
    """
    if words in MATERIALS:
        return MATERIALS[words]
    name = words.removeprefix(_DARK)
    shade, dark = (DARKER, _DARK) if name != words else (1.0, '')

    def color(one: str, prefix: str = '', shade: float = 1.0) -> Color:
        if one not in colors:
            raise SceneError(f'The look {quoted(words)} names the unknown color {quoted(one)}. {near(one, colors)}')
        return Color(prefix + one, vector([round(channel * shade, 6) for channel in colors[one]]))

    ground, joined, rest = name.partition(' and ')
    if not joined:
        return Look(color(ground, dark, shade))
    over, _, noun = rest.partition(' ')
    patterns = {plural: pattern for pattern, plural in PATTERN_NOUNS.items()}
    if noun not in patterns:
        raise SceneError(f'The look {quoted(words)} names the unknown pattern {quoted(noun)}. {near(noun, patterns)}')
    return Look(color(ground, dark, shade), Texture(patterns[noun], color(over), PERIOD))


def glass(tint: Color) -> Look:
    """Return the look of see-through things of that tint."""
    return Look(tint, Texture(CLEAR, tint))


PATTERN_NOUNS = {
    'stripe': 'stripes', 'dot': 'polka dots', 'swirl': 'swirls', 'checker': 'checks', 'brick': 'bricks', 'wood': 'grain', 'grid': 'lines',
    'zigzag': 'zigzags', 'marble': 'veins', 'ring': 'rings', 'diamond': 'diamonds', 'speckle': 'speckles',
}  # fmt: skip
"""What is seen of each pattern, in the plural."""

DARKER = 0.5
"""Brightness of a dark color, as a share of that of the same color without the word."""

PERIOD = 0.03
"""Period of the patterns that words name, m: what is 1 m away shows some eight pixels of it."""

_DARK = 'dark '
MATERIALS = {
    'wooden': Look(Color('wooden', (0.72, 0.52, 0.32)), Texture('wood', Color('', (0.50, 0.33, 0.18)), 0.08)),
    'brick': Look(Color('brick', (0.62, 0.26, 0.20)), Texture('brick', Color('', (0.82, 0.80, 0.76)), 0.04)),
    'granite': Look(Color('granite', (0.56, 0.55, 0.54)), Texture('speckle', Color('', (0.24, 0.24, 0.26)), 0.02)),
    'tiled': Look(Color('tiled', (0.86, 0.88, 0.88)), Texture('grid', Color('', (0.42, 0.46, 0.50)), 0.03)),
}
"""Looks that one word names, by that word: the color of the pattern has no name of its own."""

TABLES = {
    'beech': Look(Color('beech', (0.80, 0.68, 0.53))),
    'oak': Look(Color('oak', (0.76, 0.58, 0.38)), Texture('wood', Color('grain', (0.55, 0.38, 0.22)), 0.12)),
    'marble': Look(Color('marble', (0.90, 0.90, 0.88)), Texture('marble', Color('vein', (0.62, 0.62, 0.64)), 0.15)),
    'slate': Look(Color('slate', (0.34, 0.36, 0.39)), Texture('speckle', Color('grain', (0.42, 0.44, 0.47)), 0.03)),
}
"""Table materials; the first is the default."""
