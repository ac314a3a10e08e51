"""Parts of furniture: shapes in the frame of a piece, each with a role in the palette of its room.

In a piece's frame z is up from the piece's foot, y points from its back, at 0, to its front, and x runs across, with the middle at 0. Left
and right are as seen by a person who stands behind the piece and looks the way it faces.
"""

from dataclasses import dataclass, replace
from itertools import product
from math import pi

from vlm_bench_sim.core.geometry import ZERO, Vector

Range = tuple[float, float]
"""From and to, m."""


@dataclass(frozen=True)
class Part:
    """One shape of a piece.

    Attributes:
        role: what it is made of: a role of `palettes.Palette`.
        kind: a shape of `core.shapes`.
        at: its centre in the piece's frame, m.
        size: its extents, m.
        rpy: how it is turned about its centre: fixed-axis roll, pitch and yaw, rad.
        firm: False for what a robot cannot feel, such as leaves and knobs; it collides with nothing, wherever the piece stands.
    """

    role: str
    kind: str
    at: Vector
    size: Vector
    rpy: Vector = ZERO
    firm: bool = True


Parts = tuple[Part, ...]


def slab(role: str, x: Range, y: Range, z: Range, *, kind: str = 'cube') -> Part:
    """Return a box, or another upright prism, that fills these ranges."""
    ranges = (x, y, z)
    a, b, c = ((low + high) / 2 for low, high in ranges)
    d, e, f = (high - low for low, high in ranges)
    return Part(role, kind, (a, b, c), (d, e, f))


def rod(role: str, at: tuple[float, float], across: float, z: Range) -> Part:
    """Return an upright cylinder of a diameter `across`, m."""
    return Part(role, 'cylinder', (*at, (z[0] + z[1]) / 2), (across, across, z[1] - z[0]))


def disc(role: str, at: Vector, across: float, deep: float) -> Part:
    """Return a flat cylinder that faces to the front, such as a clock or a knob."""
    return Part(role, 'cylinder', at, (across, across, deep), (pi / 2, 0.0, 0.0), firm=False)


def soft(*parts: Part) -> Parts:
    """Return the same parts, none of which collides with anything."""
    return tuple(replace(part, firm=False) for part in parts)


def moved(parts: Parts, by: Vector) -> Parts:
    """Return the parts moved by a vector, m."""
    return tuple(replace(part, at=(part.at[0] + by[0], part.at[1] + by[1], part.at[2] + by[2])) for part in parts)


def legs(role: str, size: Vector, *, thick: float = 0.05, inset: float = 0.02, foot: float = 0.0) -> Parts:
    """Return four square legs below a piece of that width and depth, from the height `foot` to its height, m."""
    width, depth, height = size
    xs, ys = ((-width / 2 + inset, width / 2 - inset - thick), (inset, depth - inset - thick))
    return tuple(slab(role, (x, x + thick), (y, y + thick), (foot, height)) for x, y in product(xs, ys))


def row(across: Range, count: int, gap: float = 0.006) -> tuple[Range, ...]:
    """Return `count` equal ranges side by side, `gap` apart from each other and from both ends, m."""
    wide = (across[1] - across[0] - gap * (count + 1)) / count
    return tuple((across[0] + gap + i * (wide + gap), across[0] + (i + 1) * (wide + gap)) for i in range(count))


def fronts(role: str, across: Range, y: float, up: Range, *, columns: int = 1, rows: int = 1, thick: float = 0.016) -> Parts:
    """Return fronts of doors or drawers on a body whose own front is at `y`."""
    return tuple(slab(role, x, (y, y + thick), z) for x, z in product(row(across, columns), row(up, rows)))


def pulls(role: str, panels: Parts, *, upright: bool = False, high: float = 0.5) -> Parts:
    """Return a handle on each front: a bar across its middle, or an upright one at a height (share of the front)."""
    found = []
    for i, panel in enumerate(panels):
        (x, y, z), (width, thick, height) = panel.at, panel.size
        front = y + thick / 2
        if upright:
            x += (0.5 * width - 0.04) * (-1) ** (i % 2)
            z += (high - 0.5) * height
            found.append(slab(role, (x - 0.008, x + 0.008), (front, front + 0.02), (z - 0.07, z + 0.07)))
        else:
            half = min(0.07, 0.3 * width)
            found.append(slab(role, (x - half, x + half), (front, front + 0.02), (z - 0.008, z + 0.008)))
    return soft(*found)
