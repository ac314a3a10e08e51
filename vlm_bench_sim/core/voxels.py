"""Fusion of several RGB-D views into a cube of voxels: the observation of PerAct."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.fusion import PosedPicture, points
from vlm_bench_sim.core.geometry import Floats, Vector


@dataclass(frozen=True)
class Grid:
    """A cube of the world, divided into smaller ones. A voxel has an index along x, y and z, each from `low`.

    Raises:
        ConfigError: it has no size.

    Attributes:
        low: corner, m in the world; points outside are left out.
        side: side of the whole cube, m.
        cells: number of voxels along a side.
    """

    low: Vector
    side: float
    cells: int

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low).all() and 0.0 < self.side < np.inf and 1 <= self.cells <= 1024):
            raise ConfigError(f'A grid needs a corner, a side above 0 m and 1 to 1024 voxels along it; found {self}. Correct it.')

    @property
    def edge(self) -> float:
        """Side of a voxel, m."""
        return self.side / self.cells

    def voxel(self, point: Vector) -> tuple[int, int, int]:
        """Return the indices of the voxel around a world point; outside of the grid they are below 0 or not below `cells`."""
        x, y, z = (int((p - low) // self.edge) for p, low in zip(point, self.low, strict=True))
        return x, y, z

    @classmethod
    def named(cls, name: str) -> 'Grid':
        """Return one of `GRIDS`.

        Raises:
            ConfigError: there is no such grid.
        """
        if name not in GRIDS:
            raise ConfigError(f'There is no grid {name!r}. {near(name, GRIDS)}')
        return GRIDS[name]


PERACT = Grid((0.05, -0.5, -0.1), 1.0, 100)
"""PerAct's cube of 1 m with voxels of 1 cm (Shridhar et al. 2022, section 3.2). It lies over our workspace."""

GRIDS = {'peract': PERACT}
"""The grids, by name."""


@dataclass(frozen=True, eq=False)
class Voxels:
    """The voxels in which some view has a point.

    Attributes:
        at: (n, 3) int64 indices along x, y and z, sorted.
        color: (n, 3) uint8 RGB, the mean of all points.
    """

    at: NDArray[np.int64]
    color: NDArray[np.uint8]


def voxels(views: Sequence[PosedPicture], grid: Grid) -> Voxels:
    """Return the voxels of several views."""
    found = [points(view) for view in views]
    return voxelized(np.concatenate([at for at, _ in found]), np.concatenate([color for _, color in found]), grid)


def voxelized(at: Floats, color: NDArray[np.uint8], grid: Grid) -> Voxels:
    """Return the voxels of (n, 3) points in the world, m, with their (n, 3) colors."""
    cells = np.floor((at - grid.low) / grid.edge).astype(np.int64)
    inside = ((cells >= 0) & (cells < grid.cells)).all(axis=1)
    flat = np.ravel_multi_index(tuple(cells[inside].T), (grid.cells,) * 3)
    there, of, count = np.unique(flat, return_inverse=True, return_counts=True)
    sums = np.stack([np.bincount(of.ravel(), color[inside, i].astype(float), len(there)) for i in range(3)], axis=1)
    means = np.rint(sums / np.maximum(count, 1)[:, None]).astype(np.uint8)
    return Voxels(np.stack(np.unravel_index(there, (grid.cells,) * 3), axis=1), means)
