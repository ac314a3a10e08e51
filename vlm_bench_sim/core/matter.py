"""Matter: what is poured and what is wiped away."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.looks import Colour

WATER = Colour('water', (0.1, 0.1, 0.9))
SOIL = Colour('dirt', (0.58, 0.29, 0.0))


@serialisable
@dataclass(frozen=True)
class Beads:
    """A group of small balls; water is beads.

    Attributes:
        name: unique in the scene.
        centres: where they begin, (n, 3) m in the world; they fall and rest while the scene settles.
        radius: m.
        mass: of each, kg.
        colour: what they look like.
    """

    name: str
    centres: tuple[Vector, ...]
    radius: float = 0.0025
    mass: float = 1e-4
    colour: Colour = WATER


@serialisable
@dataclass(frozen=True)
class Dirt:
    """A patch of specks that only a wiper in contact removes.

    Attributes:
        name: unique in the scene.
        centres: of the specks, (n, 3) m in the world; they lie still.
        wiper: name of the prop that removes them.
        size: extents of a speck, (3,) m.
        colour: what they look like.
    """

    name: str
    centres: tuple[Vector, ...]
    wiper: str
    size: Vector = (0.005, 0.005, 0.001)
    colour: Colour = SOIL
