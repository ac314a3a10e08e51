"""The plan of a room: how large it is, what stands and hangs where, and which solid things stand near the table.

Coordinates are those of the world: the robot's base stands at the origin and looks along x; left is +y.
"""

from dataclasses import dataclass

from vlm_bench_sim.core.geometry import Vector

FAR, NEAR, LEFT, RIGHT = 'far', 'near', 'left', 'right'
"""The walls, as seen by the robot; near is the one behind it."""

FACINGS = {'+y': (0, 1), '-x': (-1, 0), '-y': (0, -1), '+x': (1, 0)}
"""Where a front may look to, in quarter turns from +y."""

INWARDS = {FAR: '-x', NEAR: '+x', LEFT: '-y', RIGHT: '+y'}
"""Where the front of a piece looks to that stands against a wall."""

FLOOR, CEILING = 'floor', 'ceiling'


@dataclass(frozen=True)
class Against:
    """A piece with its back against a wall.

    Attributes:
        piece: its name in `catalogue.PIECES`.
        wall: one of `INWARDS`.
        along: where its middle is along the wall, m: y for the far and the near wall, x for the others.
        size: width, depth and height, m.
        up: height of its foot above the floor, m.
    """

    piece: str
    wall: str
    along: float
    size: Vector
    up: float = 0.0


@dataclass(frozen=True)
class Free:
    """A piece that stands free.

    Attributes:
        piece: its name in `catalogue.PIECES`.
        at: the middle of its footprint, m.
        facing: one of `FACINGS`.
        size: width, depth and height, m.
        up: height of its foot above the floor, m.
    """

    piece: str
    at: tuple[float, float]
    facing: str
    size: Vector
    up: float = 0.0


@dataclass(frozen=True)
class Neighbour:
    """A solid thing near the table, which the robot may collide with.

    Attributes:
        piece: its name in `catalogue.PIECES`.
        at: the middle of its footprint, m.
        facing: one of `FACINGS`.
        size: width, depth and height, m.
        base: what carries it at the height of the table where no table is below it: the name of a piece. Or `FLOOR` if it stands on the
            floor, or `CEILING` if it hangs from there: then its height is that above `LAMP`.
    """

    piece: str
    at: tuple[float, float]
    facing: str
    size: Vector
    base: str = 'side_table'


@dataclass(frozen=True)
class Plan:
    """The plan of a room.

    Attributes:
        kind: what kind of room it is, for example 'kitchen'.
        drop: height of the table's usual top above the floor, m.
        x, y: from wall to wall, m.
        pieces: what is only seen.
        neighbours: what is solid.
        height: height of the ceiling above the floor, m.
    """

    kind: str
    drop: float
    x: tuple[float, float]
    y: tuple[float, float]
    pieces: tuple[Against | Free, ...]
    neighbours: tuple[Neighbour, ...]
    height: float = 2.6
