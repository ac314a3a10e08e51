"""Trees of frozen dataclasses and tuples, such as goals: collect or substitute their parts by type."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar('T')


def collected(value: Any, *kinds: type[T], closed: tuple[type, ...] = ()) -> Iterator[T]:
    """Yield the values of these kinds in a tree, from left to right. The search does not enter them, nor values of a closed kind."""
    if isinstance(value, kinds):
        yield value
    elif not isinstance(value, closed):
        for part in _parts(value):
            yield from collected(part, *kinds, closed=closed)


def substituted(value: T, change: Callable[[Any], Any], *, closed: tuple[type, ...] = ()) -> T:
    """Return a tree with parts substituted; unchanged parts are the same objects.

    Args:
        value: the tree.
        change: called for each dataclass, parents first; returns a substitute, which the search does not enter, or the value itself.
        closed: kinds that the search does not enter.
    """
    if isinstance(value, tuple):
        parts = tuple(substituted(part, change, closed=closed) for part in value)
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts  # type: ignore[return-value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    found: Any = change(value)
    if found is not value or isinstance(value, closed):
        return found  # type: ignore[no-any-return]
    new = {f.name: substituted(getattr(value, f.name), change, closed=closed) for f in fields(value) if f.init}
    changed = {name: part for name, part in new.items() if part is not getattr(value, name)}
    return replace(value, **changed) if changed else value


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield from value
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (getattr(value, f.name) for f in fields(value))
