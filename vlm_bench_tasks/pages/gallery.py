"""Pictures for the docs, rendered by the bench: `make gallery` writes every file of docs/gallery."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import near
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.render.visuals import robot_meshes
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.pages import (
    camera_sheet,
    clevrskills_sheet,
    film_sheet,
    frames_sheet,
    instance_sheet,
    matter_sheet,
    mechanism_sheet,
    perturbation_sheet,
    prop_sheet,
    scene_sheet,
    stock_sheet,
    task_sheet,
)

FOLDER = Path('docs/gallery')
SIZE = 560
SIDES: tuple[Vector, ...] = ((1.30, -1.05, 0.50), (1.05, 1.30, 0.40))
"""Viewpoints relative to the robot's middle, m; only direction and distance matter."""

_DISTANCE = 2.0
_LARGEST = 490_000  # bytes; a large jpeg is drawn more coarsely
_MARGIN = 1.12
_INK, _PAPER = (40, 40, 45), (246, 246, 248)


def robot(name: str, size: int = SIZE) -> Bytes:
    """Return a picture of a robot in its home position from two sides, (size, 2 size, 3), with a caption below."""
    profile = profiles.robot(name)
    gripper = profile.gripper
    kinematics = Kinematics(profile)
    joints = dict(zip(profile.joints, profile.home, strict=True)) | dict.fromkeys(gripper.joints, gripper.max_opening / 3)
    links = kinematics.link_poses(joints)
    corners = np.concatenate([links[link].apply(mesh.vertices) for link, mesh in robot_meshes(profile.urdf).items()])
    renderer = Renderer(profile)
    renderer.load(Scene(()))
    sides = [renderer.render(_camera(corners, side, size), {}, links, samples=3).color for side in SIDES]
    renderer.close()
    return np.vstack([np.hstack(sides), _caption(words(profile, kinematics), 2 * size)])


def words(profile: RobotProfile, kinematics: Kinematics) -> str:
    """Return a line about a robot: name, gripper, joints, and the ranges that distinguish similar robots."""
    gripper = profile.gripper
    if isinstance(gripper, SuctionProfile):
        hand = f'{len(gripper.links)} suction cup{"s" * (len(gripper.links) > 1)}'
    else:
        hand = f'fingers to {1000 * gripper.max_opening:.0f} mm'
    ranges = (f'joint {k} {kinematics.low[k - 1]:.2f} to {kinematics.high[k - 1]:.2f}' for k in (4, 6))
    return f'{profile.name}: {hand}, {len(profile.joints)} joints, {", ".join(ranges)} rad'


def _camera(corners: Floats, side: Vector, size: int) -> Camera:
    """Return a camera that shows all of the corners (n, 3) as large as possible."""
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    eye = middle + _DISTANCE * np.asarray(side) / np.linalg.norm(side)
    pose = Pose.look_at(vector(eye), vector(middle))
    x, y, z = pose.inverse().apply(corners).T
    fov = 2 * float(np.arctan(_MARGIN * max(np.abs(x / z).max(), np.abs(y / z).max())))
    return Camera('side', pose, fov=fov, width=size, height=size)


def _caption(text: str, width: int) -> Bytes:
    height = width // 30
    strip = np.full((height, width, 3), _PAPER, dtype=np.uint8)
    scale, below = width / 2000, int(0.7 * height)
    cv2.putText(strip, text, (height // 2, below), cv2.FONT_HERSHEY_SIMPLEX, scale, _INK, max(1, round(scale)), cv2.LINE_AA)
    return strip


def pictures() -> dict[str, Callable[[], Bytes]]:
    """Return the functions that render the gallery, by file name, without the pictures of single tasks."""
    return (
        {f'robot_{name}.png': partial(robot, name) for name in profiles.robots()}
        | {
            'props.png': props,
            'bottles.png': instance_sheet.bottles,
            'cups.png': instance_sheet.cups,
            'textures.png': prop_sheet.textures,
            'household.png': clevrskills_sheet.household,
            'looks_clevrskills.png': clevrskills_sheet.looks,
            'prompt.png': clevrskills_sheet.prompt,
            'mechanisms.png': mechanism_sheet.mechanisms,
            'chests.png': mechanism_sheet.chests,
            'cabinets.png': mechanism_sheet.cabinets,
            'matter.png': matter_sheet.matter,
            'frames.png': frames_sheet.frames,
            'cameras.png': camera_sheet.camera_sheet,
            'perturbations.jpg': perturbation_sheet.perturbations,
            'lohoravens.png': scene_sheet.lohoravens,
            'rooms.png': scene_sheet.rooms,
            'rooms_arnold.jpg': scene_sheet.arnold_rooms,
        }
        | {f'tasks_{family}.jpg': partial(scene_sheet.tasks, family) for family in scene_sheet.families()}
    )


def files() -> dict[str, Callable[[], bytes]]:
    """Return the functions that make the content of each gallery file, by file name."""
    tasks: dict[str, Callable[[], bytes]] = {task_sheet.file(name): partial(task_sheet.drawn, name) for name in catalogue.tasks()}
    return {name: partial(_encoded, draw, name) for name, draw in pictures().items()} | tasks | {'episode.webp': film_sheet.film}


def props(*, captions: bool = True) -> Bytes:
    """Return a sheet of every shape, and of composite props."""
    return prop_sheet.sheet([*prop_sheet.shapes(), *stock_sheet.stock()], columns=6, captions=captions)


QUIZZES: dict[str, Callable[..., Bytes]] = {'props.png': props, 'household.png': clevrskills_sheet.household}
"""Sheets that can be drawn without captions, by file name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the gallery or the named files; `--quiz FILE` writes the props, or the sheet named, without captions, as a recognition test."""
    offered = files()
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument('name', nargs='*', help=f'one of {", ".join(offered)}; none: all')
    parser.add_argument('--quiz', type=Path, help=f'file for a sheet without captions: {", ".join(QUIZZES)}')
    asked = parser.parse_args(arguments)
    if asked.quiz:
        name = ' '.join(asked.name) or 'props.png'
        if name not in QUIZZES:
            parser.error(f'There is no quiz of {name!r}. {near(name, QUIZZES)} Name one.')
        asked.quiz.write_bytes(_encoded(partial(QUIZZES[name], captions=False), asked.quiz.name))
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in asked.name or offered:
        if name not in offered:
            parser.error(f'There is no picture called {name!r}. {near(name, offered)}')
        (FOLDER / name).write_bytes(offered[name]())
        sys.stdout.write(f'{FOLDER / name}\n')
    return 0


def _encoded(draw: Callable[[], Bytes], name: str) -> bytes:
    """Return a picture encoded for a file of that name."""
    suffix, picture = Path(name).suffix, cv2.cvtColor(draw(), cv2.COLOR_RGB2BGR)
    ways = [[cv2.IMWRITE_JPEG_QUALITY, quality] for quality in (90, 85, 80)] if suffix == '.jpg' else [[cv2.IMWRITE_PNG_COMPRESSION, 9]]
    tried = [bytes(cv2.imencode(suffix, picture, how)[1]) for how in ways]
    return next((data for data in tried if len(data) < _LARGEST), tried[-1])


if __name__ == '__main__':
    sys.exit(main())
