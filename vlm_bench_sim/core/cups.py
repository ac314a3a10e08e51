"""Ten cups for water that is poured in parts: open vessels of about the same capacity, with and without a handle or a foot.

Sixty beads of 14 mm fill them to four fifths. They are narrow in comparison with the beads, so the water leaves over a wide range of tilts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.solids import Solid
from vlm_bench_sim.core.vessels import Handle, vessel

CUPFUL, RADIUS, MASS = 60, 0.007, 0.0013
"""Beads in a full cup; the radius of each in m, and its mass in kg."""

WALL, FLOOR = 3.0, 4.0
"""Thickness of wall and floor, mm."""

Level = tuple[float, float]
"""Height and outer radius, mm."""


@dataclass(frozen=True)
class _Cup:
    """The form of a cup, mm.

    Attributes:
        levels: outside of the cup, from the bottom to the rim.
        handle: heights of the ends and reach of its handle; empty for none.
        span: extent of cup and handle together; 0 without a handle.
        foot: a full foot below the bottom, from the lowest level up.
    """

    levels: Sequence[Level]
    handle: Sequence[float] = ()
    span: float = 0.0
    foot: Sequence[Level] = ()

    @property
    def size(self) -> Vector:
        """Bounding extents, (3,) m."""
        width = 2 * max(radius for _, radius in (*self.levels, *self.foot))
        return (1e-3 * width, 1e-3 * (self.span or width), 1e-3 * self.levels[-1][0])

    def make(self) -> Solid:
        """Return the solid."""
        levels = [(1e-3 * z, 1e-3 * r, 1e-3 * (r - wall)) for (z, r), wall in zip(self.levels, self._walls(), strict=True)]
        handle = Handle(*(1e-3 * value for value in self.handle)) if self.handle else None
        return vessel(levels, 1e-3 * FLOOR, handle=handle, foot=[(1e-3 * z, 1e-3 * r) for z, r in self.foot])

    def _walls(self) -> list[float]:
        """Return the distance between inner and outer radius at each level: more where the wall leans, but not at the rim."""
        leans = [hypot(1.0, (b[1] - a[1]) / (b[0] - a[0])) for a, b in pairwise(self.levels)]
        return [WALL * max(pair) for pair in pairwise([leans[0], *leans])] + [WALL]


_CUPS = (
    # A straight tumbler.
    _Cup([(0, 38.5), (66, 38.5)]),
    # Tapered, with a handle.
    _Cup([(0, 31), (78, 39.5)], handle=(15, 64, 30), span=107.8),
    # Bellied, with a handle.
    _Cup([(0, 29), (10, 36), (24, 40), (42, 39.5), (58, 37), (66, 37)], handle=(12, 54, 30), span=109.9),
    # A beaker that flares at the rim.
    _Cup([(0, 35.5), (44, 35.5), (56, 36.5), (66, 38), (74, 40)]),
    # A bowl on a low foot, with a handle.
    _Cup([(6, 26), (12, 34), (22, 38), (42, 40), (72, 40)], handle=(22, 60, 30), span=111.9, foot=[(0, 26), (4, 24)]),
    # Narrower at the rim than at the bottom, with a handle.
    _Cup([(0, 40), (66, 36)], handle=(14, 56, 30), span=110.9),
    # A tulip: a round body below a throat.
    _Cup([(0, 22), (10, 32), (24, 38), (38, 39), (54, 35.5), (64, 35.5), (74, 39)]),
    # Stepped, with a handle.
    _Cup([(0, 35.5), (36, 35.5), (42, 40), (73, 40)], handle=(10, 62, 32), span=112.6),
    # A goblet on a stem.
    _Cup([(38, 26), (46, 36), (58, 39.5), (82, 40), (104, 39)], foot=[(0, 32), (3, 31), (8, 12), (28, 9), (35, 14)]),
    # A glass on a pedestal, narrower at the rim, with a handle.
    _Cup(
        [(24, 27), (32, 36), (44, 40), (62, 39), (90, 37)],
        handle=(36, 80, 30),
        span=110.3,
        foot=[(0, 36), (4, 36), (9, 22), (16, 20), (22, 22)],
    ),
)


CUPS: dict[str, Callable[[], Solid]] = {f'cup{i}': cup.make for i, cup in enumerate(_CUPS)}
"""Names of these solids."""

CUP_SIZES: dict[str, Vector] = {f'cup{i}': cup.size for i, cup in enumerate(_CUPS)}
"""Their usual bounding extents, (3,) m."""
