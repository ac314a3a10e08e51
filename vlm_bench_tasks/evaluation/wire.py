"""msgpack with numpy arrays, in the format of openpi's policy servers: an array is a map of bytes, type and shape. No pickle."""

from typing import Any

import msgpack
import numpy as np

_ARRAY, _SCALAR, _DATA, _TYPE, _SHAPE = b'__ndarray__', b'__npgeneric__', b'data', b'dtype', b'shape'
_KINDS = 'biuf'  # booleans and numbers; no type that could name an object


def pack(value: Any) -> bytes:
    """Return a value as bytes.

    Raises:
        TypeError, ValueError: the value holds something that msgpack cannot represent.
    """
    return bytes(msgpack.packb(value, default=_packed))


def unpack(data: bytes) -> Any:
    """Return the value packed by `pack` or by a server.

    Raises:
        ValueError: the bytes are not msgpack, or an array in them is inconsistent.
    """
    try:
        with np.errstate(all='ignore'):  # too large numbers become infinite; the reader checks for that
            return msgpack.unpackb(data, object_hook=_unpacked)
    except (TypeError, KeyError, OverflowError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise ValueError(f'{type(error).__name__}: {error}') from error


def _packed(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        return {_ARRAY: True, _DATA: value.tobytes(), _TYPE: value.dtype.str, _SHAPE: value.shape}
    if isinstance(value, np.generic) and value.dtype.kind in _KINDS:
        return {_SCALAR: True, _DATA: value.item(), _TYPE: value.dtype.str}
    raise TypeError(f'msgpack cannot represent {type(value).__name__}')


def _unpacked(value: dict[Any, Any]) -> Any:
    if _ARRAY in value:
        shape = value[_SHAPE]
        if not isinstance(shape, list) or not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError(f'the shape of an array is a list of whole numbers from 0; found {str(shape)[:40]}')
        return np.frombuffer(value[_DATA], _dtype(value)).reshape(shape)
    return _dtype(value).type(value[_DATA]) if _SCALAR in value else value


def _dtype(value: dict[Any, Any]) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(value[_TYPE])
    if found.kind not in _KINDS:
        raise ValueError(f'an array holds booleans or numbers; found {found}')
    return found
