"""How a vessel is taken by its wall and how it stands while it is tilted over another: geometry alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import atan2, cos, hypot, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.algebra import dot, norm
from vlm_bench_sim.core.geometry import Box, Floats, Pose, Vector, vector
from vlm_bench_sim.core.matter import inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_tasks.goals.placing import cavity_of

DEPTH, OPENING = 0.015, 0.026  # m below the rim where the wall is taken, and how wide the fingers open for it
LEANS = (radians(35.0), radians(25.0), radians(12.0))  # by which the hand leans back from where will be poured, so that nothing falls on it
NARROW = 0.042  # m: a wall that bends more than this radius turns between flat pads until they lie along it, so the hand leans least there
NEAR, ALIKE = 0.005, radians(8.0)  # m and rad between two grasps that take the same
SPOKES = 12  # directions around a vessel that are tried
HANDLE = radians(45.0)  # a handle is no nearer than this to where the wall is taken, or to the lip
GAP = 0.025  # m between the receiver and the lowest point of what is tilted over it
SHORT = 0.6  # share of the receiver's radius by which the lip stays before its middle: beads fly a little
TILTS = tuple(radians(v) for v in (0, 60, 80, 86, 90, 94, 98, 103, 109, 116, 122, 128))
RISES = (0.0, 0.035, 0.07)  # m by which what is tilted may be higher than `GAP` where the hand has no room beside the receiver


@dataclass(frozen=True)
class Pouring:
    """A way to pour.

    Attributes:
        vessel: that is tilted.
        receiver: where it stands.
        lip: direction from the vessel's axis to the lip, in its frame, rad.
        flow: direction of the flow in the world, rad.
        rise: m by which the vessel is higher than `GAP`, so that the hand has room over the receiver.
    """

    vessel: Prop
    receiver: Prop
    lip: float
    flow: float
    rise: float = 0.0

    def pose(self, tilt: float) -> Pose:
        """Return where the vessel is when it is tilted so far, rad; its lip keeps its place over the receiver, as high as it must be."""
        ahead = np.array([cos(self.flow), sin(self.flow), 0.0])
        axis = sin(tilt / 2) * np.array([-sin(self.flow), cos(self.flow), 0.0])
        turned = Pose(orientation=(*vector(axis), cos(tilt / 2))) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, self.flow - self.lip))
        lip = turned.apply([rim(self.vessel, self.lip)])[0]
        lowest = float(turned.apply(self.vessel.solid.vertices)[:, 2].min())
        cavity = cavity_of(self.receiver)
        middle = self.receiver.pose.apply([cavity.centre])[0] - SHORT * cavity.size[0] / 2 * ahead
        height = float(self.receiver.pose.apply(self.receiver.solid.vertices)[:, 2].max()) + GAP + self.rise - lowest
        return turned.shifted((float(middle[0] - lip[0]), float(middle[1] - lip[1]), height))

    def higher(self) -> list['Pouring']:
        """Return the same as high as it is, and higher."""
        return [replace(self, rise=self.rise + more) for more in RISES]

    def tools(self, in_tool: Pose) -> list[Pose]:
        """Return where the tool is at each of `TILTS`, with the vessel so in the tool frame."""
        return [self.pose(tilt) @ in_tool.inverse() for tilt in TILTS]


def walls(vessel: Prop) -> Iterator[Grasp]:
    """Yield grasps of a vessel's wall from above, the hand leaning to either side of it, each also turned half about its approach."""
    cavity, spokes = cavity_of(vessel), np.linspace(0.0, 2 * pi, SPOKES, endpoint=False)
    leans = LEANS if cavity.size[0] / 2 > NARROW else LEANS[::-1]
    for lean, spoke, side in product(leans, spokes, (1, -1)):
        if not off_handle(vessel, float(spoke)):
            continue
        top, deep = (_wall(vessel, cavity, float(spoke), height) for height in (cavity.high[2] - 0.004, cavity.high[2] - 0.03))
        up = (top - deep) / norm(top - deep)
        out = np.array([cos(spoke), sin(spoke), 0.0])
        out = (out - dot(out, up) * up) / norm(out - dot(out, up) * up)
        approach = -cos(lean) * up + side * sin(lean) * np.cross(up, out)
        at = top + (DEPTH - 0.004) * (deep - top) / norm(deep - top)
        for opening in (out, -out):
            matrix = np.eye(4)
            matrix[:3, :3] = np.column_stack([np.cross(opening, approach), opening, approach])
            matrix[:3, 3] = at
            yield Grasp(Pose.from_matrix(matrix), OPENING, 1.0)


def _wall(vessel: Prop, cavity: Box, spoke: float, height: float) -> Floats:
    """Return the middle of the wall in a direction from the axis, rad, at a height, m: (3,) in the vessel's frame."""
    reach = np.arange(0.0, cavity.size[0], 5e-4)
    spots = np.column_stack([cavity.centre[0] + reach * cos(spoke), cavity.centre[1] + reach * sin(spoke), np.full(len(reach), height)])
    free = inside(vessel.at(Pose()), spots)
    return np.asarray(spots[int(free.argmin())] + 0.0015 * np.array([cos(spoke), sin(spoke), 0.0]))


def rim(vessel: Prop, spoke: float) -> Vector:
    """Return the inner edge of the rim in a direction from the axis, rad: (3,) m in the vessel's frame."""
    return _rim(vessel.at(Pose()), spoke)


@lru_cache(maxsize=256)
def _rim(vessel: Prop, spoke: float) -> Vector:
    cavity = cavity_of(vessel)
    at = _wall(vessel, cavity, spoke, float(cavity.high[2]) - 1e-3)
    return float(at[0]), float(at[1]), float(cavity.high[2])


def off_handle(vessel: Prop, spoke: float) -> bool:
    """Return whether a direction from the axis, rad, is clear of a handle, which stands off where the vessel's box is not symmetric."""
    x, y = cavity_of(vessel).centre[:2]
    if hypot(x, y) < 1e-3:
        return True
    return abs((spoke - atan2(-y, -x) + pi) % (2 * pi) - pi) > HANDLE


def alike(one: Grasp, other: Grasp) -> bool:
    """Return whether a hand that is turned half about its approach would take what it did before."""
    return one.tool.distance(other.tool) < NEAR and dot(one.tool.rotation[:, 2], other.tool.rotation[:, 2]) > cos(ALIKE)
