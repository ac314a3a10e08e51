"""Frozen dataclasses ↔ JSON, exactly: what passes between boxes can be written into a bag and read again.

A dataclass becomes an object with its class name under "is"; tuples become lists; floats keep every bit (`repr` round-trips).
Only classes that were registered can be read back: nothing that comes from outside is evaluated.
"""

import json
import types
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from vlm_bench_sim.core.errors import VlmBenchError, quoted

T = TypeVar('T')
_KNOWN: dict[str, type] = {}


def serialisable(cls: type[T]) -> type[T]:
    """Register a dataclass so that JSON may name it."""
    if _KNOWN.get(cls.__name__, cls).__qualname__ != cls.__qualname__ or cls.__name__ in _KNOWN:
        raise VlmBenchError(f'Two classes are called {cls.__name__}; a name in JSON must mean one class. Rename one.')
    _KNOWN[cls.__name__] = cls
    return cls


def dumps(value: Any) -> str:
    """Return the value as one line of JSON."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(',', ':'), allow_nan=False)


def loads(text: str) -> Any:
    """Return the value that `dumps` wrote.

    Raises:
        VlmBenchError: the text is not JSON, holds a number that is not finite, names a class or a field that does not exist, or gives a
            class what it cannot take.
    """
    try:
        return _value(json.loads(text, parse_constant=_finite, parse_float=_finite))
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:  # it may come from anywhere
        kind = 'a value of another kind than its field takes, such as a word for a number'
        raise VlmBenchError(f'Expected JSON of a vlm_bench value: {kind}: {str(error)[:200]}, in {quoted(text)}') from error
    except (ValueError, RecursionError) as error:
        raise VlmBenchError(f'Expected JSON of a vlm_bench value: {str(error)[:200]}, in {quoted(text)}') from error


def read(text: str, kind: type[T], wrong: type[VlmBenchError] = VlmBenchError) -> T:
    """Return the value of one class that `dumps` wrote.

    Args:
        text: wherever it came from.
        kind: the class; its fields have the types that JSON gave them, which a class from outside has yet to check.
        wrong: the error to raise.

    Raises:
        VlmBenchError: as `wrong`: the text is no value of ours, or another one.
    """
    name = f'a{"n" * (kind.__name__[0] in "AEIOU")} {kind.__name__}'
    try:
        value = loads(text)
    except VlmBenchError as error:
        raise wrong(f'The JSON of {name} was expected and cannot be read: {str(error)[:300]}') from error
    if not isinstance(value, kind):
        raise wrong(f'The JSON of {name} was expected; found that of a {type(value).__name__}.')
    return value


def not_finite(value: Any, path: str = '') -> str:
    """Return where a value holds a number that is not finite, for example Raised.height: no comparison says what is true of such a one."""
    if isinstance(value, float):
        return '' if isfinite(value) else path or 'it'
    if is_dataclass(value) and not isinstance(value, type):
        parts = [(f'{type(value).__name__}.{f.name}', getattr(value, f.name)) for f in fields(value)]
    elif isinstance(value, (list, tuple)):
        parts = [(path, part) for part in value]
    else:
        parts = [(path, part) for part in value.values()] if isinstance(value, dict) else []
    return next(filter(None, (not_finite(part, name) for name, part in parts)), '')


def _finite(number: str) -> float:
    found = float(number)
    if not isfinite(found):
        raise ValueError(f'the number {number[:20]}, which is not finite')
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {'is': type(value).__name__, **{f.name: _plain(getattr(value, f.name)) for f in fields(value)}}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value


def _value(plain: Any, hint: Any = None) -> Any:
    if isinstance(plain, dict) and 'is' in plain:
        return _instance(plain)
    if isinstance(plain, dict):
        return {k: _value(v) for k, v in plain.items()}
    if isinstance(plain, list):
        return tuple(_value(v) for v in plain)
    return _scalar(plain, hint)


def _instance(plain: dict[str, Any]) -> Any:
    name = plain['is']
    if name not in _KNOWN:
        raise VlmBenchError(f'JSON names the class {name!r}, which is not one of ours. Was it written by another version, or misspelt?')
    cls = _KNOWN[name]
    hints = get_type_hints(cls)
    given = {k: v for k, v in plain.items() if k != 'is'}
    unknown = given.keys() - hints.keys()
    if unknown:
        raise VlmBenchError(f'{name} has no field {sorted(unknown)}; it has {sorted(hints)}. Was it written by another version?')
    missing = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING and f.name not in given]
    if missing:
        raise VlmBenchError(f'{name} needs {missing}, which the JSON does not give. Was it written by another version?')
    return cls(**{k: _value(v, hints[k]) for k, v in given.items()})


def _scalar(plain: Any, hint: Any) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for option in options:
        if isinstance(option, type) and issubclass(option, Enum) and plain is not None:
            return option(plain)
        if option is float and isinstance(plain, int) and not isinstance(plain, bool):
            return float(plain)
    return plain
