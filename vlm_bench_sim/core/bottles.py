"""Ten bottles: full solids of revolution with one profile each.

Every bottle stands on a flat foot. A band of its greatest width at either end carries it when it lies, with its axis level.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import cos, pi, sin

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.solids import Solid
from vlm_bench_sim.core.vessels import SIDES, turned

FACET = pi / SIDES
"""Angle about its axis, rad, by which a bottle whose x points down is turned so that it lies on a facet, not on an edge."""

Level = tuple[float, float]
"""Height and radius, mm."""

_STEPS = 5  # straight pieces of a rounded shoulder


def _bulge(low: Level, high: Level) -> list[Level]:
    """Return the levels of a rounded shoulder, without its first one: from upright at `low` to level at `high`."""
    (z, wide), (top, narrow) = low, high
    angles = [pi / 2 * k / _STEPS for k in range(1, _STEPS + 1)]
    return [(z + (top - z) * sin(a), narrow + (wide - narrow) * cos(a)) for a in angles]


def _hollow(low: Level, high: Level) -> list[Level]:
    """Return the levels of a hollow, without its first one: from upright at `low` to upright at `high`."""
    (z, first), (top, last) = low, high
    shares = [k / (2 * _STEPS) for k in range(1, 2 * _STEPS + 1)]
    return [(z + (top - z) * s, first + (last - first) * (1 - cos(pi * s)) / 2) for s in shares]


_PROFILES: tuple[Sequence[Level], ...] = (
    # Wine: high square shoulders below a long neck with a lip.
    [(0, 31), (5, 32), (142, 32), *_bulge((142, 32), (166, 12)), (168, 11), (222, 11), (223, 13), (231, 13), (232, 12), (240, 12)],
    # Beer: the shoulder runs into the neck without an edge; a crown cap.
    [(0, 28), (5, 29), (102, 29), *_hollow((102, 29), (176, 12)), (200, 11), (201, 14), (207, 14), (210, 11)],
    # Water: two grooves around the body, a dome, and a screw cap.
    [(0, 30), (5, 31), (44, 31), (49, 28.5), (54, 31), (84, 31), (89, 28.5), (94, 31), (146, 31), *_bulge((146, 31), (192, 13)),
     (198, 12), (199, 14.5), (214, 14.5)],
    # Sauce: a straight cone from the body to the nozzle.
    [(0, 27), (5, 28), (92, 28), (148, 15), (149, 17), (158, 17), (160, 8), (186, 4.5)],
    # Medicine: short, with a wide cap.
    [(0, 28), (5, 30), (98, 30), *_bulge((98, 30), (108, 20)), (113, 20), (114, 24), (139, 24), (140, 23)],
    # Shampoo: straight up to flat shoulders, with a small cap.
    [(0, 30), (5, 31), (158, 31), *_bulge((158, 31), (166, 20)), (167, 13), (169, 12), (194, 11), (195, 10)],
    # Milk: a long cone below a wide mouth.
    [(0, 30), (3, 31), (118, 31), (136, 29), (184, 19.5), (197, 19), (198, 22), (214, 22), (215, 21)],
    # Flask: the body narrows to the foot below a wide round shoulder.
    [(0, 21), (3, 22), (22, 27), (42, 32), (50, 33), (106, 33), *_bulge((106, 33), (140, 10)), (152, 9.5), (153, 12), (158, 12), (160, 11)],
    # Two equal barrels with a deep waist between them.
    [(0, 28), (3, 30), (56, 30), *_hollow((56, 30), (84, 15)), *_hollow((108, 15), (136, 30)), (188, 30), (196, 26), (197, 14), (206, 14)],
    # A tube on its cap: narrow below, wide up to its end.
    [(0, 20), (4, 23), (44, 23), (46, 25), (72, 31), (186, 31), *_bulge((186, 31), (196, 18))],
)  # fmt: skip


def _size(profile: Sequence[Level]) -> Vector:
    width = 2e-3 * max(radius for _, radius in profile)
    return (width, width, 1e-3 * profile[-1][0])


BOTTLES: dict[str, Callable[[], Solid]] = {f'bottle{i}': partial(turned, profile) for i, profile in enumerate(_PROFILES)}
"""Names of these solids."""

BOTTLE_SIZES: dict[str, Vector] = {f'bottle{i}': _size(profile) for i, profile in enumerate(_PROFILES)}
"""Their usual bounding extents, (3,) m."""
