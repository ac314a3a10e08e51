"""Key frames to learn from, as `vlm-bench export voxels` writes them, and cubes of voxels as input of the network."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import cos, sin
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.per_act.settings import PerActTraining
from vlm_bench_baselines.tool_rotations import half_turned
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.core.geometry import Floats, Vector, vector
from vlm_bench_sim.core.voxels import Grid, Voxels, voxelized

CHANNELS = 7
"""Red, green and blue from -1 to 1, whether the voxel is occupied, and its x, y and z from -1 to 1."""

WIDE = 0.1
"""Openings go into the network in this unit, m."""


@dataclass(frozen=True, eq=False)
class KeyFrame:
    """A key frame and what follows.

    Attributes:
        sentence: the instruction.
        task, axis: of the episode.
        seed: of the episode.
        seen: what cameras see.
        closed, opening: whether the hand holds something or is closed, and the width between its fingers, m.
        target: where the tool goes next.
        closes: whether the hand is closed after that.
    """

    sentence: str
    task: str
    axis: str
    seed: int
    seen: Voxels
    closed: bool
    opening: float
    target: Target
    closes: bool

    @property
    def key(self) -> tuple[str, str, int]:
        """Task, axis and seed."""
        return self.task, self.axis, self.seed


@dataclass(frozen=True)
class Setting:
    """What all key frames of a training have in common.

    Attributes:
        grid: what the voxels cover.
        cameras: camera set, or cameras of it.
        width, height: of the pictures, pixels.
    """

    grid: Grid
    cameras: str
    width: int
    height: int


@dataclass(frozen=True)
class Data:
    """Key frames to learn from and to choose weights by.

    Attributes:
        train, validation: key frames.
        setting: what they have in common.
    """

    train: Sequence[KeyFrame]
    validation: Sequence[KeyFrame]
    setting: Setting


def key_frames(folder: Path) -> tuple[list[KeyFrame], Setting]:
    """Return the key frames in the files below a folder, sorted by path, and what they have in common.

    Raises:
        ConfigError: there are none, a file is damaged, or the files were made in different ways.
    """
    found: list[KeyFrame] = []
    settings: dict[Setting, Path] = {}
    for path in sorted(folder.rglob('*.npz')):
        setting, frames = _read(path)
        settings.setdefault(setting, path)
        found += frames
    if len(settings) > 1:
        first, second = list(settings.values())[:2]
        raise ConfigError(f'The voxels of {first} and {second} were made in different ways. Export all of them with the same options.')
    if not found:
        raise ConfigError(f'There are no voxels in {folder}. Make some with vlm-bench export voxels.')
    return found, next(iter(settings))


def _read(path: Path) -> tuple[Setting, list[KeyFrame]]:
    try:
        with path.open('rb') as raw, np.load(raw, allow_pickle=False) as file:  # numpy leaves a damaged one open
            about = json.loads(str(file['metadata']))
            of, asked = about['grid'], about['cube']
            grid = Grid(vector(of['low']), float(of['side']), int(of['cells']))
            return Setting(grid, asked['cameras'], asked['width'], asked['height']), list(_frames(about['bag'], file, grid))
    except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile, VlmBenchError) as error:
        raise ConfigError(
            f'{path} holds no voxels that can be read: {error!r:.200}. Export its bag again with vlm-bench export voxels.'
        ) from error


def _frames(bag: dict[str, str], file: Any, grid: Grid) -> Iterator[KeyFrame]:
    frame, at, color = (np.asarray(file[f'voxel.{name}']) for name in ('frame', 'at', 'color'))
    closed, opening, targets, closes = (np.asarray(file[name]) for name in ('closed', 'opening', 'next.tool', 'next.closed'))
    if at.shape != (len(frame), 3) or color.shape != at.shape or (len(at) and int(at.max()) >= grid.cells):
        raise ValueError(f'voxels of {at.shape} and {color.shape} do not fit {len(frame)} frames in a grid of {grid.cells}')
    if targets.shape != (len(closed), 7) or not len(closed) == len(opening) == len(closes):
        raise ValueError(f'poses of {targets.shape} do not belong to {len(closed)} key frames')
    for i, target in enumerate(targets):
        seen = Voxels(at[frame == i].astype(np.int64), color[frame == i].astype(np.uint8))
        yield KeyFrame(
            bag['instruction'], bag['task'], bag.get('axis', ''), int(bag['seed']),
            seen, bool(closed[i]), float(opening[i]), Target.of(target), bool(closes[i]),
        )  # fmt: skip


def cube(seen: Voxels, grid: Grid) -> NDArray[np.float32]:
    """Return (7, cells, cells, cells), indexed by x, y and z: the channels."""
    found = np.zeros((CHANNELS, *(grid.cells,) * 3), np.float32)
    x, y, z = seen.at.T
    found[:3, x, y, z] = seen.color.T.astype(np.float32) / 127.5 - 1.0
    found[3, x, y, z] = 1.0
    found[4:] = np.stack(np.meshgrid(*[np.linspace(-1, 1, grid.cells)] * 3, indexing='ij'))
    return found


def inside(grid: Grid, at: Vector) -> bool:
    """Return whether a grid covers a world point."""
    return all(0 <= i < grid.cells for i in grid.voxel(at))


def varied(one: KeyFrame, grid: Grid, *, settings: PerActTraining, chance: np.random.Generator, tries: int = 20) -> KeyFrame:
    """Return a key frame whose world is turned about the vertical and moved at random as far as its axis allows, with its target inside."""
    for _ in range(tries):
        turn = float(chance.uniform(-settings.turn, settings.turn)) if one.axis in settings.turned else 0.0
        shift = chance.uniform(-settings.shift, settings.shift, 3) if one.axis in settings.moved else np.zeros(3)
        (at,) = _turned(np.array([one.target.position]), grid, turn) + shift
        if inside(grid, vector(at)):
            break
    else:
        return one
    if not turn and not shift.any():
        return one
    (approach,) = _spun(np.array([one.target.approach]), turn)
    centres: Floats = (one.seen.at + 0.5) * grid.edge + np.asarray(grid.low)
    seen = voxelized(_turned(centres, grid, turn) + shift, one.seen.color, grid)
    return replace(one, seen=seen, target=Target(vector(at), vector(approach), half_turned(one.target.yaw + turn)))


def _turned(at: Floats, grid: Grid, turn: float) -> Floats:
    """Return (n, 3) points after a rotation about the vertical through the grid's centre."""
    middle = np.asarray(grid.low) + grid.side / 2
    return _spun(at - middle, turn) + middle


def _spun(at: Floats, turn: float) -> Floats:
    x, y, z = at.T
    return np.stack([cos(turn) * x - sin(turn) * y, sin(turn) * x + cos(turn) * y, z], axis=1)
