"""Looks that come from outside: every field is checked before anything is painted with it."""

from math import isfinite
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SceneError, quoted
from vlm_bench_sim.core.looks import Colour, Look, Texture

_LONGEST = 2_000  # characters of a look


def read_look(text: str) -> Look:
    """Return the look that somebody asks for in JSON.

    Raises:
        SceneError: it is none, or a field of it has another type or is out of bounds.
    """
    if len(text) > _LONGEST:
        raise SceneError(f'A look of {len(text)} characters was asked for; {_LONGEST} are the most. Send the JSON of a Look.')
    return checked(codec.read(text, Look, SceneError))


def checked(look: Look) -> Look:
    """Return a look with every field of its type and within its bounds.

    Raises:
        SceneError: a field is not.
    """
    colour, texture = _colour(look.colour), look.texture
    if texture is None:
        return Look(colour)
    if not isinstance(texture, Texture):
        raise SceneError(f'The texture of a look is a Texture or null; found {quoted(str(texture))}.')
    (period,) = _numbers('the period of a texture', (texture.period,), 1, most=10.0)
    return Look(colour, Texture(texture.pattern, _colour(texture.colour), period))


def _colour(value: Any) -> Colour:
    if not isinstance(value, Colour):
        raise SceneError(f'The colour of a look or a texture is a Colour; found {quoted(str(value))}.')
    if not isinstance(value.name, str) or len(value.name) > 80 or not value.name.isprintable():
        raise SceneError(f'The name of a colour is a word of at most 80 characters; found {quoted(str(value.name))}.')
    red, green, blue = _numbers('a colour', value.rgb, 3, most=1.0)
    return Colour(value.name, (red, green, blue))


def _numbers(what: str, values: Any, count: int, *, most: float) -> tuple[float, ...]:
    plain = isinstance(values, tuple) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if not plain or len(values) != count or not all(isfinite(v) and 0.0 <= v <= most for v in values):
        raise SceneError(f'{what.capitalize()} takes {count} number{"s" * (count > 1)} in 0…{most:g}; found {quoted(str(values))}.')
    return tuple(float(v) for v in values)
