"""Models of furniture: chests of drawers, a cupboard, and doors with a handle that unlatches them.

In a mechanism's frame z is up, the table is at 0, and the front faces -x: at yaw 0 a piece faces the robot. Left and right are as seen by
a person in front of it.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from math import pi, radians
from typing import Protocol

from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color, Texture
from vlm_bench_sim.core.mechanisms import Joint, Latch, Link, Mechanism
from vlm_bench_sim.core.props import Prop

LEVELS = ('top', 'middle', 'bottom')
"""The drawers of a chest, from top to bottom."""

DOOR, LEVER = 'door', 'handle'
"""The links that open on a hinge."""

BAR = (0.016, 0.024, 0.060)
"""Depth, width and length of a handle's bar, m: fingers take it across or along, and a suction cup seals on its front."""

STAND = 0.036
"""Clearance for fingertips between a front and its handle, m."""

_BOARD, _THIN, _GAP = 0.012, 0.006, 0.003  # m
_POST, _SILL, _LEAF = 0.045, 0.02, 0.03  # m
_WOOD, _METAL = 450.0, 2700.0  # kg/m³
_OUT: Vector = (-1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Finish:
    """The look of a piece of furniture.

    Attributes:
        body: color of the fixed parts.
        front: color of the moving parts.
        metal: color of handles.
        grain: pattern over body and front; None if they are painted.
    """

    body: Color
    front: Color
    metal: Color
    grain: Texture | None = None


def _grain(*rgb: float) -> Texture:
    return Texture('wood', Color('grain', (rgb[0], rgb[1], rgb[2])), 0.12)


_STEEL, _BRASS, _IRON = Color('steel', (0.66, 0.68, 0.70)), Color('brass', (0.80, 0.63, 0.32)), Color('iron', (0.22, 0.23, 0.25))

FINISHES = {
    'oak': Finish(Color('oak', (0.68, 0.50, 0.32)), Color('oak', (0.79, 0.61, 0.41)), _IRON, _grain(0.62, 0.45, 0.28)),
    'walnut': Finish(Color('walnut', (0.38, 0.25, 0.16)), Color('walnut', (0.50, 0.34, 0.22)), _BRASS, _grain(0.33, 0.21, 0.13)),
    'white': Finish(Color('white', (0.80, 0.80, 0.78)), Color('white', (0.92, 0.92, 0.90)), _STEEL),
    'sage': Finish(Color('sage', (0.50, 0.58, 0.50)), Color('sage', (0.61, 0.69, 0.60)), _BRASS),
    'slate': Finish(Color('slate', (0.27, 0.33, 0.40)), Color('slate', (0.36, 0.43, 0.51)), _STEEL),
}
"""Finishes available for all models."""


class Model(Protocol):
    """Dimensions of a piece of furniture."""

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the piece with everything closed."""
        ...


@dataclass(frozen=True)
class Chest:
    """Dimensions of a chest of three drawers, m: outer `width` (y), `depth` (x), `height` without the `plinth` below it, and `travel`."""

    width: float
    depth: float
    height: float
    _: KW_ONLY
    plinth: float
    travel: float

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the chest with its drawers closed."""
        rail = (self.height - 4 * _BOARD) / 3  # height of the opening of one drawer
        inside, low = self.width - 2 * _BOARD, self.plinth + _BOARD / 2
        shelves = [_wood((self.depth, inside, _BOARD), (0.0, 0.0, low + k * (rail + _BOARD)), finish) for k in range(4)]
        body = _link('body', [*_carcass(self.width, self.depth, self.height, self.plinth, finish), *shelves])
        heights = (low + (2.5 - k) * (rail + _BOARD) for k in range(3))
        drawers = [self._drawer(level, finish, z, rail) for level, z in zip(LEVELS, heights, strict=True)]
        return Mechanism(name, (body, *drawers), noun='cabinet')

    def _drawer(self, level: str, finish: Finish, z: float, rail: float) -> Link:
        """Return a drawer: an open box behind a front that is flush with the carcass; its frame is at the centre of the front."""
        width, height = self.width - 2 * _BOARD - 2 * _GAP, rail - 2 * _GAP
        length, across, deep = self.depth - 3 * _BOARD, width - 0.012, 0.65 * height
        middle, low = _BOARD + length / 2, -height / 2 + 0.004
        parts = [
            _wood((_BOARD, width, height), (_BOARD / 2, 0.0, 0.0), finish, front=True),
            _wood((length, across, _THIN), (middle, 0.0, low + _THIN / 2), finish),
            *(_wood((length, _THIN, deep), (middle, y, low + deep / 2), finish) for y in _either(across / 2 - _THIN / 2)),
            _wood((_THIN, across - 2 * _THIN, deep), (_BOARD + length - _THIN / 2, 0.0, low + deep / 2), finish),
        ]
        joint = Joint('prismatic', Pose((-self.depth / 2, 0.0, z)), _OUT, 0.0, self.travel, friction=2.0)
        depth, thick, long = BAR
        return _link(level, parts, 'body', joint, _pull((depth, long, thick), (0.0, 0.0), finish))


@dataclass(frozen=True)
class Cupboard:
    """Dimensions of a cupboard with a door hinged on the left, m: outer `width`, `depth`, `height` without the `plinth` below it."""

    width: float
    depth: float
    height: float
    _: KW_ONLY
    plinth: float

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the cupboard with its door closed."""
        d, middle, inside = self.depth, self.plinth + self.height / 2, self.width - 2 * _BOARD
        levels = [_wood((d, inside, _BOARD), (0.0, 0.0, middle + z), finish) for z in _either((self.height - _BOARD) / 2)]
        shelf = _wood((d - 0.06, inside, _BOARD), (0.03, 0.0, middle), finish)
        body = _link('body', [*_carcass(self.width, d, self.height, self.plinth, finish), *levels, shelf])
        width, height = inside - 2 * _GAP, self.height - 2 * _BOARD - 2 * _GAP
        leaf = _wood((_BOARD, width, height), (_BOARD / 2, -width / 2, 0.0), finish, front=True)
        hinge = Joint('revolute', Pose((-d / 2, width / 2, middle)), (0.0, 0.0, -1.0), 0.0, radians(90.0), friction=0.5)
        pull = _pull((BAR[0], BAR[1], 0.10), (-width + 0.04, 0.0), finish)
        return Mechanism(name, (body, _link(DOOR, [leaf], 'body', hinge, pull)), noun='cabinet')


@dataclass(frozen=True)
class Door:
    """Dimensions of a door in its frame, m and rad.

    Attributes:
        width, height: size of the leaf.
        lever: height of the handle above the table.
        turn: range of the handle.
        unlatch: angle of the handle from which on the door is free.
        side: 1 for a hinge on the left, -1 on the right.
        swing: range of the door, towards a person in front of it.
    """

    width: float
    height: float
    _: KW_ONLY
    lever: float
    turn: float
    unlatch: float
    side: int = 1
    swing: float = radians(60.0)

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the door, closed and latched."""
        return Mechanism(
            name,
            (self._frame(finish), self._leaf(finish), self._lever(finish)),
            noun='door',
            latches=(Latch(DOOR, LEVER, self.unlatch, radians(1.5)),),
        )

    def _frame(self, finish: Finish) -> Link:
        across, opening = self.width + 2 * (_POST + _GAP), self.height + 2 * _GAP
        posts = [_wood((0.05, _POST, opening), (0.0, y, _SILL + opening / 2), finish) for y in _either((across - _POST) / 2)]
        lintel = _wood((0.05, across, _POST), (0.0, 0.0, _SILL + opening + _POST / 2), finish)
        return _link('frame', [_wood((0.16, across, _SILL), (0.0, 0.0, _SILL / 2), finish), *posts, lintel])

    def _leaf(self, finish: Finish) -> Link:
        """Return the leaf with two raised panels; its frame is at the foot of the hinge."""
        w, h, s = self.width, self.height, self.side
        panel = h / 2 - 0.075
        parts = [_wood((_LEAF, w, h), (_LEAF / 2, -s * w / 2, h / 2), finish, front=True)]
        parts += [_wood((0.006, w - 0.16, panel), (-0.003, -s * (w / 2 - 0.02), h / 2 + z), finish) for z in _either(panel / 2 + 0.015)]
        hinge = Joint('revolute', Pose((-0.025, s * w / 2, _SILL + _GAP)), (0.0, 0.0, -float(s)), 0.0, self.swing, friction=1.0)
        return _link(DOOR, parts, 'frame', hinge)

    def _lever(self, finish: Finish) -> Link:
        """Return the handle, which points to the hinge and turns down; its frame is where its spindle meets the leaf."""
        s, long = self.side, 0.12
        spindle = Pose((0.0, -s * (self.width - 0.045), self.lever - _SILL - _GAP))
        turn = Joint('revolute', spindle, (-float(s), 0.0, 0.0), 0.0, self.turn, friction=0.25)
        plate = _metal((0.006, 0.044, 0.090), (-0.003, 0.0, 0.0), finish)
        bar = _metal((BAR[0], long, BAR[1]), (-STAND - BAR[0] / 2, s * (long / 2 - 0.012), 0.0), finish)
        return _link(LEVER, [plate], DOOR, turn, [bar, _rod(0.018, (0.0, 0.0), finish)])


MODELS: dict[str, Model] = {
    'drawer1': Chest(0.25, 0.25, 0.25, plinth=0.06, travel=0.2),
    'drawer2': Chest(0.36, 0.41, 0.45, plinth=0.04, travel=0.2),
    'drawer3': Chest(0.42, 0.40, 0.33, plinth=0.05, travel=0.3),
    'door1': Door(0.39, 0.91, lever=0.52, turn=radians(30.0), unlatch=radians(20.0)),
    'door2': Door(0.36, 0.80, lever=0.50, turn=radians(20.0), unlatch=radians(15.0), side=-1),
    'cabinet': Cupboard(0.34, 0.28, 0.42, plinth=0.05),
}
"""VLMbench's drawers and doors, and the cabinet of ARNOLD's tasks."""


def furniture(model: str, name: str, finish: str = 'oak') -> Mechanism:
    """Return a piece of that model at the origin, with everything closed.

    Raises:
        TaskError: there is no such model or finish.
    """
    if model not in MODELS:
        raise TaskError(f'There is no furniture called {model!r}. {near(model, MODELS)}')
    if finish not in FINISHES:
        raise TaskError(f'There is no finish called {finish!r}. {near(finish, FINISHES)}')
    return MODELS[model].make(name, FINISHES[finish])


def _carcass(width: float, depth: float, height: float, plinth: float, finish: Finish) -> list[Prop]:
    """Return plinth, sides and back."""
    middle, inside = plinth + height / 2, width - 2 * _BOARD
    return [
        _wood((depth - 0.03, width - 0.03, plinth), (0.015, 0.0, plinth / 2), finish),
        *(_wood((depth, _BOARD, height), (0.0, y, middle), finish) for y in _either((inside + _BOARD) / 2)),
        _wood((_BOARD, inside, height), ((depth - _BOARD) / 2, 0.0, middle), finish),
    ]


def _pull(bar: Vector, at: tuple[float, float], finish: Finish) -> list[Prop]:
    """Return a handle for a front with its centre at `at` (y, z): the bar, and the two rods that carry it."""
    apart = [0.3 * extent if extent == max(bar) else 0.0 for extent in bar[1:]]
    rods = [_rod(0.010, (at[0] + sign * apart[0], at[1] + sign * apart[1]), finish) for sign in (1, -1)]
    return [_metal(bar, (-STAND - bar[0] / 2, *at), finish), *rods]


def _rod(diameter: float, at: tuple[float, float], finish: Finish) -> Prop:
    """Return a rod that carries a handle at `at` (y, z) of a front."""
    pose = Pose.from_rpy((-STAND / 2, *at), (0.0, pi / 2, 0.0))
    return Prop('rod', 'cylinder', (diameter, diameter, STAND), finish.metal, _METAL * diameter**2 * STAND, pose=pose)


def _wood(size: Vector, at: Vector, finish: Finish, *, front: bool = False) -> Prop:
    mass = _WOOD * size[0] * size[1] * size[2]
    return Prop('board', 'cube', size, finish.front if front else finish.body, mass, pose=Pose(at), texture=finish.grain)


def _metal(size: Vector, at: Vector, finish: Finish) -> Prop:
    return Prop('bar', 'cube', size, finish.metal, _METAL * size[0] * size[1] * size[2], pose=Pose(at))


def _link(name: str, parts: Iterable[Prop], parent: str = '', joint: Joint | None = None, handle: Iterable[Prop] = ()) -> Link:
    """Return a link with numbered parts; the first part of `handle` is the one to grasp."""
    body = [replace(part, name=f'{name}_{i}') for i, part in enumerate(parts)]
    grip = [replace(part, name=f'{name}_handle_{i}') for i, part in enumerate(handle)]
    return Link(name, (*body, *grip), parent, joint, tuple(part.name for part in grip[:1]))


def _either(value: float) -> tuple[float, float]:
    return (value, -value)
