"""Converts spawn requests to props. Nothing that a request names is ever read from a file or a network."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import CommandError, SceneError, VlmBenchError, near
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import kinds, solid, spoken, usual_size
from vlm_bench_sim.core.snapshot import ROBOT, ROOM, TABLE
from vlm_bench_sim.ros import looks
from vlm_bench_sim.ros.simulation import Refused, Spawn

SCHEME = 'vlm_bench://'
SMALLEST, LARGEST = 0.002, 2.0  # m, of an extent
HEAVIEST, ROUGHEST = 100.0, 10.0  # kg; Coulomb coefficient
DENSITY = 500.0  # kg/m³ of the bounding box, if no mass is given
COLORS = {
    'red': (0.80, 0.13, 0.13), 'green': (0.16, 0.60, 0.22), 'blue': (0.15, 0.30, 0.75), 'yellow': (0.95, 0.80, 0.15),
    'orange': (0.95, 0.50, 0.10), 'purple': (0.50, 0.20, 0.60), 'white': (0.95, 0.95, 0.95), 'grey': (0.55, 0.55, 0.55),
    'black': (0.08, 0.08, 0.08), 'brown': (0.45, 0.28, 0.15),
}  # fmt: skip

_NAME = re.compile(r'[A-Za-z]\w{0,62}', re.ASCII)
_NAMESPACE = re.compile(r'/?|/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)
_LONGEST = 20_000  # characters of a resource
_KNOWN = ('size', 'color', 'mass', 'friction', 'fixed', 'noun')
_ASSETS = ('mesh', 'texture', 'material', 'model')


def read_resource(uri: str, resource_string: str) -> Prop:
    """Return the prop of a URI or a definition, at the origin or at the pose of the definition.

    A prop from a URI has no name yet.

    Raises:
        Refused: with a code of `Spawn`.
    """
    if uri:
        return checked(_from_uri(uri))
    if not resource_string:
        raise Refused(Spawn.NO_RESOURCE, f'The request names no resource. Give a uri such as {SCHEME}cube, or the JSON of a Prop.')
    return checked(_from_json(resource_string))


def name_for(asked: str, prop: Prop, taken: Collection[str], *, rename: bool) -> str:
    """Return the name of a new prop: the requested one, or else its own, or another one if `rename` is true.

    Raises:
        Refused: the name is missing, malformed or taken.
    """
    wanted = asked or prop.name
    if wanted and not _NAME.fullmatch(wanted):
        raise Refused(
            Spawn.NAME_INVALID, f'{wanted[:80]!a} is not a valid name. Use a letter, then at most 62 letters, digits and underscores.'
        )
    if wanted and wanted not in (*taken, ROBOT, TABLE, ROOM):
        return wanted
    if rename:
        stem = (wanted or prop.kind.rpartition('.')[2])[:50]
        return next(name for name in (f'{stem}_{i}' for i in range(1, len(taken) + 4)) if name not in taken)
    if not wanted:
        raise Refused(Spawn.NAME_INVALID, 'The entity has no name. Give one, or set allow_renaming.')
    raise Refused(
        Spawn.NAME_NOT_UNIQUE, f'The name {wanted!r} belongs to an entity or to the scene. Give another one, or set allow_renaming.'
    )


def check_namespace(namespace: str) -> None:
    """Check the namespace of a request; props have no topics or services that would use it.

    Raises:
        Refused: it is no valid namespace.
    """
    if len(namespace) > 200 or not _NAMESPACE.fullmatch(namespace):
        raise Refused(Spawn.NAMESPACE_INVALID, f'{namespace[:80]!a} is not a valid ROS namespace. Leave it empty.')


def checked(prop: Prop) -> Prop:
    """Return the prop of a request after checking that every field is within sensible bounds.

    Raises:
        Refused: a field is out of bounds, or the shape is unknown.
    """
    if prop.kind not in kinds():
        raise Refused(Spawn.MISSING_ASSETS, f'There is no shape called {str(prop.kind)[:80]!a}. {near(str(prop.kind)[:80], kinds())}')
    words = (prop.name, prop.noun)
    if not all(len(word) <= 80 and word.isprintable() for word in words):
        raise _unreadable('name and noun have at most 80 characters, all printable')
    try:
        pose = Pose.of(prop.pose.position, prop.pose.orientation)
    except (CommandError, TypeError, ValueError) as error:
        raise _unreadable(f'its pose is invalid ({str(error)[:120]})') from error
    try:
        look = looks.checked(prop.look)
    except SceneError as error:
        raise _unreadable(f'its look is invalid ({str(error)[:200]})') from error
    return replace(
        prop.dressed(look),
        size=_numbers('size', prop.size, 3, SMALLEST, LARGEST),
        mass=_numbers('mass', (prop.mass,), 1, 1e-4, HEAVIEST)[0],
        friction=_numbers('friction', (prop.friction,), 1, 0.0, ROUGHEST)[0],
        pose=pose,
    )


def _from_uri(uri: str) -> Prop:
    kind, _, query = uri.removeprefix(SCHEME).partition('?')
    if not uri.startswith(SCHEME) or kind not in kinds():
        raise Refused(Spawn.NO_RESOURCE, f'There is no resource {uri[:80]!a}. A uri is {SCHEME} and a shape. {near(kind[:80], kinds())}')
    try:
        given = dict(parse_qsl(query, strict_parsing=bool(query), keep_blank_values=True, max_num_fields=len(_KNOWN)))
    except ValueError as error:
        raise _unreadable(f'the part after ? cannot be parsed ({error})') from error
    assets = [key for key in given if key in _ASSETS]
    if assets:
        raise Refused(Spawn.UNSUPPORTED_ASSETS, f'A prop is a shape of one color; it takes no {assets[0]}.')
    unknown = [key for key in given if key not in _KNOWN]
    if unknown:
        raise _unreadable(f'{unknown[0][:80]!a} is not known. {near(unknown[0][:80], _KNOWN)}')
    size = _size(given['size']) if 'size' in given else usual_size(kind)
    mass = _number('mass', given['mass']) if 'mass' in given else min(HEAVIEST, max(0.01, DENSITY * size[0] * size[1] * size[2]))
    return Prop(
        '', kind, size, _color(given.get('color', 'grey')), mass,
        friction=_number('friction', given.get('friction', '1')),
        fixed=_flag(given.get('fixed', 'false')), noun=given.get('noun') or spoken(kind),
    )  # fmt: skip


def _from_json(text: str) -> Prop:
    if text.lstrip()[:1] != '{':
        raise Refused(Spawn.UNSUPPORTED_FORMAT, f'A definition is the JSON of a Prop; found {text[:40]!a}.')
    if len(text) > _LONGEST:
        raise _unreadable(f'it has {len(text)} characters, more than {_LONGEST}')
    try:
        return codec.read(text, Prop)
    except VlmBenchError as error:
        raise _unreadable(str(error)[:400]) from error


def _unreadable(why: str) -> Refused:
    return Refused(Spawn.RESOURCE_PARSE_ERROR, f'The resource cannot be read: {why}.')


def _size(text: str) -> Vector:
    parts = [_number('size', part) for part in text.split(',')]
    if len(parts) not in (1, 3):
        raise _unreadable(f'size takes one number or three, in metres; found {text[:80]!a}')
    x, y, z = _numbers('size', parts * 3 if len(parts) == 1 else parts, 3, SMALLEST, LARGEST)
    return (x, y, z)


def _color(text: str) -> Color:
    if re.fullmatch(r'#[0-9a-fA-F]{6}', text):
        r, g, b = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return Color(text, (r, g, b))
    if text not in COLORS:
        raise _unreadable(f'there is no color called {text[:80]!a}. {near(text[:80], COLORS)} Or write %23 and six hexadecimal digits')
    return Color(text, COLORS[text])


def _flag(text: str) -> bool:
    if text not in ('true', 'false'):
        raise _unreadable(f'fixed is true or false; found {text[:80]!a}')
    return text == 'true'


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise _unreadable(f'{what} is a number; found {text[:80]!a}') from error


def _numbers(what: str, values: Any, count: int, low: float, high: float) -> Any:
    if not all(low <= v <= high for v in values):
        raise _unreadable(f'{what} takes {count} number{"s" * (count > 1)} in {low:g}…{high:g}; found {str(values)[:80]}')
    return tuple(float(v) for v in values)


def describe(kind: str) -> str:
    """Return a sentence that describes a spawnable shape."""
    extents = ' × '.join(f'{extent:g}' for extent in usual_size(kind))
    hollow = ', open at its top' if solid(kind).cavity else ''
    return f'A {spoken(kind)}{hollow}; {extents} m by default. Parameters: size, color, mass, friction, fixed, noun.'
