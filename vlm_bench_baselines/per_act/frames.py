"""Key frames to learn from, as `vlm-bench export voxels` writes them, and cubes of voxels as input of the network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlm_bench_baselines.data import Data, Example, Source, finite, known, number, pixels
from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.per_act.settings import PerActTraining
from vlm_bench_baselines.tool_rotations import half_turned
from vlm_bench_sim.core.geometry import Floats, Vector, vector
from vlm_bench_sim.core.voxels import Grid, Voxels, voxelized

CHANNELS = 7
"""Red, green and blue from -1 to 1, whether the voxel is occupied, and its x, y and z from -1 to 1."""

MOST_CELLS = 256
"""Voxels along a side of a grid; a file or a card from elsewhere cannot ask for more."""

WIDE = 0.1
"""Openings go into the network in this unit, m."""


@dataclass(frozen=True, eq=False)
class KeyFrame(Example):
    """A key frame and what follows.

    Attributes:
        seen: what cameras see.
        closed, opening: whether the hand holds something or is closed, and the width between its fingers, m.
        target: where the tool goes next.
        closes: whether the hand is closed after that.
    """

    seen: Voxels
    closed: bool
    opening: float
    target: Target
    closes: bool


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


PerActData = Data[KeyFrame, Setting]
"""Key frames, and what they have in common."""


def _read(about: Mapping[str, Any], file: Any) -> tuple[Setting, Iterator[KeyFrame]]:
    of, asked = about['grid'], about['cube']
    grid = Grid(vector(of['low']), float(of['side']), int(of['cells']))
    if grid.cells > MOST_CELLS:
        raise ValueError(f'a grid of {grid.cells} voxels a side is larger than {MOST_CELLS}')
    width, height = (int(number(name, asked[name], 10_000)) for name in ('width', 'height'))
    return Setting(grid, str(asked['cameras']), width, height), _frames(about['bag'], file, grid)


def _frames(bag: Mapping[str, str], file: Any, grid: Grid) -> Iterator[KeyFrame]:
    frame, at, color = (np.asarray(file[f'voxel.{name}']) for name in ('frame', 'at', 'color'))
    closed, opening, targets, closes = (np.asarray(file[name]) for name in ('closed', 'opening', 'next.tool', 'next.closed'))
    whole = at.dtype.kind in 'iu' and at.shape == (len(frame), 3) and color.shape == at.shape
    if not whole or (len(at) and not 0 <= int(at.min()) <= int(at.max()) < grid.cells):
        raise ValueError(f'voxels of {at.shape} and {color.shape} do not fit {len(frame)} frames in a grid of {grid.cells}')
    if targets.shape != (len(closed), 7) or not len(closed) == len(opening) == len(closes):
        raise ValueError(f'poses of {targets.shape} do not belong to {len(closed)} key frames')
    finite('next.tool', targets)
    hands = finite('opening', opening)
    for i, target in enumerate(targets):
        seen = Voxels(at[frame == i].astype(np.int64), pixels('voxel.color', color[frame == i]))
        yield KeyFrame(*known(bag), seen, bool(closed[i]), float(hands[i]), Target.of(target), bool(closes[i]))


VOXELS = Source('voxels', 'vlm-bench export voxels', _read)
"""Files with key frames."""


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
