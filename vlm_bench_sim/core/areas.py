"""Areas: named parts of the table that instructions and goals refer to, drawn or not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop

CEILING = 0.3
"""Greatest height of a point in an area, m (LoHoRavens)."""

DEPTH = 0.15
"""Greatest depth of a point in an area, m: more than a perturbation lowers the table, and far above the floor."""


@serialisable
@dataclass(frozen=True)
class Area:
    """A rectangular area of the table.

    Attributes:
        words: its name in instructions, for example 'top left area'.
        size: extents along its own x and y, m.
        pose: pose of its centre in the world; only the yaw rotates the rectangle.
    """

    words: str
    size: tuple[float, float]
    pose: Pose = Pose()

    @classmethod
    def between(cls, words: str, x: tuple[float, float], y: tuple[float, float]) -> 'Area':
        """Return the area between two x and two y values of the world, m."""
        return cls(words, (x[1] - x[0], y[1] - y[0]), Pose(((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, 0.0)))

    @classmethod
    def under(cls, prop: Prop) -> 'Area':
        """Return the area that a zone or an area marker covers, including its rim: the drawn area is the scored one."""
        return cls(f'{prop.color.name} {prop.noun}', prop.size[:2], prop.pose)

    def contains(self, points: Floats) -> bool:
        """Return whether all of the (n, 3) points, m in the world, are in the area."""
        return bool(self.inside(points).all())

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Return (n,): whether each of the (n, 3) points, m in the world, is over the area or its edge, no higher than `CEILING`.

        Points on the floor are outside. The table may be lower than the area says.
        """
        x, y, z = self.pose.inverse().apply(points).T
        half = np.asarray(self.size) / 2 + 1e-9
        return np.asarray((np.abs(x) <= half[0]) & (np.abs(y) <= half[1]) & (z >= -DEPTH) & (z <= CEILING))


WORKSPACE = Area.between('workspace', (0.25, 0.75), (-0.5, 0.5))
"""LoHoRavens' workspace, which is divided into its named areas."""

_AREAS = (
    Area.between('top left area', (0.25, 0.50), (-0.5, 0.0)),
    Area.between('top right area', (0.25, 0.50), (0.0, 0.5)),
    Area.between('bottom left area', (0.50, 0.75), (-0.5, 0.0)),
    Area.between('bottom right area', (0.50, 0.75), (0.0, 0.5)),
    Area.between('center', (0.46, 0.54), (-0.04, 0.04)),
)

AREAS = {area.words.removesuffix(' area').replace(' ', '_'): area for area in _AREAS}
"""LoHoRavens' named areas, as seen by a person facing the robot: top is near the robot, left is -y."""


def area(name: str) -> Area:
    """Return the named area, for example 'top_left'.

    Raises:
        SceneError: there is no such area.
    """
    if name not in AREAS:
        raise SceneError(f'There is no area called {name!r}. {near(name, AREAS)}')
    return AREAS[name]
