"""Reads stamp, token and sequence number from the first CDR bytes of a message, without deserialising the rest."""

import struct
from functools import cache

from vlm_bench_sim.bags.definitions import known, store

_HEADER = 'std_msgs/msg/Header'
_TIME = 'builtin_interfaces/msg/Time'
_BODY = 4
"""Bytes of the CDR encapsulation header; alignment counts from its end."""


def stamp_ns(type_: str, data: bytes) -> int | None:
    """Return the stamp of a message's header, its own time (Clock) or that of its first transform (TFMessage), ns.

    None if the type has no such field, the stamp is 0 (not set) or the bytes end before it.

    Raises:
        BagError: the type is not known.
    """
    offset = _stamp_offset(type_)
    if offset is None or len(data) < offset + 8:
        return None
    seconds, nanoseconds = struct.unpack_from(_order(data) + 'iI', data, offset)
    return (seconds * 1_000_000_000 + nanoseconds) or None


def token(type_: str, data: bytes) -> str | None:
    """Return the episode token in a message's first field, or just after its header; None if there is none.

    Raises:
        BagError: the type is not known.
    """
    start = _token_offset(type_, data)
    end = _end_of_string(data, start)
    return None if start is None or end is None else bytes(data[start + 4 : end]).rstrip(b'\0').decode(errors='backslashreplace')


def seq(type_: str, data: bytes) -> int | None:
    """Return the uint64 `seq` just after a message's token; None if there is none.

    Raises:
        BagError: the type is not known.
    """
    names = _leading(type_)
    if 'token' not in names or names[names.index('token') + 1 :][:1] != ('seq',):
        return None
    end = _end_of_string(data, _token_offset(type_, data))
    start = None if end is None else end + (_BODY - end) % 8
    return None if start is None or len(data) < start + 8 else int(struct.unpack_from(_order(data) + 'Q', data, start)[0])


def _token_offset(type_: str, data: bytes) -> int | None:
    names = _leading(type_)
    if names[:1] == ('token',):
        return _BODY
    if names[:2] != ('header', 'token'):
        return None
    end = _end_of_string(data, _BODY + 8)
    return None if end is None else end + (_BODY - end) % 4


def _end_of_string(data: bytes, start: int | None) -> int | None:
    if start is None or len(data) < start + 4:
        return None
    end = start + 4 + int(struct.unpack_from(_order(data) + 'I', data, start)[0])
    return end if end <= len(data) else None


def _order(data: bytes) -> str:
    return '<' if data[1] & 1 else '>'


@cache
def _leading(type_: str) -> tuple[str, ...]:
    return tuple(name for name, _ in store().fielddefs[known(type_)][1][:3])


@cache
def _stamp_offset(type_: str) -> int | None:
    entries = store().fielddefs[known(type_)][1]
    first = entries[0][1][1] if entries else None
    if first in (_HEADER, _TIME):
        return _BODY
    transforms = first[0][1] if isinstance(first, tuple) and isinstance(first[0], tuple) else None
    return _BODY + 4 if transforms == 'geometry_msgs/msg/TransformStamped' else None
