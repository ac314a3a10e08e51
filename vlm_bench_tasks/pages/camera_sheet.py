"""A contact sheet of the camera sets: each camera's view of the same table, with the robot of its suite."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vlm_bench_sim.core.fusion import CLIPORT_6D, PosedPicture, top_down
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color, Texture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.prompt import PromptPainter

TILE = 200
_WIDTH = 1032  # five tiles and the gaps between them
GAP, _CAPTION, _HEADING, _MARGIN = 8, 20, 34, 16
_HIGHEST = 0.22  # m above the table; yellow in a height map
_PAPER, _INK = (250, 250, 248), (50, 50, 50)
_BLUE, _RED, _GREEN, _YELLOW, _PURPLE = (0.16, 0.45, 0.85), (0.85, 0.30, 0.22), (0.20, 0.62, 0.35), (0.93, 0.68, 0.12), (0.52, 0.32, 0.70)
_THINGS: tuple[tuple[str, Vector, tuple[float, float], float], ...] = (  # shape, color, place (m), yaw (rad)
    ('tray', _BLUE, (0.52, 0.22), 1.3),
    ('mug1', _RED, (0.42, -0.24), 0.8),
    ('bowl', _YELLOW, (0.60, -0.06), 0.0),
    ('bottle', _GREEN, (0.62, -0.25), 0.0),
    ('star', _YELLOW, (0.40, 0.06), 0.4),
    ('cube', _PURPLE, (0.48, -0.10), 0.5),
    ('moon', _GREEN, (0.36, 0.26), 2.0),
    ('cylinder', _RED, (0.51, 0.07), 0.0),
)


@dataclass(frozen=True)
class _Row:
    set: str
    title: str
    robot: str
    shape: tuple[int, int] = (TILE, TILE)
    prompt: str = ''


ROWS = (
    _Row('vlmbench', 'VLMbench', 'panda'),
    _Row('lohoravens', 'LoHoRavens', 'ur5e', (252, 189)),
    _Row('arnold', 'ARNOLD', 'panda'),
    _Row('clevrskills', 'ClevrSkills', 'xarm6', prompt='object'),
)


def table() -> Scene:
    """Return the scene that all cameras show."""
    dots = Texture('dot', Color('white', (0.95, 0.95, 0.93)), 0.022)
    props = []
    for i, (kind, rgb, (x, y), yaw) in enumerate(_THINGS):
        size = usual_size(kind)
        prop = Prop(f'p{i}', kind, size, Color('some', rgb), 0.1, pose=Pose.from_rpy((x, y, size[2] / 2), (0.0, 0.0, yaw)))
        props.append(replace(prop, texture=dots) if kind == 'cube' else prop)
    return Scene(tuple(props))


def camera_sheet() -> Bytes:
    """Return the sheet, (n, m, 3): one row per suite, and one of the top-down maps of the papers."""
    scene, rows = table(), []
    for row in ROWS:
        rows += [_heading(f'{row.title}, with {row.robot}'), joined(_views(row, scene))]
    rows += [_heading('Seen from above'), joined(_maps(scene))]
    sheet = np.vstack(rows)
    framed = _paper(sheet.shape[0] + _MARGIN, _WIDTH + 2 * _MARGIN)
    framed[:-_MARGIN, _MARGIN:-_MARGIN] = sheet
    return framed


def _views(row: _Row, scene: Scene) -> list[Bytes]:
    """Return a captioned tile for each camera of a set, and for its prompt camera, which sees a single object."""
    painter = _painter(row.robot)
    shown = [(camera, painter.picture(scene, camera, robot=True, table=True)) for camera in cameras(row.set, *row.shape, robot=row.robot)]
    if row.prompt:
        (camera,) = cameras(f'{row.set}:{row.prompt}', *row.shape)
        alone = replace(scene.props[1], pose=Pose())
        shown.append((replace(camera, name=f'{row.prompt} (prompts)'), painter.picture(Scene((alone,)), camera)))
    painter.close()
    return [captioned(camera.name, picture.color) for camera, picture in shown]


def _maps(scene: Scene) -> list[Bytes]:
    """Return captioned color and height maps from all cameras of VLMbench, as used by 6D-CLIPort; left is +y, up is +x."""
    painter, profile = _painter('panda'), robot('panda')
    links = Kinematics(profile).link_poses(dict(zip(profile.joints, profile.home, strict=True)))
    found = cameras('vlmbench', 360, 360)
    poses = [camera.world_pose(links) for camera in found]
    views = [PosedPicture(painter.picture(scene, camera, table=True), camera, pose) for camera, pose in zip(found, poses, strict=True)]
    painter.close()
    fused = top_down(views, CLIPORT_6D)
    shades = np.clip(255 * np.sqrt(np.maximum(fused.height + CLIPORT_6D.low[2], 0.0) / _HIGHEST), 0, 255).astype(np.uint8)
    heights = np.asarray(cv2.applyColorMap(shades, cv2.COLORMAP_VIRIDIS)[..., ::-1], dtype=np.uint8)
    return [captioned(f'VLMbench fused: {what}', _squared(image)) for what, image in (('color', fused.color), ('height', heights))]


def _painter(name: str) -> PromptPainter:
    profile = robot(name)
    return PromptPainter(profile, Kinematics(profile).link_poses)


def _squared(rows: Bytes) -> Bytes:
    """Return a map, (y, x, 3), as a tile with x pointing up."""
    turned = np.ascontiguousarray(rows.transpose(1, 0, 2)[::-1, ::-1])
    height = TILE * turned.shape[0] // turned.shape[1]
    tile = _paper(TILE, TILE)
    tile[TILE - height :] = cv2.resize(turned, (TILE, height), interpolation=cv2.INTER_NEAREST)
    return tile


def _paper(height: int, width: int) -> Bytes:
    return np.full((height, width, 3), _PAPER, np.uint8)


def captioned(text: str, picture: Bytes) -> Bytes:
    """Return a picture with a line of text below it."""
    strip = _paper(_CAPTION, picture.shape[1])
    cv2.putText(strip, text, (2, _CAPTION - 6), cv2.FONT_HERSHEY_SIMPLEX, 0.40, _INK, 1, cv2.LINE_AA)
    return np.vstack([picture, strip])


def _heading(text: str) -> Bytes:
    strip = _paper(_HEADING, _WIDTH)
    cv2.putText(strip, text, (2, _HEADING - 11), cv2.FONT_HERSHEY_SIMPLEX, 0.56, _INK, 1, cv2.LINE_AA)
    return strip


def joined(tiles: list[Bytes], width: int = _WIDTH) -> Bytes:
    """Return tiles of one height side by side, on paper of that width."""
    row = _paper(tiles[0].shape[0], width)
    left = 0
    for tile in tiles:
        row[:, left : left + tile.shape[1]] = tile
        left += tile.shape[1] + GAP
    return row
