"""Parse .msg, .srv and .action files for the docs: every field and constant with its comment."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError

_PARTS = {'msg': ('',), 'srv': ('Request', 'Response'), 'action': ('Goal', 'Result', 'Feedback')}
_LINE = re.compile(
    r'(?P<type>[\w/]+(?:\[[<=\d]*\])?)\s+(?P<name>\w+)\s*(?:=\s*(?P<value>\S+)|(?P<default>[^#\s][^#]*?))?\s*(?:#\s*(?P<comment>.*))?'
)


@dataclass(frozen=True)
class Constant:
    """A constant with its value and its comment."""

    name: str
    value: str
    comment: str


@dataclass(frozen=True)
class Field:
    """A field with its type, its default ('' for none) and its comment."""

    name: str
    type: str
    default: str
    comment: str


@dataclass(frozen=True)
class Interface:
    """An interface file.

    Attributes:
        name: name of the interface, for example Tick.
        kind: msg, srv or action.
        about: the comment at the top.
        constants: constants of all parts.
        parts: the fields by title of their part; a message has one part, with the title ''.
    """

    name: str
    kind: str
    about: str
    constants: tuple[Constant, ...]
    parts: dict[str, tuple[Field, ...]]


def interfaces(package: Path) -> tuple[Interface, ...]:
    """Return all interfaces in a package's folder: messages, services, actions, each sorted by name.

    Raises:
        ConfigError: there are none, or a line cannot be parsed.
    """
    paths = [path for kind in _PARTS for path in sorted((package / kind).glob(f'*.{kind}'))]
    if not paths:
        raise ConfigError(f'No interface files in {package}. Run this from a clone.')
    return tuple(read(path) for path in paths)


def read(path: Path) -> Interface:
    """Parse an interface file.

    Raises:
        ConfigError: a line cannot be parsed.
    """
    kind = path.suffix[1:]
    lines = path.read_text().splitlines()
    head = next((i for i, line in enumerate(lines) if not line.startswith('#')), len(lines))
    parts: dict[str, tuple[Field, ...]] = {}
    constants: list[Constant] = []
    for title, body in zip(_PARTS[kind], _split(lines[head:]), strict=True):
        found = [_entry(line, path) for line in body if line.strip() and not line.startswith('#')]
        constants += [entry for entry in found if isinstance(entry, Constant)]
        parts[title] = tuple(entry for entry in found if isinstance(entry, Field))
    return Interface(path.stem, kind, ' '.join(line.lstrip('# ') for line in lines[:head]), tuple(constants), parts)


def _split(lines: list[str]) -> Iterator[list[str]]:
    body: list[str] = []
    for line in lines:
        if line.strip() == '---':
            yield body
            body = []
        else:
            body.append(line)
    yield body


def _entry(line: str, path: Path) -> Constant | Field:
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise ConfigError(f'{path.name}: a field or a constant was expected; found {line!r}.')
    comment = match['comment'] or ''
    if match['value'] is not None:
        return Constant(match['name'], match['value'], comment)
    return Field(match['name'], match['type'], match['default'] or '', comment)
