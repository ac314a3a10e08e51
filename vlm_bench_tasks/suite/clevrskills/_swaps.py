"""Two things that change places (ClevrSkills, Swap)."""

from collections.abc import Callable, Sequence
from itertools import combinations

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.authoring import Goal, Prop, all_of

NEAR = 0.05
"""Greatest distance from the other's place, m."""


def place_of(item: Prop, other: Prop, angle: float = 0.0) -> Pose:
    """Return the pose of an item where another stands, turned by `angle` rad from how it stands now."""
    (x, y, _), (u, v, _) = other.pose.position, item.pose.position
    turned = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, angle)) @ Pose(orientation=item.pose.orientation)
    return Pose(item.pose.shifted((x - u, y - v, 0.0)).position, turned.orientation if angle else item.pose.orientation)


def swapped(a: Prop, b: Prop, to: Callable[[Prop, Pose], Goal], angle: float = 0.0) -> Goal:
    """Return the goal that two things are at each other's place, both at once, `to` being the goal for a thing and its pose there."""
    return all_of(*(to(one, place_of(one, other, angle)) for one, other in ((a, b), (b, a))))


def pairs(things: Sequence[Prop]) -> list[tuple[Prop, Prop]]:
    """Return all pairs of things, that of the first two first."""
    return list(combinations(things, 2))
