"""The study: a room around the table whose walls, floor and furniture are visible but touch nothing."""

from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color, Texture
from vlm_bench_sim.core.props import Prop

FLOOR = -0.74
"""Height of the floor below the table's top, m: that of a desk."""

_OUTER = 2.0  # m; longer objects form the shell of a room
_FLAT = 0.02  # m; thinner objects lie or hang flat on something

_PLASTER, _TRIM = Color('plaster', (0.90, 0.88, 0.83)), Color('trim', (0.97, 0.97, 0.95))
_OAK, _WALNUT, _STEEL = Color('oak', (0.70, 0.53, 0.35)), Color('walnut', (0.40, 0.27, 0.18)), Color('steel', (0.55, 0.57, 0.60))
_GRAIN = Color('grain', (0.50, 0.36, 0.22))
_SKY, _LEAF, _CLAY = Color('sky', (0.72, 0.86, 0.97)), Color('leaf', (0.24, 0.48, 0.26)), Color('clay', (0.74, 0.42, 0.28))
_BOOKS = (
    Color('red', (0.70, 0.24, 0.20)),
    Color('blue', (0.22, 0.36, 0.60)),
    Color('sand', (0.85, 0.76, 0.58)),
    Color('moss', (0.36, 0.46, 0.30)),
)
_PLANKS = Texture('wood', _GRAIN, 0.18)


def throws(prop: Prop) -> bool:
    """Return whether a room object casts a shadow. Floor and walls do not, as light comes from outside, nor do flat objects."""
    return max(prop.size) <= _OUTER and min(prop.size) > _FLAT


def study() -> tuple[Prop, ...]:
    """Return a study: plank floor, two walls with a window and a picture, a bookcase, a plant, a stool, and the legs of the table."""
    return (*_shell(), *_window(), *_bookcase(), *_plant(), *_stool(), *_legs())


def _shell() -> tuple[Prop, ...]:
    return (
        _box('floor', (0.45, 0.0, FLOOR - 0.02), (4.4, 5.2, 0.04), _OAK, _PLANKS),
        _box('back_wall', (2.6, 0.0, FLOOR + 1.3), (0.08, 5.2, 2.6), _PLASTER),
        _box('near_wall', (-1.7, 0.0, FLOOR + 1.3), (0.08, 5.2, 2.6), _PLASTER),
        _box('side_wall', (0.45, -2.6, FLOOR + 1.3), (4.4, 0.08, 2.6), _PLASTER),
        _box('other_wall', (0.45, 2.6, FLOOR + 1.3), (4.4, 0.08, 2.6), _PLASTER),
        _box('skirting', (2.55, 0.0, FLOOR + 0.05), (0.02, 5.2, 0.10), _TRIM),
        _box(
            'rug',
            (1.55, 0.1, FLOOR + 0.003),
            (1.3, 2.4, 0.006),
            Color('rug', (0.62, 0.30, 0.26)),
            Texture('diamond', Color('ivory', (0.88, 0.82, 0.70)), 0.3),
        ),
        _box('picture_frame', (2.55, -1.35, 0.78), (0.03, 0.75, 0.55), _WALNUT),
        _box(
            'picture',
            (2.53, -1.35, 0.78),
            (0.02, 0.65, 0.45),
            Color('canvas', (0.87, 0.80, 0.62)),
            Texture('swirl', Color('teal', (0.16, 0.48, 0.50)), 0.35),
        ),
    )


def _window() -> tuple[Prop, ...]:
    pane = [_box(f'pane_{i}', (2.55, 0.55 * (i - 0.5), 0.75), (0.02, 0.50, 0.95), _SKY) for i in range(2)]
    sides = [_box(f'jamb_{i}', (2.54, 0.55 * (i - 1), 0.75), (0.05, 0.06, 1.07), _TRIM) for i in range(3)]
    return (
        *pane,
        *sides,
        _box('lintel', (2.54, 0.0, 1.26), (0.05, 1.16, 0.06), _TRIM),
        _box('sill', (2.50, 0.0, 0.25), (0.16, 1.26, 0.04), _TRIM),
    )


def _bookcase() -> tuple[Prop, ...]:
    boards = [_box(f'shelf_{i}', (2.38, 1.55, FLOOR + 0.02 + 0.36 * i), (0.32, 1.1, 0.03), _WALNUT) for i in range(6)]
    sides = [_box(f'bookcase_side_{i}', (2.38, 1.0 + 1.1 * i, FLOOR + 0.92), (0.32, 0.03, 1.84), _WALNUT) for i in range(2)]
    books = []
    for shelf in range(1, 5):
        for i in range(7 - shelf % 2):
            height = 0.20 + 0.015 * ((3 * i + 5 * shelf) % 5)
            y = 1.08 + 0.06 * i + 0.3 * (shelf % 2)
            at = (2.36, y, FLOOR + 0.035 + 0.36 * shelf + height / 2)
            books.append(_box(f'book_{shelf}_{i}', at, (0.20, 0.045, height), _BOOKS[(i + shelf) % len(_BOOKS)]))
    return (*boards, *sides, *books)


def _plant() -> tuple[Prop, ...]:
    leaves = [
        Prop(
            f'room_leaf_{i}', 'flower', (0.34, 0.34, 0.03), _LEAF, 1.0, ghost=True, noun='leaf',
            pose=Pose.from_rpy((2.15, -2.1, FLOOR + 0.55 + 0.13 * i), (0.35 * (-1) ** i, 0.3 - 0.25 * i, 0.9 * i)),
        )
        for i in range(4)
    ]  # fmt: skip
    return (
        _thing('pot', 'bowl', (2.15, -2.1, FLOOR + 0.17), (0.36, 0.36, 0.34), _CLAY),
        _thing('stem', 'cylinder', (2.15, -2.1, FLOOR + 0.55), (0.03, 0.03, 0.6), _LEAF),
        *leaves,
    )


def _stool() -> tuple[Prop, ...]:
    seat = _thing('stool_seat', 'cylinder', (1.55, 0.75, FLOOR + 0.45), (0.36, 0.36, 0.04), _OAK)
    feet = [
        _box(f'stool_leg_{i}', (1.55 + x, 0.75 + y, FLOOR + 0.22), (0.03, 0.03, 0.44), _STEEL)
        for i, (x, y) in enumerate(((0.11, 0.11), (-0.11, 0.11), (0.11, -0.11), (-0.11, -0.11)))
    ]
    return (seat, *feet)


def _legs() -> tuple[Prop, ...]:
    corners = [(x, y) for x in (-0.14, 0.84) for y in (-0.59, 0.59)]
    return tuple(_box(f'table_leg_{i}', (x, y, FLOOR / 2 - 0.02), (0.05, 0.05, -FLOOR - 0.04), _STEEL) for i, (x, y) in enumerate(corners))


def _box(name: str, at: Vector, size: Vector, color: Color, texture: Texture | None = None) -> Prop:
    return _thing(name, 'cube', at, size, color, texture=texture)


def _thing(name: str, kind: str, at: Vector, size: Vector, color: Color, *, texture: Texture | None = None) -> Prop:
    return Prop(f'room_{name}', kind, size, color, 1.0, pose=Pose(at), ghost=True, noun=name.replace('_', ' '), texture=texture)
