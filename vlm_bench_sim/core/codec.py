"""Exact conversion between frozen dataclasses and JSON, for bags and messages between processes.

A dataclass becomes an object with its class name under "is"; tuples become lists; floats keep every bit (`repr` round-trips).
Only registered classes can be read back. Nothing from outside is evaluated. A class of another package, an extension, is named with its
module, such as acme_bench.suite.kitchen._packed.Packed, so names cannot collide.
"""

import json
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from math import inf, isfinite
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from vlm_bench_sim.core.errors import ExtensionError, VlmBenchError, quoted

T = TypeVar('T')
_KNOWN: dict[str, type] = {}
_LOADERS: list[Callable[[str], None]] = []
_OURS = ('vlm_bench_sim', 'vlm_bench_tasks')
_SURROGATE = re.compile('[\ud800-\udfff]')


def serialisable(cls: type[T]) -> type[T]:
    """Register a dataclass for JSON conversion."""
    name = name_of(cls)
    if name in _KNOWN:
        raise VlmBenchError(f'Two classes are called {name}; a name in JSON must mean one class. Rename one.')
    _KNOWN[name] = cls
    return cls


def name_of(cls: type) -> str:
    """Return the name of a class in JSON: with its module, unless its package is ours."""
    return cls.__name__ if cls.__module__.partition('.')[0] in _OURS else f'{cls.__module__}.{cls.__name__}'


def find_foreign(load: Callable[[str], None]) -> None:
    """Let a function import the module of a class that is not known yet, given the name in JSON.

    The function may raise a VlmBenchError that says why it does not.
    """
    _LOADERS[:] = [load]


def dumps(value: Any) -> str:
    """Return the value as one line of JSON."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(',', ':'), allow_nan=False)


def loads(text: str) -> Any:
    """Return the value that `dumps` wrote.

    Raises:
        VlmBenchError: the text is not JSON, holds a number that is not finite, names an unknown class or field, or gives a class
            invalid arguments.
    """
    try:
        return _value(json.loads(text, parse_constant=_finite, parse_float=_finite))
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:  # the text may come from any source
        kind = 'a value has the wrong type, for example text instead of a number'
        raise VlmBenchError(f'Expected JSON of a vlm_bench value: {kind}: {str(error)[:200]}, in {quoted(text)}') from error
    except (ValueError, RecursionError) as error:
        raise VlmBenchError(f'Expected JSON of a vlm_bench value: {str(error)[:200]}, in {quoted(text)}') from error


def read(text: str, kind: type[T], wrong: type[VlmBenchError] = VlmBenchError) -> T:
    """Return the value of one class that `dumps` wrote.

    Args:
        text: JSON text from any source.
        kind: the class. Its fields have the types that the JSON gave them; for text from outside, the class must check them itself.
        wrong: class of the error to raise.

    Raises:
        VlmBenchError: an error of class `wrong`: the text is invalid, or holds a value of another class.
    """
    name = f'a{"n" * (kind.__name__[0] in "AEIOU")} {kind.__name__}'
    try:
        value = loads(text)
    except VlmBenchError as error:
        raise wrong(f'The JSON of {name} was expected and cannot be read: {str(error)[:300]}') from error
    if not isinstance(value, kind):
        raise wrong(f'The JSON of {name} was expected; found that of a {type(value).__name__}.')
    return value


def unfit(value: Any) -> str:
    """Return which field of a value does not fit its type, for example that Raised.height takes a float and is None; '' if all fit.

    Numbers must be finite and writable as JSON, booleans do not count as numbers, and texts must be valid in ROS messages.
    """
    return _unfit(value, set())


def _unfit(value: Any, done: set[int]) -> str:
    """Return what does not fit; a part that occurs again, such as the furniture of several goals, is looked at once."""
    kind: type = type(value)
    if id(value) in done or not is_dataclass(kind):
        return ''
    done.add(id(value))
    for name, hint in _hints(kind).items():
        where, found = f'{kind.__name__}.{name}', getattr(value, name)
        if not _fits(found, hint):
            return f'{where} takes {_called(hint)} and is {quoted(str(found))}'
        if inner := next(filter(None, (_unfit(part, done) for part in _parts(found))), ''):
            return inner
    return ''


def _parts(value: Any) -> Iterator[Any]:
    """Yield the dataclasses within a field."""
    if isinstance(value, (tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts(part)
    elif is_dataclass(value):
        yield value


def _fits(value: Any, hint: Any) -> bool:
    return _check(hint)(value)


@cache
def _check(hint: Any) -> Callable[[Any], bool]:
    """Return the function that tells whether a value fits a type."""
    origin = get_origin(hint)
    nests = origin in (Union, types.UnionType, tuple, dict)
    inner = tuple(_check(each) for each in get_args(hint) if each is not Ellipsis) if nests else ()
    if origin in (Union, types.UnionType):
        return lambda value: any(check(value) for check in inner)
    if origin is tuple and get_args(hint)[-1:] == (Ellipsis,):
        return lambda value: isinstance(value, tuple) and all(map(inner[0], value))
    if origin is tuple:
        return lambda value: isinstance(value, tuple) and len(value) == len(inner) and all(c(v) for c, v in zip(inner, value, strict=True))
    if origin is dict:
        return lambda value: isinstance(value, dict) and all(inner[0](k) and inner[1](v) for k, v in value.items())
    if hint is float:
        return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < inf
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    if hint is str:
        return lambda value: isinstance(value, str) and '\0' not in value and not _SURROGATE.search(value)
    return (lambda value: isinstance(value, hint)) if isinstance(hint, type) else (lambda _: True)


def _called(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_origin(hint) else re.sub(r'\b[a-z_]+\.(?=\w)', '', str(hint))


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _finite(number: str) -> float:
    found = float(number)
    if not isfinite(found):
        raise ValueError(f'the number {number[:20]}, which is not finite')
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {'is': name_of(type(value)), **{f.name: _plain(getattr(value, f.name)) for f in fields(value)}}
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
    inner = get_args(hint)
    if isinstance(plain, dict):
        return {k: _value(v, inner[1] if get_origin(hint) is dict else None) for k, v in plain.items()}
    if isinstance(plain, list):
        each = inner[:1] * len(plain) if inner[1:] == (Ellipsis,) else inner
        return tuple(map(_value, plain, each if get_origin(hint) is tuple and len(each) == len(plain) else [None] * len(plain)))
    return _scalar(plain, hint)


def _instance(plain: dict[str, Any]) -> Any:
    name = plain['is']
    cls = _class(name)
    hints = _hints(cls)
    given = {k: v for k, v in plain.items() if k != 'is'}
    unknown = given.keys() - hints.keys()
    if unknown:
        raise _error(name)(f'{name} has no field {sorted(unknown)}; it has {sorted(hints)}. Was it written by another version?')
    missing = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING and f.name not in given]
    if missing:
        raise _error(name)(f'{name} needs {missing}, which the JSON does not give. Was it written by another version?')
    values = {k: _value(v, hints[k]) for k, v in given.items()}
    for field, value in values.items():
        if not _fits(value, hints[field]):
            raise _error(name)(
                f'{name}.{field} takes {_called(hints[field])}; found {quoted(str(value))}. Was it written by another program?'
            )
    return cls(**values)


def _class(name: Any) -> type:
    reason, cause = 'Was it written by another version, or is the name misspelt?', None
    if name not in _KNOWN and isinstance(name, str) and '.' in name:
        try:
            for load in _LOADERS:
                load(name)
        except VlmBenchError as error:
            reason, cause = str(error), error
    if name not in _KNOWN:
        wrong = VlmBenchError if cause or not isinstance(name, str) else _error(name)
        raise wrong(f'The JSON names the unknown class {name!r}. {reason}') from cause
    return _KNOWN[name]


def _error(name: str) -> type[VlmBenchError]:
    """Return the error about a class that is not as the JSON says; one of an extension has changed with it."""
    return ExtensionError if '.' in name else VlmBenchError


def _scalar(plain: Any, hint: Any) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for option in options:
        if isinstance(option, type) and issubclass(option, Enum) and plain is not None:
            return option(plain)
        if option is float and isinstance(plain, int) and not isinstance(plain, bool):
            return float(plain)
    return plain
