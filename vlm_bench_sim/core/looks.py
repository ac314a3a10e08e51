"""Looks of surfaces: named colors, and patterns that are computed from two colors, not read from images."""

from collections.abc import Mapping
from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near, quoted
from vlm_bench_sim.core.geometry import Vector, vector

SIMPLE = ('stripe', 'dot', 'swirl', 'checker', 'brick', 'wood', 'grid', 'zigzag', 'marble', 'ring', 'diamond', 'speckle')
"""Patterns of two colors, which perturbations draw, too."""

PATTERNS = (*SIMPLE, 'paisley', 'tiger', 'magma', 'rainbow', 'dimple')
"""All patterns. A rainbow has all hues from the one color to the other, and magma glows yellow where it is hottest."""

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
        return self.texture is None or (self.texture.color.name in ('', self.color.name) and not self._printed)

    @property
    def _printed(self) -> bool:
        return self.texture is not None and (self.texture.pattern, self.texture.color.name) == (_PAISLEY, '')

    @property
    def words(self) -> str:
        """What the look is called: red, wooden, red and blue stripes, dark red and blue stripes, green paisley."""
        if self.texture is None or self.plain:
            return self.color.name
        if self._printed:
            return f'{self.color.name} {_PAISLEY}'
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
        words: a color, one of `MATERIALS`, a color and *paisley*, or two colors and a pattern; the first color also *dark*.
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
        ground, printed, rest = name.partition(f' {_PAISLEY}')
        if printed and not rest:
            return _paisley(color(ground, dark, shade))
        return Look(color(name, dark, shade))
    over, _, noun = rest.partition(' ')
    patterns = {plural: pattern for pattern, plural in PATTERN_NOUNS.items()}
    if noun not in patterns:
        raise SceneError(f'The look {quoted(words)} names the unknown pattern {quoted(noun)}. {near(noun, patterns)}')
    return Look(color(ground, dark, shade), Texture(patterns[noun], color(over), PERIOD))


def _paisley(ground: Color) -> Look:
    """Return a look with drops on a ground: dark ones on a bright ground, white ones on a dark ground."""
    red, green, blue = ground.rgb
    bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
    return Look(ground, Texture(_PAISLEY, _INK if bright else _CHALK, _DROPS))


def glass(tint: Color) -> Look:
    """Return the look of see-through things of that tint."""
    return Look(tint, Texture(CLEAR, tint))


PATTERN_NOUNS = {
    'stripe': 'stripes', 'dot': 'polka dots', 'swirl': 'swirls', 'checker': 'checks', 'brick': 'bricks', 'wood': 'grain', 'grid': 'lines',
    'zigzag': 'zigzags', 'marble': 'veins', 'ring': 'rings', 'diamond': 'diamonds', 'speckle': 'speckles',
    'paisley': 'paisley', 'tiger': 'tiger stripes', 'magma': 'glowing cracks', 'rainbow': 'rainbow bands', 'dimple': 'dimples',
}  # fmt: skip
"""What is seen of each pattern, in the plural."""

DARKER = 0.5
"""Brightness of a dark color, as a share of that of the same color without the word."""

PERIOD = 0.03
"""Period of the patterns that words name, m: what is 1 m away shows some eight pixels of it."""

_DARK = 'dark '
_PAISLEY, _DROPS = 'paisley', 0.045  # m from one drop to the next
_INK, _CHALK = Color('', (0.10, 0.10, 0.14)), Color('', (1.0, 1.0, 1.0))
MATERIALS = {
    'wooden': Look(Color('wooden', (0.72, 0.52, 0.32)), Texture('wood', Color('', (0.50, 0.33, 0.18)), 0.08)),
    'brick': Look(Color('brick', (0.62, 0.26, 0.20)), Texture('brick', Color('', (0.82, 0.80, 0.76)), 0.04)),
    'granite': Look(Color('granite', (0.56, 0.55, 0.54)), Texture('speckle', Color('', (0.24, 0.24, 0.26)), 0.02)),
    'tiled': Look(Color('tiled', (0.86, 0.88, 0.88)), Texture('grid', Color('', (0.42, 0.46, 0.50)), 0.03)),
    'plastic': Look(Color('plastic', (0.05, 0.55, 0.50)), Texture('dimple', Color('', (0.75, 1.0, 0.95)), 0.022)),
    'tiger-striped': Look(Color('tiger-striped', (0.95, 0.55, 0.12)), Texture('tiger', Color('', (0.08, 0.06, 0.05)), 0.03)),
    'magma': Look(Color('magma', (0.13, 0.07, 0.07)), Texture('magma', Color('', (1.0, 0.30, 0.05)), 0.04)),
    'rainbow-colored': Look(Color('rainbow-colored', (1.0, 0.10, 0.10)), Texture('rainbow', Color('', (0.65, 0.10, 1.0)), 0.10)),
}
"""Looks that one word names, by that word: the color of the pattern has no name of its own."""

TABLES = {
    'beech': Look(Color('beech', (0.80, 0.68, 0.53))),
    'oak': Look(Color('oak', (0.76, 0.58, 0.38)), Texture('wood', Color('grain', (0.55, 0.38, 0.22)), 0.12)),
    'marble': Look(Color('marble', (0.90, 0.90, 0.88)), Texture('marble', Color('vein', (0.62, 0.62, 0.64)), 0.15)),
    'slate': Look(Color('slate', (0.34, 0.36, 0.39)), Texture('speckle', Color('grain', (0.42, 0.44, 0.47)), 0.03)),
}
"""Table materials; the first is the default."""
