"""Tables in Markdown."""

from collections.abc import Iterable

NONE = '–'
"""What stands in a cell for which there is nothing to say."""


def literal(text: str) -> str:
    """Return text that somebody else wrote so that it stands as it is on one line of Markdown: no tags, breaks or control characters."""
    shown = ''.join(one if one.isprintable() else ' ' for one in text)
    return ' '.join(shown.replace('&', '&amp;').replace('<', '&lt;').split())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of a head and rows of as many cells."""
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(cell.replace('|', '\\|') for cell in line) + ' |' for line in lines)
