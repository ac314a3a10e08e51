"""How often the tests that fuzz try: seldom, and the same examples each time; VLM_BENCH_FUZZ=20 tries twenty times as many, drawn anew."""

import os
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

MORE = int(os.environ.get('VLM_BENCH_FUZZ', '1'))
ENDS = (None, True, False, 0, -1, 1, 7, 2**31, -(2**63), 2**64, 1e308, float('nan'), float('inf'), -0.0)
WORDS = (
    '',
    ' ',
    '?',
    'none',
    'a/b',
    '../..',
    '\x00',
    '\x1b[31m',
    'a\nb',
    '[red]',
    '{camera}',
    'é𝄞\u202e',
    '\ufeff',
    'x' * 5000,
    '1e999',
    '٣',
)

words = st.one_of(st.sampled_from(WORDS), st.text(max_size=12))
"""Texts that nobody expects."""

scalars = st.one_of(st.sampled_from(ENDS), st.floats(), st.integers(), words)
junk = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=3)), max_leaves=6
)
"""Values that JSON or YAML may hold."""


def tries(count: int) -> settings:
    """Return the settings of a property that is tried so often."""
    return settings(max_examples=count * MORE, derandomize=MORE == 1, deadline=None, database=None, suppress_health_check=list(HealthCheck))


Place = tuple[Any, ...]


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """Yield where something stands in a document, the document itself first."""
    yield here
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*here, key))


def changed(document: Any, edit: str, place: Place, other: Any) -> Any:
    """Return a document that is changed at one place: the value is left out, another one, told twice, or in the wrong company."""
    if not place:
        return other if edit != 'wrap' else [document]
    *way, last = place
    copy = inner = _copied(document)
    for key in way:
        inner = inner[key]
    if edit == 'drop':
        del inner[last]
    elif edit == 'other':
        inner[last] = other
    elif edit == 'wrap':
        inner[last] = [inner[last]]
    elif edit == 'rename' and isinstance(inner, dict):
        inner[other if isinstance(other, (str, int, float, bool, type(None))) else str(other)] = inner.pop(last)
    elif isinstance(inner, list):
        inner.insert(last, _copied(inner[last]))
    return copy


@st.composite
def changes(draw: Any, document: Any, most: int = 2) -> Any:
    """Draw a document that differs from a sound one at one place or more."""
    for _ in range(draw(st.integers(1, most))):
        place = draw(st.sampled_from(list(places(document))))
        document = changed(document, draw(st.sampled_from(('drop', 'other', 'wrap', 'rename', 'twice'))), place, draw(junk))
    return document


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value
