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
TURN = (-np.pi, np.pi)
SLENDER = 2.5  # longer than so many times its width, a prop is bounded by a rectangle rather than by a circle


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
    yaw: tuple[float, float] = TURN,
    beside: tuple[Prop, str] | None = None,
) -> Prop:
    """Return the prop on the table, its yaw between two (rad), within reach and clear of the others, and on a side of `beside` if given.

    Raises:
        SceneError: no place was found.
    """
    for _ in range(TRIES):
        (x, y), turn = workspace.spot(chance), float(chance.uniform(*yaw))
        if not workspace.reachable(x, y) or (beside is not None and not _clearly(beside[1], x, y, beside[0])):
            continue
        put = prop.at(Pose.from_rpy((x, y, prop.size[2] / 2 + LIFT), (0.0, 0.0, turn)))
        if all(_clear(put, other, spacing) for other in others):
            return put
    raise SceneError(
        f'No place was found in {TRIES} tries for {prop.name!r} ({footprint(prop):.3f} m in radius) beside {len(others)} props in '
        f'x {workspace.x}, y {workspace.y}, reach {workspace.reach} m. Draw large props first, draw fewer, make them smaller, '
        f'or lessen the spacing (now {spacing.alike} m between alike, {spacing.gap} m between others).'
    )


def _clear(prop: Prop, other: Prop, spacing: Spacing) -> bool:
    centres = hypot(*(a - b for a, b in zip(prop.pose.position[:2], other.pose.position[:2], strict=True)))
    if prop.noun == other.noun and centres < spacing.alike:
        return False
    return gap(prop, other) >= spacing.gap


def gap(a: Prop, b: Prop) -> float:
    """Return at least how far two upright props are apart in the plane, m: between circles around them, or rectangles if one is slender.

    Negative where the bounds overlap.
    """
    if max(_slenderness(a), _slenderness(b)) < SLENDER:
        centres = hypot(*(p - q for p, q in zip(a.pose.position[:2], b.pose.position[:2], strict=True)))
        return centres - footprint(a) - footprint(b)
    return max(_parted(a, b), _parted(b, a))


def _slenderness(prop: Prop) -> float:
    return max(prop.size[:2]) / min(prop.size[:2])


def _parted(a: Prop, b: Prop) -> float:
    """Return how far apart the rectangles of two props are along the better of a's own axes, m; the whole distance is at least that."""
    corners = a.pose.inverse().apply(b.pose.apply([(x * b.size[0] / 2, y * b.size[1] / 2, 0.0) for x in (-1, 1) for y in (-1, 1)]))
    return float(max(max(corners[:, k].min() - a.size[k] / 2, -a.size[k] / 2 - corners[:, k].max()) for k in (0, 1)))


def _clearly(where: str, x: float, y: float, other: Prop) -> bool:
    """Tell whether (x, y) lies on that side of another prop, and not near the diagonal to the next side."""
    here = other.at(Pose((x, y, other.pose.position[2])))
    off = sorted((abs(x - other.pose.position[0]), abs(y - other.pose.position[1])))
    return side(here, other) == where and off[0] <= CLEAR_SIDE * off[1]
