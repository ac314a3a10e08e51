"""Contact sheets of the props, the textures and the tables, as the bench draws them."""

from collections.abc import Sequence

import cv2
import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import PATTERNS, Colour, Texture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene, Table
from vlm_bench_sim.core.shapes import kinds, usual_size
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer

TILE = 200
_CAPTION = 22
_PAPER, _INK = (250, 250, 248), (50, 50, 50)
_COLOURS = ((0.16, 0.45, 0.85), (0.85, 0.30, 0.22), (0.20, 0.62, 0.35), (0.93, 0.68, 0.12), (0.52, 0.32, 0.70))
_EYE = np.array([0.30, 0.74, 0.62])
_WHITE = Colour('white', (0.94, 0.94, 0.92))

TABLES = {
    'beech': Table(),
    'oak': Table(colour=Colour('oak', (0.76, 0.58, 0.38)), texture=Texture('wood', Colour('grain', (0.55, 0.38, 0.22)), 0.12)),
    'marble': Table(colour=Colour('marble', (0.90, 0.90, 0.88)), texture=Texture('marble', Colour('vein', (0.62, 0.62, 0.64)), 0.15)),
    'slate': Table(colour=Colour('slate', (0.34, 0.36, 0.39)), texture=Texture('speckle', Colour('grain', (0.42, 0.44, 0.47)), 0.03)),
}
"""Materials of tables."""


def props() -> Bytes:
    """Return a sheet of every shape in its usual size."""
    things = [Prop('one', kind, usual_size(kind), Colour('some', _COLOURS[i % len(_COLOURS)]), 0.1) for i, kind in enumerate(kinds())]
    return sheet([(thing.kind.replace('_', ' '), _alone(thing, Table())) for thing in things], columns=6)


def textures() -> Bytes:
    """Return a sheet of every pattern on a cube, then of every material of a table."""
    tiles = []
    for i, pattern in enumerate(PATTERNS):
        texture = Texture(pattern, Colour('some', _COLOURS[i % len(_COLOURS)]), 0.025)
        tiles.append((pattern, _alone(Prop('one', 'cube', (0.08, 0.08, 0.08), _WHITE, 0.1, texture=texture), Table())))
    mug = Prop('one', 'mug1', usual_size('mug1'), Colour('some', _COLOURS[0]), 0.1)
    return sheet([*tiles, *((f'table: {name}', _alone(mug, table, far=2.2)) for name, table in TABLES.items())], columns=4)


def sheet(tiles: Sequence[tuple[str, Bytes]], *, columns: int) -> Bytes:
    """Return one picture of captioned tiles, row by row, each (TILE, TILE, 3)."""
    framed = [_captioned(text, picture) for text, picture in tiles]
    blank = np.full_like(framed[0], _PAPER)
    framed += [blank] * (-len(framed) % columns)
    rows = [np.hstack(framed[i : i + columns]) for i in range(0, len(framed), columns)]
    return np.vstack(rows)


def _captioned(text: str, picture: Bytes) -> Bytes:
    strip = np.full((_CAPTION, picture.shape[1], 3), _PAPER, dtype=np.uint8)
    cv2.putText(strip, text, (6, _CAPTION - 7), cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA)
    return np.vstack([picture, strip])


def _alone(prop: Prop, table: Table, far: float = 1.0) -> Bytes:
    """Return a picture of a prop on a table, near enough that it fills the tile."""
    standing = prop.at(Pose.from_rpy((0.45, 0.0, prop.size[2] / 2), (0.0, 0.0, 0.5)))
    extent = float(np.linalg.norm(prop.size))
    eye = np.array([0.45, 0.0, prop.size[2] / 2]) + _EYE * 2.3 * extent * far
    camera = Camera('sheet', Pose.look_at(tuple(eye.tolist()), (0.45, 0.0, prop.size[2] * 0.45)), fov=0.5, width=TILE, height=TILE)
    renderer = Renderer(robot('panda'))
    renderer.load(Scene((standing,), table=table))
    picture = renderer.render(camera, {standing.name: standing.pose}, {}, samples=3).colour
    renderer.close()
    return picture
