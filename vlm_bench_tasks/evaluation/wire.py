"""msgpack with numpy arrays, in the formats that policy servers use. No format here holds a pickle, and none names an object."""

import re
from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np

_ARRAY, _SCALAR, _DATA, _TYPE, _SHAPE = b'__ndarray__', b'__npgeneric__', b'data', b'dtype', b'shape'
_KINDS = 'biuf'  # booleans and numbers; no type that could name an object

_NAME = re.compile(r'[<>|=]?[?biuf]\d{0,2}|bool|u?int\d{0,2}|float\d{0,2}')

Writer = Callable[[Any], Any]
"""Returns a value that msgpack can represent, for one that it cannot."""
Reader = Callable[[dict[Any, Any]], Any]
"""Returns what a map means: an array, or the map itself."""


def openpi_writer(value: Any) -> Any:
    """Write arrays and their scalars as openpi's servers do: a map of bytes, type and shape, with bytes as keys."""
    if is_numbers(value, np.ndarray):
        return {_ARRAY: True, _DATA: value.tobytes(), _TYPE: value.dtype.str, _SHAPE: value.shape}
    if is_numbers(value, np.generic):
        return {_SCALAR: True, _DATA: value.item(), _TYPE: value.dtype.str}
    raise unwritten(value)


def openpi_reader(value: dict[Any, Any]) -> Any:
    """Read what `openpi_writer` writes."""
    if _ARRAY in value:
        return array(value[_DATA], value[_TYPE], value[_SHAPE])
    return numbers_type(value[_TYPE]).type(value[_DATA]) if _SCALAR in value else value


def pack(value: Any, writer: Writer = openpi_writer) -> bytes:
    """Return a value as bytes.

    Raises:
        TypeError, ValueError: the value holds something that msgpack cannot represent.
    """
    return bytes(msgpack.packb(value, default=writer))


def unpack(data: bytes, reader: Reader = openpi_reader) -> Any:
    """Return the value packed by `pack` or by a server.

    Raises:
        ValueError: the bytes are not msgpack, or an array in them is inconsistent.
    """
    try:
        with np.errstate(all='ignore'):  # too large numbers become infinite; the reader checks for that
            return msgpack.unpackb(data, object_hook=reader)
    except Exception as error:
        raise ValueError(f'{type(error).__name__}: {error}') from error


def is_numbers(value: Any, kind: type) -> bool:
    """Return whether a value is an array (or scalar) of booleans or numbers."""
    return isinstance(value, kind) and getattr(value, 'dtype').kind in _KINDS  # noqa: B009 (the type checker knows no dtype of `kind`)


def unwritten(value: Any) -> TypeError:
    """Return the error for a value that no writer knows."""
    return TypeError(f'msgpack cannot represent {type(value).__name__}')


def array(data: Any, type_: Any, shape: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array from its bytes, its type as text, and its shape.

    Raises:
        ValueError, TypeError: the three do not go together, or the type holds no numbers.
    """
    if not isinstance(shape, list) or not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError(f'the shape of an array is a list of whole numbers from 0; found {str(shape)[:40]}')
    return np.frombuffer(data, numbers_type(type_)).reshape(shape)


def numbers_type(text: Any) -> np.dtype[Any]:
    """Return a numpy type of booleans or numbers by its name, such as <f4.

    Raises:
        ValueError, TypeError: there is no such type, or it holds something else.
    """
    if not isinstance(text, np.dtype) and not (isinstance(text, str) and _NAME.fullmatch(text)):
        raise ValueError(f'the type of an array is such as <f4; found {text!r:.40}')
    found: np.dtype[Any] = np.dtype(text)
    if found.kind not in _KINDS:
        raise ValueError(f'an array holds booleans or numbers; found {found}')
    return found
