"""Builds a room from its plan and its palette."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from vlm_bench_sim.core.geometry import UNROTATED, ZERO, Box, Pose, Quaternion, Vector
from vlm_bench_sim.core.objects.rooms.catalogue import FLAT, PIECES
from vlm_bench_sim.core.objects.rooms.palettes import Palette
from vlm_bench_sim.core.objects.rooms.parts import Part, Parts, legs, moved, slab
from vlm_bench_sim.core.objects.rooms.plan import CEILING, FACINGS, FLOOR, INWARDS, Against, Free, Neighbour, Plan
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROOM

LAMP = 1.12
"""Height above the table's usual top of the lower end of what hangs from the ceiling, m."""

_HALF = 0.7071067811865476
_TURNED: dict[str, Quaternion] = {
    '+y': UNROTATED, '-x': (0.0, 0.0, _HALF, _HALF), '-y': (0.0, 0.0, 1.0, 0.0), '+x': (0.0, 0.0, -_HALF, _HALF)
}  # fmt: skip
_BASE = (0.46, 0.36)  # m: least width and depth of what carries a thing beside the table
_WALL, _SKIRTING, _GAP = 0.08, 0.02, 0.002  # m: thickness of walls and of skirting, and the gap behind a piece


@dataclass(frozen=True)
class Room:
    """What stands around a table.

    Attributes:
        floor: height of the floor, m in the world.
        near: what is drawn with the objects of the scene, which throw their shadows on it.
        shell: floor, ceiling, walls and skirting: seen only, and without a shadow, as light comes from outside.
        far: what is seen only, in light and shadow of its own.
    """

    floor: float
    near: tuple[Prop, ...]
    shell: tuple[Prop, ...] = ()
    far: tuple[Prop, ...] = ()

    @property
    def all(self) -> tuple[Prop, ...]:
        """Everything."""
        return (*self.near, *self.far, *self.shell)

    @cached_property
    def solids(self) -> tuple[Prop, ...]:
        """What can be touched, each part under the name `room`."""
        return tuple(replace(prop, name=ROOM) for prop in self.near if not prop.ghost)


NOWHERE = Room(0.0, ())
"""No room at all: there is nothing around the table."""


def built(plan: Plan, palette: Palette, table: Box) -> Room:
    """Return the room of a plan in the colors of a palette, around a table."""
    make = _Builder(plan, palette, table=table)
    near = tuple(prop for neighbour in plan.neighbours for prop in make.neighbour(neighbour))
    far = tuple(prop for piece in plan.pieces for prop in make.piece(piece))
    return Room(-plan.drop, near, make.shell(), (*far, *make.legs()))


class _Builder:
    """Turns pieces into props with names of their own."""

    def __init__(self, plan: Plan, palette: Palette, *, table: Box) -> None:
        self._plan, self._palette, self._table = plan, palette, table
        self._made = count()

    def shell(self) -> tuple[Prop, ...]:
        """Return floor, ceiling, walls and skirting."""
        (x0, x1), (y0, y1), floor, top = self._plan.x, self._plan.y, -self._plan.drop, self._plan.height - self._plan.drop
        wide = (y0 - _WALL, y1 + _WALL)
        up, low = (floor - 0.04, top), (floor, floor + 0.09)
        found = (
            ('floor', slab('floor', (x0, x1), (y0, y1), (floor - 0.04, floor))),
            ('ceiling', slab('trim', (x0, x1), (y0, y1), (top, top + _WALL))),
            ('wall', slab('wall', (x1, x1 + _WALL), wide, up)),
            ('wall', slab('wall', (x0 - _WALL, x0), wide, up)),
            ('wall', slab('wall', (x0, x1), (y1, y1 + _WALL), up)),
            ('wall', slab('wall', (x0, x1), (y0 - _WALL, y0), up)),
            ('skirting', slab('trim', (x1 - _SKIRTING, x1), (y0, y1), low)),
            ('skirting', slab('trim', (x0, x0 + _SKIRTING), (y0, y1), low)),
            ('skirting', slab('trim', (x0 + _SKIRTING, x1 - _SKIRTING), (y1 - _SKIRTING, y1), low)),
            ('skirting', slab('trim', (x0 + _SKIRTING, x1 - _SKIRTING), (y0, y0 + _SKIRTING), low)),
        )
        return tuple(prop for name, part in found for prop in self._put(name, (part,), ZERO, '+y', solid=False))

    def piece(self, piece: Against | Free) -> Iterator[Prop]:
        """Yield the props of a piece of the background."""
        facing = INWARDS[piece.wall] if isinstance(piece, Against) else piece.facing
        x, y = self._foot(piece) if isinstance(piece, Against) else _back(piece.at, facing, piece.size[1])
        yield from self._put(piece.piece, PIECES[piece.piece](*piece.size), (x, y, piece.up - self._plan.drop), facing, solid=False)

    def _foot(self, piece: Against) -> tuple[float, float]:
        """Return where the middle of the back of a piece is."""
        gap = _GAP if piece.up or piece.piece in FLAT else _SKIRTING + _GAP
        x, y = FACINGS[INWARDS[piece.wall]]
        if x:
            return (self._plan.x[0] + gap if x > 0 else self._plan.x[1] - gap), piece.along
        return piece.along, (self._plan.y[0] + gap if y > 0 else self._plan.y[1] - gap)

    def neighbour(self, one: Neighbour) -> Iterator[Prop]:
        """Yield the props of a solid thing, and of what carries it."""
        depth, drop = one.size[1], self._plan.drop
        x, y = _back(one.at, one.facing, depth)
        parts, z = PIECES[one.piece](*one.size), {FLOOR: -drop, CEILING: LAMP}.get(one.base, self._table.high[2])
        if z == self._table.high[2] and not self._on_table(one):
            z = 0.0
            yield from self._base(one)
        yield from self._put(one.piece, parts, (x, y, float(z)), one.facing, solid=True)

    def _base(self, one: Neighbour) -> Iterator[Prop]:
        """Yield what carries a solid thing beside the table: as high as the table, and flush with the thing's front."""
        (fx, fy), (width, depth) = FACINGS[one.facing], (max(one.size[0] + 0.06, _BASE[0]), max(one.size[1], _BASE[1]))
        front = (one.at[0] + fx * one.size[1] / 2, one.at[1] + fy * one.size[1] / 2)
        at = (front[0] - fx * depth, front[1] - fy * depth, -self._plan.drop)
        yield from self._put(one.base, PIECES[one.base](width, depth, self._plan.drop), at, one.facing, solid=True)

    def _on_table(self, one: Neighbour) -> bool:
        """Return whether a thing stands on the table."""
        (x, y), (low, high) = one.at, (self._table.low, self._table.high)
        return bool(low[0] <= x <= high[0] and low[1] <= y <= high[1])

    def legs(self) -> Iterator[Prop]:
        """Yield the legs of the table."""
        (x, y, _), (width, depth, _) = self._table.low, self._table.size
        under = float(self._table.low[2])
        found = moved(
            legs('metal', (width, depth, under + self._plan.drop), inset=0.04), (float(x) + width / 2, float(y), -self._plan.drop)
        )
        yield from self._put('table_leg', found, ZERO, '+y', solid=False)

    def _put(self, name: str, parts: Parts, at: Vector, facing: str, *, solid: bool) -> Iterator[Prop]:
        whole = f'room_{next(self._made)}_{name}'
        for number, part in enumerate(parts):
            look, touched = self._palette.look(part.role), solid and part.firm
            yield Prop(
                f'{whole}_{number}', part.kind, _rounded(part.size), look.color, 1.0, pose=_placed(part, at, facing), fixed=touched,
                ghost=not touched, noun=name.replace('_', ' '), texture=None if solid else look.texture,
            )  # fmt: skip


def _back(at: tuple[float, float], facing: str, depth: float) -> tuple[float, float]:
    """Return the middle of the back of a piece with its footprint around a place."""
    x, y = FACINGS[facing]
    return at[0] - x * depth / 2, at[1] - y * depth / 2


def _placed(part: Part, at: Vector, facing: str) -> Pose:
    """Return the pose of a part of a piece in the world. Quarter turns are exact, so it is the same on every processor."""
    (x, y), (a, b, c) = FACINGS[facing], part.at
    place = _rounded((at[0] + y * a + x * b, at[1] - x * a + y * b, at[2] + c))
    if part.rpy == ZERO:
        return Pose(place, _TURNED[facing])
    return Pose(place, _TURNED[facing]) @ Pose.from_rpy(ZERO, part.rpy)


def _rounded(values: Vector) -> Vector:
    x, y, z = values
    return round(x, 6) + 0.0, round(y, 6) + 0.0, round(z, 6) + 0.0
