"""Parts of furniture: boards, the carcass, handles, and links made of them."""

from collections.abc import Iterable
from dataclasses import replace
from math import pi

from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.mechanisms import Joint, Link
from vlm_bench_sim.core.objects.furniture.finishes import Finish
from vlm_bench_sim.core.props import Prop

BAR = (0.016, 0.024, 0.060)
"""Depth, width and length of a handle's bar, m: fingers take it across or along, and a suction cup seals on its front."""

KNOB = (0.022, 0.030, 0.030)
"""Depth, width and height of a knob, m."""

INSET = 0.02
"""Distance from the ends of a rail to the edges of its front, m."""

STAND = 0.036
"""Clearance for fingertips between a front and its handle, m."""

BOARD, GAP = 0.012, 0.003
"""Thickness of a board, and the gap around what moves, m."""

_WOOD, _METAL = 450.0, 2700.0  # kg/m³


def carcass(width: float, depth: float, height: float, plinth: float, finish: Finish) -> list[Prop]:
    """Return plinth, sides and back."""
    middle, inside = plinth + height / 2, width - 2 * BOARD
    return [
        wood((depth - 0.03, width - 0.03, plinth), (0.015, 0.0, plinth / 2), finish),
        *(wood((depth, BOARD, height), (0.0, y, middle), finish) for y in either((inside + BOARD) / 2)),
        wood((BOARD, inside, height), ((depth - BOARD) / 2, 0.0, middle), finish),
    ]


def pull(size: Vector, at: tuple[float, float], finish: Finish) -> list[Prop]:
    """Return a handle of that size for a front, with its centre at `at` (y, z): a bar on two rods, or a knob on one."""
    grip, long = metal(size, (-STAND - size[0] / 2, *at), finish), max(size)
    if size[1] == size[2]:
        return [grip, rod(0.014, at, finish)]
    apart = [max(0.3 * long, long / 2 - 0.03) if extent == long else 0.0 for extent in size[1:]]
    return [grip, *(rod(0.010, (at[0] + sign * apart[0], at[1] + sign * apart[1]), finish) for sign in (1, -1))]


def rod(diameter: float, at: tuple[float, float], finish: Finish) -> Prop:
    """Return a rod that carries a handle at `at` (y, z) of a front."""
    pose = Pose.from_rpy((-STAND / 2, *at), (0.0, pi / 2, 0.0))
    return Prop('rod', 'cylinder', (diameter, diameter, STAND), finish.metal, _METAL * diameter**2 * STAND, pose=pose)


def wood(size: Vector, at: Vector, finish: Finish, *, front: bool = False) -> Prop:
    """Return a board of that size with its centre at `at`."""
    mass, color = _WOOD * size[0] * size[1] * size[2], finish.front if front else finish.body
    return Prop('board', 'cube', size, color, mass, pose=Pose(at), texture=finish.texture(front=front))


def metal(size: Vector, at: Vector, finish: Finish) -> Prop:
    """Return a metal bar of that size with its centre at `at`."""
    return Prop('bar', 'cube', size, finish.metal, _METAL * size[0] * size[1] * size[2], pose=Pose(at))


def link(name: str, parts: Iterable[Prop], parent: str = '', joint: Joint | None = None, handle: Iterable[Prop] = ()) -> Link:
    """Return a link with numbered parts; the first part of `handle` is the one to grasp."""
    body = [replace(part, name=f'{name}_{i}') for i, part in enumerate(parts)]
    grip = [replace(part, name=f'{name}_handle_{i}') for i, part in enumerate(handle)]
    return Link(name, (*body, *grip), parent, joint, tuple(part.name for part in grip[:1]))


def either(value: float) -> tuple[float, float]:
    """Return the value and its negative."""
    return (value, -value)
