"""Pages and pictures of robots and cameras of one's own."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.motion.reach import measure
from vlm_bench_sim.render.png import png
from vlm_bench_tasks.evaluation.files import check_file, write_whole
from vlm_bench_tasks.pages import gallery
from vlm_bench_tasks.pages.camera_sheet import GAP, captioned, joined
from vlm_bench_tasks.pages.robot_page import robot_page

_ACROSS = 4  # pictures in a row of a sheet


def check_page(folder: Path, name: str) -> None:
    """Check that the page of a robot can be written into a folder.

    Raises:
        ConfigError: it cannot.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f'{folder} is no folder. Name a folder for the page of {name}.')


def check_sheet(file: Path) -> None:
    """Check that a sheet can be written there.

    Raises:
        ConfigError: it cannot.
    """
    if file.suffix != '.png':
        raise ConfigError(f'The sheet is a .png; found {file.name!r}. Name another file.')
    try:
        check_file(file)
    except OSError as error:
        raise ConfigError(f'{file} cannot be written: {error}. Name another place.') from error


def write_robot_page(profile: RobotProfile, folder: Path) -> tuple[Path, Path]:
    """Write the page of a robot and its picture into a folder, and return both files. Its reach is measured, which takes half a minute.

    Raises:
        ConfigError: a file cannot be written.
    """
    picture, page = folder / f'robot_{profile.name}.png', folder / f'{profile.name}.md'
    drawn = png(gallery.robot(profile.name))
    text = robot_page(profile, measure(profile), picture.name)
    _write(picture, drawn)
    _write(page, text)
    return page, picture


def write_sheet(file: Path, pictures: Mapping[str, Picture]) -> None:
    """Write one picture of what several cameras show, each with its name.

    Raises:
        ConfigError: the file cannot be written, or is no .png.
    """
    check_sheet(file)
    tiles = [captioned(name, picture.color) for name, picture in pictures.items()]
    width = min(_ACROSS, len(tiles)) * (tiles[0].shape[1] + GAP)
    _write(file, png(np.vstack([joined(tiles[i : i + _ACROSS], width) for i in range(0, len(tiles), _ACROSS)])))


def _write(path: Path, content: str | bytes) -> None:
    try:
        check_file(path)
        write_whole(path, content)
    except OSError as error:
        raise ConfigError(f'{path} cannot be written: {error}. Name another place.') from error
