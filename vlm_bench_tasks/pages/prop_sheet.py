"""Contact sheets of props, textures and tables, as rendered by the bench."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.household import HOUSEHOLD
from vlm_bench_sim.core.looks import MATERIALS, PATTERNS, SIMPLE, TABLES, Color, Look, Texture
from vlm_bench_sim.core.objects.instances import BOTTLES, CUPS
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_sim.core.shapes import kinds, spoken, usual_size
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer

TILE = 200
_CAPTION, _GAP = 22, 4
_PAPER, _INK = (250, 250, 248), (50, 50, 50)
_COLORS = ((0.16, 0.45, 0.85), (0.85, 0.30, 0.22), (0.20, 0.62, 0.35), (0.93, 0.68, 0.12), (0.52, 0.32, 0.70))
_WHITE = Color('white', (0.94, 0.94, 0.92))
_MADE_OF = {look.texture.pattern: look for look in MATERIALS.values() if look.texture}
LIGHT = Light((0.75, 0.10, 0.80))
_MIDDLE = np.array([0.45, 0.0, 0.0])
_DISTANCE, _MARGIN = 2.4, 1.25


@dataclass(frozen=True)
class _View:
    """The view that shows a shape best: yaw (rad), viewpoint `eye`, color and texture."""

    yaw: float = 0.5
    eye: Vector = (0.30, 0.74, 0.62)
    look: Look | None = None


_ABOVE: Vector = (0.20, 0.62, 0.85)
_SUN = Color('sun', (0.97, 0.80, 0.24))
_VIEWS = {
    'pencil': _View(2.75, (0.20, 0.74, 0.50), Look(_SUN)),
    'sponge': _View(0.3, look=Look(_SUN, Texture('speckle', Color('pore', (0.80, 0.60, 0.12)), 0.010))),
    'ball': _View(look=Look(Color('ball', (0.86, 0.33, 0.22)), Texture('stripe', _WHITE, 0.033))),
    'basket': _View(0.4, look=Look(Color('willow', (0.72, 0.52, 0.30)), Texture('brick', Color('shade', (0.56, 0.38, 0.20)), 0.016))),
    'bottle': _View(look=Look(Color('glass', (0.16, 0.46, 0.28)))),
    'moon': _View(2.2, _ABOVE, Look(_SUN)),
    'star': _View(0.2, _ABOVE, Look(_SUN)),
    'letter_t': _View(2.9, _ABOVE),
    'triangular_prism': _View(0.2, _ABOVE),
    'pentagon': _View(0.3, _ABOVE),
    'shape_sorter': _View(0.35, _ABOVE),
    'zone': _View(0.5, _ABOVE),
}


def shapes() -> list[tuple[str, Bytes]]:
    """Return a tile of every shape in its usual size, with its name, but not of those that have a sheet of their own."""
    return [(spoken(kind), _shape(kind, i)) for i, kind in enumerate(kinds()) if kind not in BOTTLES | CUPS | HOUSEHOLD]


def _shape(kind: str, i: int) -> Bytes:
    view = _VIEWS.get(kind, _View(eye=_ABOVE) if kind.endswith('area') else _View())
    prop = Prop('one', kind, usual_size(kind), Color('some', _COLORS[i % len(_COLORS)]), 0.1)
    return alone(prop if view.look is None else prop.dressed(view.look), view=view)


def textures() -> Bytes:
    """Return a sheet of every texture on a cube, followed by every table material."""
    tiles = []
    for i, pattern in enumerate(PATTERNS):
        texture = Texture(pattern, Color('some', _COLORS[i % len(_COLORS)]), 0.025)
        usual = Look(_WHITE, texture) if pattern in SIMPLE else _MADE_OF.get(pattern, Look(_WHITE, texture))
        tiles.append((pattern, alone(Prop('one', 'cube', (0.08, 0.08, 0.08), _WHITE, 0.1).dressed(usual))))
    mug = Prop('one', 'mug1', usual_size('mug1'), Color('some', _COLORS[0]), 0.1)
    return sheet([*tiles, *((f'table: {name}', alone(mug, _table(look), far=1.9)) for name, look in TABLES.items())], columns=4)


def _table(look: Look) -> Table:
    return Table(color=look.color, texture=look.texture)


def sheet(tiles: Sequence[tuple[str, Bytes]], *, columns: int, captions: bool = True) -> Bytes:
    """Return tiles of equal size as one picture, row by row, with captions below them if `captions`."""
    framed = [_captioned(text if captions else '', picture) for text, picture in tiles]
    blank = np.full_like(framed[0], _PAPER)
    framed += [blank] * (-len(framed) % columns)
    rows = [np.hstack(framed[i : i + columns]) for i in range(0, len(framed), columns)]
    return np.vstack(rows)


def _captioned(text: str, picture: Bytes) -> Bytes:
    strip = np.full((_CAPTION, picture.shape[1], 3), _PAPER, dtype=np.uint8)
    cv2.putText(strip, text, (6, _CAPTION - 7), cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA)
    framed = np.vstack([picture, strip])
    framed[:, -_GAP:] = _PAPER
    return framed


def alone(prop: Prop, table: Table | None = None, *, view: _View | None = None, far: float = 1.0) -> Bytes:
    """Return a picture of a prop on a table; it fills the tile, or is seen from `far` times that distance."""
    view = view or _View()
    standing = prop.at(Pose.from_rpy((_MIDDLE[0], _MIDDLE[1], prop.size[2] / 2), (0.0, 0.0, view.yaw)))
    return together((standing,), table=table, eye=view.eye, far=far)


def together(
    props: tuple[Prop, ...],
    *,
    table: Table | None = None,
    eye: Vector = (0.30, 0.74, 0.62),
    far: float = 1.0,
    down: bool = False,
    size: int = TILE,
) -> Bytes:
    """Return a picture of props at their poses, from the side of `eye`; `down`: include the table below them."""
    corners = np.concatenate([prop.pose.apply(prop.solid.vertices) for prop in props])
    corners = np.concatenate([corners, corners * (1.0, 1.0, 0.0)]) if down else corners
    renderer = _renderer()
    renderer.load(Scene(tuple(replace(prop, name=f'p{i}') for i, prop in enumerate(props)), table=table or Table(), light=LIGHT))
    poses = {f'p{i}': prop.pose for i, prop in enumerate(props)}
    return renderer.render(fitted(corners, eye, size=size, far=far), poses, {}, samples=3).color


@cache
def _renderer() -> Renderer:
    return Renderer(robot('panda'))


def fitted(corners: Floats, eye: Vector, *, size: int = TILE, far: float = 1.0) -> Camera:
    """Return a camera on the side of `eye` that shows all corners, (n, 3) m in the world, with a margin."""
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    extent = float(np.linalg.norm(np.ptp(corners, axis=0)))
    at = middle + np.asarray(eye) / np.linalg.norm(eye) * _DISTANCE * extent
    pose = Pose.look_at(vector(at), vector(middle))
    x, y, z = pose.inverse().apply(corners).T
    fov = 2 * float(np.arctan(far * _MARGIN * max(np.abs(x / z).max(), np.abs(y / z).max())))
    return Camera('sheet', pose, fov=fov, width=size, height=size)
