"""What a page holds, whatever it is written in. All texts are plain: whoever writes the page escapes them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A text that leads somewhere; `to` is a relative address, with % escapes."""

    text: str
    to: str


Cell = str | Link


@dataclass(frozen=True)
class Heading:
    """A heading below that of the page."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table; each row has a cell for each column."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block = Heading | Paragraph | Table
