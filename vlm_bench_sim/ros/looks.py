"""Looks from requests: every field is checked before it is used for rendering."""

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SceneError, quoted
from vlm_bench_sim.core.looks import Look

_LONGEST = 2_000  # characters of a look
_WIDEST = 10.0  # m


def read_look(text: str) -> Look:
    """Return the look in a JSON request.

    Raises:
        SceneError: it is no look, or a field is out of bounds.
    """
    if len(text) > _LONGEST:
        raise SceneError(f'A look has at most {_LONGEST} characters; found {len(text)}. Send the JSON of a Look.')
    return checked(codec.read(text, Look, SceneError))


def checked(look: Look) -> Look:
    """Return the look after checking that all its fields are within bounds.

    Raises:
        SceneError: a field is not.
    """
    for color in (look.color, *([look.texture.color] if look.texture else [])):
        if len(color.name) > 80 or not color.name.isprintable():
            raise SceneError(f'The name of a color is a word of at most 80 characters; found {quoted(color.name)}.')
        if not all(0.0 <= share <= 1.0 for share in color.rgb):
            raise SceneError(f'A color takes 3 numbers in 0…1; found {color.rgb}.')
    if look.texture and not 0.0 <= look.texture.period <= _WIDEST:
        raise SceneError(f'The period of a texture is in 0…{_WIDEST:g} m; found {look.texture.period}.')
    return look
