"""Demonstrations of carrying, as `vlm-bench export maps` writes them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlm_bench_baselines.data import Example, Source, finite, known, number, pixels
from vlm_bench_baselines.tool_rotations import approach_and_yaw, orientation
from vlm_bench_sim.core.fusion import Plot
from vlm_bench_sim.core.geometry import Pose, vector

Heights = NDArray[np.float32]
Colors = NDArray[np.uint8]


@dataclass(frozen=True)
class Target:
    """Where the tool goes.

    Attributes:
        position: m in the world.
        approach: unit vector along which it comes.
        yaw: angle about that, rad, from -π/2 to π/2 (`tool_rotations`).
    """

    position: tuple[float, float, float]
    approach: tuple[float, float, float]
    yaw: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> 'Target':
        """Return the target from x, y, z (m) and a quaternion xyzw."""
        x, y, z, *rotation = (float(number) for number in numbers)
        approach, yaw = approach_and_yaw(Pose.of((x, y, z), rotation))
        return cls((x, y, z), (float(approach[0]), float(approach[1]), float(approach[2])), yaw)

    def pose(self, near: Pose) -> Pose:
        """Return the tool pose: of the two that half a turn of the hand leads into each other, the one turned less from another."""
        ways = [orientation(self.approach, self.yaw + turn) for turn in (0.0, pi)]
        return Pose(self.position, min(ways, key=near.angle).orientation)


@dataclass(frozen=True, eq=False)
class Demonstration(Example):
    """One carry.

    Attributes:
        color: (rows, columns, 3) uint8 RGB map.
        height: (rows, columns) float32 m above the plot's floor.
        seen: (rows, columns) bool, where a camera has a point.
        pick, place: where the hand took the thing, and where it let go.
    """

    color: Colors
    height: Heights
    seen: NDArray[np.bool_]
    pick: Target
    place: Target


@dataclass(frozen=True)
class Survey:
    """How the maps of demonstrations were made, and how a policy makes its own.

    Attributes:
        plot: what a map covers.
        cameras: camera set, or cameras of it.
        width, height: size of the pictures, pixels.
    """

    plot: Plot
    cameras: str
    width: int
    height: int


def _read(about: Mapping[str, Any], file: Any) -> tuple[Survey, Iterator[Demonstration]]:
    of, asked = about['plot'], about['survey']
    plot = Plot(vector(of['low']), vector(of['high']), float(of['pixel']), float(of['below']))
    rows, columns = plot.shape
    if rows % 2 or columns % 2:
        raise ValueError(f'maps of {rows} x {columns} pixels cannot be halved; export them with another --pixel')
    width, height = (int(number(name, asked[name], 10_000)) for name in ('width', 'height'))
    return Survey(plot, str(asked['cameras']), width, height), _carries(about['bag'], file, plot)


def _carries(bag: Mapping[str, str], file: Any, plot: Plot) -> Iterator[Demonstration]:
    color, height, views = (np.asarray(file[f'map.{name}']) for name in ('color', 'height', 'views'))
    if color.shape[1:] != (*plot.shape, 3) or height.shape != color.shape[:3] or views.shape != height.shape:
        raise ValueError(f'maps of {color.shape} do not belong to a plot of {plot.shape}')
    picks, places = (np.asarray(file[name], float) for name in ('pick', 'place'))
    finite('pick', picks)
    finite('place', places)
    if picks.shape != (len(color), 7) or places.shape != picks.shape:
        raise ValueError(f'{len(color)} maps do not belong to poses of {picks.shape} and {places.shape}')
    for i, (pick, place) in enumerate(zip(picks, places, strict=True)):
        yield Demonstration(
            *known(bag), pixels('map.color', color[i]), finite('map.height', height[i]), views[i] > 0, Target.of(pick), Target.of(place)
        )


MAPS = Source('maps', 'vlm-bench export maps', _read)
"""Files with what was carried."""
