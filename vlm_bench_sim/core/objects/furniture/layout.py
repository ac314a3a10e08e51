"""Layouts of fronts: which drawers or doors a piece of furniture has, what they are called, and which handle they have."""

from dataclasses import dataclass

from vlm_bench_sim.core.errors import TaskError, near

LEVELS = ('top', 'middle', 'bottom')
"""The drawers of a chest with three of them above one another, from top to bottom."""

DOOR, DRAWER = 'door', 'drawer'
"""The link that opens, if it is the only one of its piece."""

HANDLES = ('bar', 'upright', 'rail', 'knob')
"""Kinds of handles: a horizontal bar, a vertical bar, a bar along nearly the whole front, and a knob."""

HINGES = {'left': ((1,),), 'right': ((-1,),), 'double': ((1, -1),), 'stacked_left': ((1,), (1,)), 'stacked_right': ((-1,), (-1,))}
"""Arrangements of doors: rows from top to bottom, in each the doors from left to right; 1 for a hinge on the left, -1 on the right."""

ROWS = {1: ('',), 2: ('top', 'bottom'), 3: LEVELS}
COLUMNS = {1: ('',), 2: ('left', 'right'), 3: ('left', 'center', 'right')}
"""Words for places, by how many there are above one another, from top to bottom, and side by side, as seen by a person in front."""


@dataclass(frozen=True)
class Drawers:
    """The layout of a chest.

    Raises:
        TaskError: there are more than three rows or columns, or the handle is unknown.

    Attributes:
        rows, columns: number of drawers above one another and side by side, 1 to 3.
        handle: one of `HANDLES`.
    """

    rows: int
    columns: int
    handle: str

    def __post_init__(self) -> None:
        if self.rows not in ROWS or self.columns not in COLUMNS:
            raise TaskError(f'A chest has 1 to 3 rows and columns of drawers; found {self.rows} and {self.columns}. Choose among these.')
        _check(self.handle, HANDLES)

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Names of the links: rows from top to bottom, in each the drawers from left to right."""
        return _names(self.rows, self.columns, DRAWER)


@dataclass(frozen=True)
class Doors:
    """The layout of a cupboard.

    Raises:
        TaskError: arrangement or handle are unknown, or the handle is a horizontal bar.

    Attributes:
        arrangement: one of `HINGES`.
        handle: one of `HANDLES` but the horizontal bar.
    """

    arrangement: str
    handle: str

    def __post_init__(self) -> None:
        if self.arrangement not in HINGES:
            raise TaskError(f'There is no arrangement of doors called {self.arrangement!r}. {near(self.arrangement, HINGES)}')
        _check(self.handle, HANDLES[1:])

    @property
    def hinges(self) -> tuple[tuple[int, ...], ...]:
        """Sides of the hinges, as in `HINGES`."""
        return HINGES[self.arrangement]

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Names of the links, in the order of `hinges`."""
        return _names(len(self.hinges), len(self.hinges[0]), DOOR)


def _check(handle: str, known: tuple[str, ...]) -> None:
    if handle not in known:
        raise TaskError(f'No front of this kind has a handle called {handle!r}. {near(handle, known)}')


def _names(rows: int, columns: int, alone: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of position in a grid, joined by `_`; `alone` is the name of the only one."""
    return tuple(tuple('_'.join(filter(None, (row, column))) or alone for column in COLUMNS[columns]) for row in ROWS[rows])
