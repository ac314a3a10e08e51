"""Placement: where a prop may stand so that a robot reaches it and nothing overlaps."""

from dataclasses import dataclass
from math import hypot

import numpy as np

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import footprint
from vlm_bench_tasks.language.references import side

TRIES = 2000
LIFT = 0.0005  # m above the table: a prop starts in no contact and settles
CLEAR_SIDE = 0.7  # sideways per ahead, at most


@dataclass(frozen=True)
class Workspace:
    """The part of the table where props are put; their centres lie in it.

    Attributes:
        x, y: least and greatest coordinate, m.
        reach: least and greatest distance from the base's axis at which a downward tool can work, m.
    """

    x: tuple[float, float] = (0.30, 0.65)
    y: tuple[float, float] = (-0.35, 0.35)
    reach: tuple[float, float] = (0.30, 0.72)

    def spot(self, chance: np.random.Generator) -> tuple[float, float]:
        """Return a point, uniform over the rectangle; it may be out of reach."""
        return float(chance.uniform(*self.x)), float(chance.uniform(*self.y))

    def reachable(self, x: float, y: float) -> bool:
        """Tell whether a downward tool can work there."""
        return self.reach[0] <= hypot(x, y) <= self.reach[1]


@dataclass(frozen=True)
class Spacing:
    """How far a prop keeps from others: `alike` between the centres of props of its noun, `gap` between bounding circles, m."""

    alike: float
    gap: float


def place(
    prop: Prop,
    others: tuple[Prop, ...],
    *,
    spacing: Spacing,
    workspace: Workspace,
    chance: np.random.Generator,
    beside: tuple[Prop, str] | None = None,
) -> Prop:
    """Return the prop on the table with a uniform yaw, within reach and clear of the others, and on that side of `beside` if it is given.

    Raises:
        SceneError: no place was found.
    """
    for _ in range(TRIES):
        x, y = workspace.spot(chance)
        yaw = float(chance.uniform(-np.pi, np.pi))
        right = beside is None or _clearly(beside[1], x, y, beside[0])
        if right and workspace.reachable(x, y) and all(_clear(prop, x, y, other, spacing) for other in others):
            return prop.at(Pose.from_rpy((x, y, prop.size[2] / 2 + LIFT), (0.0, 0.0, yaw)))
    raise SceneError(
        f'No place was found in {TRIES} tries for {prop.name!r} ({footprint(prop):.3f} m in radius) beside {len(others)} props in '
        f'x {workspace.x}, y {workspace.y}, reach {workspace.reach} m. Draw large props first, draw fewer, make them smaller, '
        f'or lessen the spacing (now {spacing.alike} m between alike, {spacing.gap} m between others).'
    )


def _clear(prop: Prop, x: float, y: float, other: Prop, spacing: Spacing) -> bool:
    apart = hypot(x - other.pose.position[0], y - other.pose.position[1])
    alike = spacing.alike if prop.noun == other.noun else 0.0
    return apart >= max(alike, footprint(prop) + footprint(other) + spacing.gap)


def _clearly(where: str, x: float, y: float, other: Prop) -> bool:
    """Tell whether (x, y) lies on that side of another prop, and not near the diagonal to the next side."""
    here = other.at(Pose((x, y, other.pose.position[2])))
    off = sorted((abs(x - other.pose.position[0]), abs(y - other.pose.position[1])))
    return side(here, other) == where and off[0] <= CLEAR_SIDE * off[1]
