"""Words for where things have been put."""

from dataclasses import dataclass
from math import cos, radians

import numpy as np

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Floats
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_tasks.goals.base import Leaf, called

MARGIN = 0.002  # m: what contacts of the simulator, or a tracker, may be off
UPRIGHT = cos(radians(15.0))


@serialisable
@dataclass(frozen=True)
class Inside(Leaf):
    """The prop lies in the container and has been let go: contained, not merely overlapping.

    Holds when every vertex of the prop is within the cavity's cross-section and none below its floor (2 mm allowed), the prop's centre
    is below the rim, the container stands within 15° of upright, and the robot neither holds nor touches the prop.

    Raises:
        SceneError: the container has no cavity.
    """

    NEEDS_CONTACTS = True

    prop: Prop
    container: Prop

    def __post_init__(self) -> None:
        _cavity(self.container)

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Tell whether the prop is contained and released."""
        free = now.held != self.prop.name and not now.touches(self.prop.name, ROBOT)
        upright = now.pose(self.container.name).rotation[2, 2] >= UPRIGHT
        return bool(free and upright and self.distance(now, start) == 0.0)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return by how much the prop sticks out of the cavity, m."""
        relative = now.pose(self.container.name).inverse() @ now.pose(self.prop.name)
        return float(np.linalg.norm(_excess(relative.apply(self.prop.solid.vertices), relative.position[2], _cavity(self.container))))

    def words(self) -> str:
        """Say it."""
        return f'{called(self.prop)} is inside {called(self.container)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop and its container."""
        return (self.prop, self.container)


def _cavity(container: Prop) -> Box:
    cavity = container.solid.cavity
    if cavity is None:
        raise SceneError(f'{container.name!r} is a {container.kind}, which has no cavity to be inside of. Name a container.')
    return cavity


def _excess(vertices: Floats, centre: float, cavity: Box) -> Floats:
    """Return (3,) m: how far the vertices leave the cavity sideways, and how far the prop is above its rim or below its floor.

    Args:
        vertices: (n, 3) m, in the container's frame.
        centre: height of the prop's centre in that frame, m.
        cavity: of the container.
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    sides = np.maximum(cavity.low - MARGIN - low, high - cavity.high - MARGIN)
    sides[2] = max(cavity.low[2] - MARGIN - low[2], centre - cavity.high[2])
    excess: Floats = np.maximum(sides, 0.0)
    return excess
