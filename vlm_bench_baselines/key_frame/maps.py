"""Maps as input of the network: channels, and the changes of augmentation."""

from dataclasses import dataclass, replace
from math import cos, pi, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from vlm_bench_baselines.demonstrations import Demonstration, Target
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining
from vlm_bench_baselines.tool_rotations import half_turned
from vlm_bench_sim.core.fusion import Plot

DECIMETRE = 0.1
"""Heights go into and out of the network in this unit, m."""

AROUND = 3
"""Pixels to each side among which the height beside a target counts."""

Channels = NDArray[np.float32]


def channels(color: NDArray[np.uint8], height: NDArray[np.float32], seen: NDArray[np.bool_]) -> Channels:
    """Return (7, rows, columns): red, green, blue from -1 to 1; height, dm; whether the pixel was seen; row and column from -1 to 1."""
    rows, columns = height.shape
    down, right = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing='ij')
    shades = color.transpose(2, 0, 1).astype(np.float32) / 127.5 - 1.0
    return np.concatenate([shades, np.stack([height / DECIMETRE, seen, down, right])]).astype(np.float32)


def highest_around(height: NDArray[np.float32], row: int, column: int) -> float:
    """Return the greatest height near a pixel, m above the plot's floor."""
    near = height[max(row - AROUND, 0) : row + AROUND + 1, max(column - AROUND, 0) : column + AROUND + 1]
    return float(near.max())


def centre(plot: Plot, row: float, column: float) -> tuple[float, float]:
    """Return x and y of the centre of a pixel, m in the world."""
    return plot.low[0] + (column + 0.5) * plot.pixel, plot.low[1] + (row + 0.5) * plot.pixel


def inside(plot: Plot, target: Target) -> bool:
    """Return whether a map of this plot shows the place of a target."""
    row, column = plot.cell(target.position)
    rows, columns = plot.shape
    return 0 <= row < rows and 0 <= column < columns


@dataclass(frozen=True)
class Move:
    """A rotation of the world about the centre of the plot, rad, and a displacement after it, m."""

    turn: float
    shift: tuple[float, float]

    def target(self, plot: Plot, target: Target) -> Target:
        """Return a target after the move."""
        (x, y), (mx, my) = self._turned(target.position[0] - _middle(plot)[0], target.position[1] - _middle(plot)[1]), _middle(plot)
        ax, ay = self._turned(*target.approach[:2])
        position = (x + mx + self.shift[0], y + my + self.shift[1], target.position[2])
        return Target(position, (ax, ay, target.approach[2]), half_turned(target.yaw + self.turn))

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        return cos(self.turn) * x - sin(self.turn) * y, sin(self.turn) * x + cos(self.turn) * y

    def pixels(self, plot: Plot) -> NDArray[np.float64]:
        """Return the (2, 3) matrix that takes column and row of a pixel to where it lies after the move."""
        c, s = cos(self.turn), sin(self.turn)
        rows, columns = plot.shape
        mx, my = (columns - 1) / 2, (rows - 1) / 2
        dx, dy = self.shift[0] / plot.pixel, self.shift[1] / plot.pixel
        return np.array([[c, -s, mx - c * mx + s * my + dx], [s, c, my - s * mx - c * my + dy]])


def _middle(plot: Plot) -> tuple[float, float]:
    return (plot.low[0] + plot.high[0]) / 2, (plot.low[1] + plot.high[1]) / 2


def moved(one: Demonstration, plot: Plot, move: Move) -> Demonstration:
    """Return a demonstration after a move of the world; pixels that come from outside the map show the table."""
    size, matrix = one.height.shape[::-1], move.pixels(plot)
    table = [float(np.median(one.color[..., channel])) for channel in range(3)], float(np.median(one.height))
    options = {'flags': cv2.INTER_NEAREST, 'borderMode': cv2.BORDER_CONSTANT}
    return replace(
        one,
        color=np.asarray(cv2.warpAffine(one.color, matrix, size, borderValue=table[0], **options), np.uint8),
        height=np.asarray(cv2.warpAffine(one.height, matrix, size, borderValue=table[1], **options), np.float32),
        seen=cv2.warpAffine(one.seen.astype(np.uint8), matrix, size, borderValue=1, **options) > 0,
        pick=move.target(plot, one.pick),
        place=move.target(plot, one.place),
    )


def varied(one: Demonstration, plot: Plot, *, settings: KeyFrameTraining, chance: np.random.Generator, tries: int = 20) -> Demonstration:
    """Return a demonstration moved, turned and lit at random as far as its axis allows, with both targets inside the map."""
    for _ in range(tries):
        turn = float(chance.uniform(-pi, pi)) if one.axis in settings.turned else 0.0
        reach = np.subtract(plot.high, plot.low)[:2] / 3 if one.axis in settings.moved else np.zeros(2)
        dx, dy = (float(v) for v in chance.uniform(-reach, reach))
        move = Move(turn, (dx, dy))
        if all(inside(plot, move.target(plot, target)) for target in (one.pick, one.place)):
            one = moved(one, plot, move)
            break
    light = 1.0 + float(chance.uniform(-settings.light, settings.light))
    noise = chance.normal(0.0, settings.noise, one.height.shape) if settings.noise else 0.0
    return replace(
        one,
        color=np.clip(np.rint(one.color * light), 0, 255).astype(np.uint8),
        height=np.maximum(one.height + noise, 0.0).astype(np.float32) * one.seen,
    )
