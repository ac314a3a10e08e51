"""All shapes by name: ours, and those that extensions bring, such as acme_bench.wedge, where somebody finds them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from vlm_bench_sim.core.bottles import BOTTLE_SIZES, BOTTLES
from vlm_bench_sim.core.cups import CUP_SIZES, CUPS
from vlm_bench_sim.core.errors import SceneError, VlmBenchError, near, quoted
from vlm_bench_sim.core.figures import FIGURES
from vlm_bench_sim.core.geometry import Box, Vector
from vlm_bench_sim.core.household import HOUSEHOLD, HOUSEHOLD_SIZES
from vlm_bench_sim.core.objects.sorter import shape_sorter
from vlm_bench_sim.core.solids import Solid, boxes, prism
from vlm_bench_sim.core.vessels import VESSELS


@dataclass(frozen=True, eq=False)
class Foreign:
    """A shape that an extension brings.

    Attributes:
        unit: its unit solid, rounded.
        size: usual bounding extents, (3,) m.
        mass: at this size, kg.
        friction: Coulomb coefficient of its surface.
    """

    unit: Solid
    size: Vector
    mass: float
    friction: float


_FINDERS: list[tuple[Callable[[str], Foreign], Callable[[], tuple[str, ...]]]] = []


def find_foreign(shape: Callable[[str], Foreign], names: Callable[[], tuple[str, ...]]) -> None:
    """Let functions find the shapes of extensions.

    Args:
        shape: returns the shape of a kind that is not ours; it may raise a VlmBenchError that says why it does not.
        names: returns the kinds that it finds here.
    """
    _FINDERS[:] = [(shape, names)]


def foreign(kind: str) -> Foreign | None:
    """Return the shape of a kind that an extension brings; None for one of ours.

    Raises:
        SceneError: the kind is unknown, or its shape cannot be used.
    """
    if kind in _SHAPES:
        return None
    try:
        for shape, _ in _FINDERS if '.' in kind else ():
            return shape(kind)
    except VlmBenchError as error:
        raise SceneError(f'There is no shape called {quoted(kind)} here. {error}') from error
    raise SceneError(f'There is no shape called {quoted(kind)}. {near(kind, kinds())}')


def spoken(kind: str) -> str:
    """Return a kind in words, without the name of an extension, for example 'triangular prism'."""
    return kind.rpartition('.')[2].replace('_', ' ')


def solid(kind: str) -> Solid:
    """Return the unit solid of a kind.

    Raises:
        SceneError: the kind is unknown.
    """
    brought = foreign(kind)
    return _unit(kind) if brought is None else brought.unit


@cache
def _unit(kind: str) -> Solid:
    return _SHAPES[kind]().rounded()


@lru_cache(maxsize=256)
def sized(kind: str, size: Vector) -> Solid:
    """Return the solid of a kind at bounding extents `size`, m.

    Raises:
        SceneError: the kind is unknown.
    """
    return solid(kind).scaled(size)


def usual_size(kind: str) -> Vector:
    """Return the usual bounding extents (3,) m of a kind: VLMbench's, if it has such an object.

    Tasks draw wiped areas 1 mm thick, and nothing touches them. Here they are thick enough to be touched.

    Raises:
        SceneError: the kind is unknown.
    """
    brought = foreign(kind)
    return _SIZES.get(kind, (0.04, 0.04, 0.04)) if brought is None else brought.size


def kinds() -> tuple[str, ...]:
    """Return the names of all shapes, also of those that extensions bring."""
    return (*sorted(_SHAPES), *(name for _, names in _FINDERS for name in names()))


def _tray() -> Solid:
    # Wall and floor thickness of the 0.20 × 0.125 × 0.05 m tray: 4 mm (shares of the unit box).
    wx, wy, floor = 0.004 / 0.20, 0.004 / 0.125, 0.004 / 0.05
    inner: Vector = (1 - 2 * wx, 1 - 2 * wy, 1 - floor)
    walls = [
        Box((0.0, 0.0, -0.5 + floor / 2), (1.0, 1.0, floor)),
        Box((-0.5 + wx / 2, 0.0, floor / 2), (wx, 1.0, 1 - floor)),
        Box((0.5 - wx / 2, 0.0, floor / 2), (wx, 1.0, 1 - floor)),
        Box((0.0, -0.5 + wy / 2, floor / 2), (inner[0], wy, 1 - floor)),
        Box((0.0, 0.5 - wy / 2, floor / 2), (inner[0], wy, 1 - floor)),
    ]
    return boxes(walls, Box((0.0, 0.0, floor / 2), inner))


def _zone() -> Solid:
    # LoHoRavens' zone: a hollow square frame, 0.12 m outside with a rim of 6 mm.
    rim = 0.006 / 0.12
    across, along = (1.0, rim, 1.0), (rim, 1.0 - 2 * rim, 1.0)
    sides = [Box((0.0, y, 0.0), across) for y in (-0.5 + rim / 2, 0.5 - rim / 2)]
    return boxes([*sides, *(Box((x, 0.0, 0.0), along) for x in (-0.5 + rim / 2, 0.5 - rim / 2))])


def _prism(kind: str) -> Callable[[], Solid]:
    return lambda: prism(FIGURES[kind]())


_SHAPES: dict[str, Callable[[], Solid]] = (
    {kind: _prism(kind) for kind in FIGURES}
    | VESSELS
    | BOTTLES
    | CUPS
    | HOUSEHOLD
    | {'tray': _tray, 'zone': _zone, 'shape_sorter': shape_sorter}
)

_SIZES: dict[str, Vector] = (
    BOTTLE_SIZES
    | CUP_SIZES
    | HOUSEHOLD_SIZES
    | {
        'star': (0.055, 0.052, 0.035),
        'triangular_prism': (0.046, 0.040, 0.039),
        'cylinder': (0.046, 0.046, 0.042),
        'cube': (0.042, 0.042, 0.042),
        'moon': (0.054, 0.055, 0.039),
        'letter_t': (0.080, 0.079, 0.040),
        'cross': (0.078, 0.080, 0.039),
        'flower': (0.081, 0.081, 0.041),
        'tray': (0.20, 0.125, 0.05),
        'basket': (0.091, 0.153, 0.091),
        'mug1': (0.100, 0.139, 0.108),
        'mug2': (0.098, 0.134, 0.113),
        'mug3': (0.117, 0.188, 0.159),
        'mug4': (0.107, 0.138, 0.097),
        'mug5': (0.088, 0.123, 0.133),
        'mug6': (0.101, 0.140, 0.107),
        'bowl': (0.12, 0.12, 0.045),
        'bottle': (0.066, 0.066, 0.20),
        'pencil': (0.0175, 0.328, 0.015),
        'ball': (0.066, 0.066, 0.066),
        'sponge': (0.125, 0.058, 0.033),
        'zone': (0.12, 0.12, 0.002),
        'shape_sorter': (0.24, 0.24, 0.186),
        'rectangle_area': (0.30, 0.10, 0.003),
        'round_area': (0.20, 0.20, 0.003),
        'star_area': (0.33, 0.31, 0.003),
        'triangle_area': (0.20, 0.30, 0.003),
        'cross_area': (0.30, 0.10, 0.003),
        'flower_area': (0.25, 0.25, 0.003),
    }
)
