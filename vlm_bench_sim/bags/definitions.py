"""Message definitions for bags: ours from their .msg files, the standard ones from rosbags' own store."""

import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from vlm_bench_sim.assets import share
from vlm_bench_sim.core.errors import BagError, near

DISTRO = 'jazzy'
"""The distribution whose standard definitions are in every bag; those that we use are the same from Humble to Kilted."""

_OURS = 'vlm_bench_msgs'
_RULE = '=' * 80 + '\nMSG: '


def _folder() -> Path:
    folder = share() / _OURS / 'msg'
    if not folder.is_dir():
        raise BagError(f'The .msg files of {_OURS} are missing: there is no {folder}. Install again, or run from the clone.')
    return folder


@cache
def _texts() -> dict[str, str]:
    return {f'{_OURS}/msg/{path.stem}': path.read_text().rstrip('\n') + '\n' for path in sorted(_folder().glob('*.msg'))}


@cache
def store() -> Typestore:
    """Return the types that our bags may hold.

    Raises:
        BagError: our .msg files are missing.
    """
    types = get_typestore(Stores.ROS2_JAZZY)
    ours: dict[str, Any] = {}
    for name, text in _texts().items():
        ours.update(get_types_from_msg(text, name))
    types.register(ours)
    return types


def known(type_: str) -> str:
    """Return the type's name if a bag may hold it.

    Raises:
        BagError: the type is not known.
    """
    if type_ not in store().fielddefs:
        raise BagError(f'There is no message type called {type_!r}. {near(type_, [*_texts(), *_STANDARD])}')
    return type_


_DEFAULTS = {'geometry_msgs/msg/Quaternion': {'w': 1.0}}
_STANDARD = ('sensor_msgs/msg/Image', 'sensor_msgs/msg/CameraInfo', 'sensor_msgs/msg/JointState', 'tf2_msgs/msg/TFMessage')


@cache
def definition(type_: str) -> str:
    """Return the full definition, followed by the types that it uses; ours keep their comments, so a bag documents its own units.

    Raises:
        BagError: the type is not known.
    """
    used: dict[str, tuple[str, str]] = {}
    own, _ = store().gendefhash(known(type_), used, 2)
    parts = [_texts().get(type_, own)]
    parts += [_short(name) + '\n' + _texts().get(name, text) for name, (text, _) in used.items()]
    return _RULE.join(parts)


def _short(type_: str) -> str:
    return type_.replace('/msg/', '/')


@cache
def type_hash(type_: str) -> str:
    """Return the RIHS01 hash of the type.

    Raises:
        BagError: the type is not known.
    """
    return store().hash_rihs01(known(type_))


def serialise(type_: str, fields: Mapping[str, Any]) -> bytes:
    """Return the CDR bytes of a message given as plain fields (see `sim.ros.fields`).

    Raises:
        BagError: the type or a field is not known, or a value does not fit into its field.
    """
    try:
        return bytes(store().serialize_cdr(_message(known(type_), fields), type_))
    except (SerdeError, struct.error, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BagError(f'A value does not fit {type_}: {error}. Compare it with the definition.') from error


def deserialise(type_: str, data: bytes) -> Any:
    """Return the message in CDR bytes, to be read by attribute access.

    Raises:
        BagError: the type is not known, or the bytes are no message of it.
    """
    try:
        return store().deserialize_cdr(data, known(type_))
    except (SerdeError, struct.error, ValueError, IndexError) as error:
        raise BagError(
            f'{len(data)} bytes cannot be read as {type_}: {error}. The bag is damaged. Recover the intact part with: vlm-bench recover BAG'
        ) from error


def _message(type_: str, fields: Mapping[str, Any]) -> Any:
    entries = dict(store().fielddefs[type_][1])
    unknown = sorted(fields.keys() - entries.keys())
    if unknown:
        raise BagError(f'{type_} has no field {unknown[0]!r}. {near(unknown[0], entries)}')
    given = _DEFAULTS.get(type_, {}) | dict(fields)
    return store().types[type_](**{name: _field(entry, given.get(name)) for name, entry in entries.items()})


def _field(entry: Any, value: Any) -> Any:
    kind, inner = entry
    if kind == Nodetype.NAME:
        return _message(inner, value or {})
    if kind == Nodetype.BASE:
        return _scalar(inner[0], value)
    (element, type_), count = inner
    if element == Nodetype.NAME:
        return [_message(type_, item) for item in (value if value is not None else [{}] * count)]
    fixed = count if kind == Nodetype.ARRAY else 0
    if type_[0] == 'string':
        return list(value) if value is not None else [''] * fixed
    if isinstance(value, (bytes, bytearray)):
        return np.frombuffer(value, np.uint8)
    dtype = {'byte': 'uint8', 'char': 'uint8'}.get(type_[0], type_[0])
    return np.asarray(value, dtype) if value is not None else np.zeros(fixed, dtype)


def _scalar(type_: str, value: Any) -> Any:
    if value is not None:
        return value
    return {'string': '', 'bool': False, 'float32': 0.0, 'float64': 0.0}.get(type_, 0)
