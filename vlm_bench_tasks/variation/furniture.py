"""Models of furniture: cabinets with drawers or a door, and doors with a handle that unlatches them.

In a mechanism's frame z is up, the table is at 0, and the front looks along -x, so that a piece at yaw 0 faces the robot.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from itertools import count
from math import pi, radians

from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.looks import Colour, Texture
from vlm_bench_sim.core.mechanisms import Joint, Latch, Link, Mechanism
from vlm_bench_sim.core.props import Prop

LEVELS = ('top', 'middle', 'bottom')
"""Drawers of a chest, from above."""

DOOR, LEVER = 'door', 'handle'
"""Links of what opens on a hinge."""

BAR: Vector = (0.012, 0.060, 0.024)
"""A handle's bar, m: a cup seals on its front; fingers take it across or along."""

_STAND = 0.036  # m between a front and its bar
_BOARD, _THIN, _GAP = 0.012, 0.006, 0.003  # m
_WOOD, _METAL = 600.0, 2700.0  # kg/m³
_OUT: Vector = (-1.0, 0.0, 0.0)
_UP: Vector = (0.0, 0.0, 1.0)
_ALONG_X = (0.0, pi / 2, 0.0)


@dataclass(frozen=True)
class Finish:
    """What a piece looks like.

    Attributes:
        body: of what stands fixed.
        front: of what moves.
        metal: of handles.
        grain: drawn over body and front; None: painted.
    """

    body: Colour
    front: Colour
    metal: Colour
    grain: Texture | None = None


STEEL, BRASS, IRON = Colour('steel', (0.66, 0.68, 0.70)), Colour('brass', (0.82, 0.66, 0.36)), Colour('iron', (0.24, 0.25, 0.27))
FINISHES = {
    'oak': Finish(
        Colour('oak', (0.70, 0.52, 0.33)),
        Colour('oak', (0.80, 0.62, 0.42)),
        IRON,
        Texture('wood', Colour('grain', (0.60, 0.43, 0.26)), 0.10),
    ),
    'walnut': Finish(
        Colour('walnut', (0.42, 0.28, 0.18)),
        Colour('walnut', (0.52, 0.35, 0.23)),
        BRASS,
        Texture('wood', Colour('grain', (0.34, 0.22, 0.14)), 0.10),
    ),
    'white': Finish(Colour('white', (0.82, 0.82, 0.80)), Colour('white', (0.93, 0.93, 0.91)), STEEL),
    'sage': Finish(Colour('sage', (0.52, 0.60, 0.52)), Colour('sage', (0.63, 0.71, 0.62)), BRASS),
    'slate': Finish(Colour('slate', (0.30, 0.36, 0.43)), Colour('slate', (0.38, 0.45, 0.53)), STEEL),
}
"""Finishes that any model can have."""


@dataclass(frozen=True)
class _Maker:
    """Makes parts with names of their own."""

    finish: Finish

    def __post_init__(self) -> None:
        object.__setattr__(self, '_numbers', count())

    def body(self, size: Vector, at: Vector) -> Prop:
        return self._part('board', 'cube', size, Pose(at), self.finish.body, self.finish.grain, _WOOD)

    def front(self, size: Vector, at: Vector) -> Prop:
        return self._part('front', 'cube', size, Pose(at), self.finish.front, self.finish.grain, _WOOD)

    def bar(self, size: Vector, at: Vector) -> Prop:
        return self._part('bar', 'cube', size, Pose(at), self.finish.metal, None, _METAL)

    def rod(self, diameter: float, length: float, at: Vector, rpy: Vector = _ALONG_X) -> Prop:
        return self._part('rod', 'cylinder', (diameter, diameter, length), Pose.from_rpy(at, rpy), self.finish.metal, None, _METAL)

    def _part(self, name: str, kind: str, size: Vector, pose: Pose, colour: Colour, texture: Texture | None, density: float) -> Prop:
        mass = density * size[0] * size[1] * size[2]
        return Prop(f'{name}_{next(self._numbers)}', kind, size, colour, mass, pose=pose, noun=name, texture=texture)
