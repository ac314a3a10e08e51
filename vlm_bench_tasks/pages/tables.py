"""Tables in Markdown."""

import re
from collections.abc import Iterable

from vlm_bench_tasks.evaluation.blocks import Block, Cell, Heading, Link, Table

NONE = '–'
"""What stands in a cell for which there is nothing to say."""
_MARKS = re.compile(r'[\\`*\[\]~$]|(?<![^\W_])_|_(?![^\W_])')  # an underscore within a word is none


def literal(text: str) -> str:
    """Return text that somebody else wrote so that it stands as it is on one line of Markdown: no tags, breaks or control characters."""
    shown = ''.join(one if one.isprintable() else ' ' for one in text)
    return ' '.join(shown.replace('&', '&amp;').replace('<', '&lt;').split())


def inert(text: str) -> str:
    """Return text as `literal` does, and so that nothing in it becomes a link, code, an emphasis or a formula either."""
    return re.sub(_MARKS, lambda found: f'&#{ord(found[0])};', literal(text))


def markdown(title: str, blocks: Iterable[Block]) -> str:
    """Return a page of Markdown in which every text of the blocks stands as it is."""
    return '\n\n'.join([f'# {title}', *map(_block, blocks)]) + '\n'


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return table(tuple(map(inert, block.head)), (tuple(map(_cell, row)) for row in block.rows))
    return f'## {inert(block.text)}' if isinstance(block, Heading) else inert(block.text)


def _cell(cell: Cell) -> str:
    return f'[{inert(cell.text)}]({cell.to})' if isinstance(cell, Link) else inert(cell)


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of a head and rows of as many cells."""
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(cell.replace('|', '\\|') for cell in line) + ' |' for line in lines)
