"""Fusion of several RGB-D views into one top-down map: the observation that the papers' policies use."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Calibration, Camera, Picture
from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.geometry import Floats, Pose, Vector


@dataclass(frozen=True)
class Plot:
    """The part of the world that a map covers. Rows of the map run along y, columns along x, both from `low`.

    Raises:
        ConfigError: the plot is empty, or smaller than a pixel.

    Attributes:
        low, high: corners, m in the world; points outside are left out.
        pixel: side of a pixel, m.
        below: points at most this far below `low`, m, count as being at its height. Depths are noisy: without this margin, a map whose
            floor is the table's top would lose about half of the table's points.
    """

    low: Vector
    high: Vector
    pixel: float
    below: float = 0.0

    def __post_init__(self) -> None:
        spans = np.subtract(self.high, self.low)
        if not (self.pixel > 0 and spans[2] > 0 and (spans[:2] >= self.pixel).all()):
            raise ConfigError(
                f'A map needs a pixel above 0, a pixel or more from low to high in x and y, and low < high in z; found {self}. Correct it.'
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the map."""
        return round((self.high[1] - self.low[1]) / self.pixel), round((self.high[0] - self.low[0]) / self.pixel)

    def cell(self, point: Vector) -> tuple[int, int]:
        """Return the row and column of a world point."""
        return int((point[1] - self.low[1]) // self.pixel), int((point[0] - self.low[0]) // self.pixel)

    @classmethod
    def named(cls, name: str) -> 'Plot':
        """Return one of `PLOTS`.

        Raises:
            ConfigError: there is no such plot.
        """
        if name not in PLOTS:
            raise ConfigError(f'There is no plot {name!r}. {near(name, PLOTS)}')
        return PLOTS[name]


CLIPORT_6D = Plot((0.175, -0.45, -0.052), (0.895, 0.45, 0.448), 0.005625)
"""Plot of 6D-CLIPort in VLMbench and ARNOLD: 160 × 128 pixels. It lies over our workspace as it lay over VLMbench's."""

LOHORAVENS = Plot((0.25, -0.5, 0.0), (0.75, 0.5, 0.28), 0.003125, below=0.01)
"""Plot of LoHoRavens: 320 × 160 pixels. Its floor is the table's top."""

PLOTS = {'cliport_6d': CLIPORT_6D, 'lohoravens': LOHORAVENS}
"""The plots of the papers, by name."""


@dataclass(frozen=True, eq=False)
class PosedPicture:
    """A picture, the camera that took it, and the `pose` of its optical frame in the world."""

    picture: Picture
    camera: Camera | Calibration
    pose: Pose


@dataclass(frozen=True, eq=False)
class TopDown:
    """A top-down map.

    Attributes:
        color: (rows, columns, 3) uint8 RGB; black where no view has a point.
        height: (rows, columns) float32 m above the plot's floor; 0 where no view has a point.
        views: (rows, columns) number of views with a point.
    """

    color: NDArray[np.uint8]
    height: NDArray[np.float32]
    views: NDArray[np.uint8]

    @property
    def channels(self) -> NDArray[np.float32]:
        """(rows, columns, 6): color (0…255) and three copies of the height, the input of the papers' networks."""
        return np.concatenate([self.color.astype(np.float32), np.repeat(self.height[..., None], 3, axis=2)], axis=2)


def top_down(views: Sequence[PosedPicture], plot: Plot, *, topmost: bool = False) -> TopDown:
    """Return one map of several views. Each point is projected straight down to its pixel.

    In each view the highest point of a pixel counts. The height is the maximum over the views. The color is the mean over the views with a
    point there, or with `topmost` the color of the highest point alone.
    """
    shape = plot.shape
    sums, seen, height = np.zeros((*shape, 3)), np.zeros(shape, np.uint8), np.zeros(shape, np.float32)
    for view in views:
        color, own, there = _projected(view, plot)
        if topmost:
            higher = there & ((own > height) | (seen == 0))
            sums[higher] = color[higher]
        else:
            sums[there] += color[there]
        height = np.maximum(height, own)
        seen += there
    counts = np.ones(shape) if topmost else np.maximum(seen, 1)
    return TopDown(np.rint(sums / counts[..., None]).astype(np.uint8), height, seen)


def points(view: PosedPicture) -> tuple[Floats, NDArray[np.uint8]]:
    """Return (n, 3) points in the world, m, and their (n, 3) colors, for all pixels with a depth."""
    v, u = np.nonzero(view.picture.depth)
    depth = view.picture.depth[v, u].astype(float)
    lens = view.camera.intrinsics
    seen = np.column_stack([(u - lens[0, 2]) / lens[0, 0] * depth, (v - lens[1, 2]) / lens[1, 1] * depth, depth])
    return view.pose.apply(seen), view.picture.color[v, u]


def _projected(view: PosedPicture, plot: Plot) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_]]:
    """Return color, height and validity of each pixel for the highest points of one view."""
    at, colors = points(view)
    inside = ((at >= np.subtract(plot.low, (0.0, 0.0, plot.below))) & (at < plot.high)).all(axis=1)
    at, colors = np.maximum(at[inside] - plot.low, 0.0), colors[inside]
    order = np.argsort(at[:, 2], kind='stable')  # sorted by height: the highest point of a pixel is written last and stays
    rows, columns = plot.shape
    row, column = (np.minimum((at[order, k] / plot.pixel).astype(int), n - 1) for k, n in ((1, rows), (0, columns)))
    color, height, there = np.zeros((rows, columns, 3), np.uint8), np.zeros((rows, columns), np.float32), np.zeros((rows, columns), bool)
    color[row, column], height[row, column], there[row, column] = colors[order], at[order, 2], True
    return color, height, there
