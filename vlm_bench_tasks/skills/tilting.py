"""Geometry of pouring: grasps of a vessel's wall, and the vessel's poses while it is tilted over what it pours into."""

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

DEPTH, OPENING = 0.015, 0.026  # m: depth of the grasp below the rim, and opening of the fingers
LEANS = (radians(35.0), radians(25.0), radians(12.0))  # angles that the hand leans back from the flow, so that nothing falls on it
NARROW = 0.042  # m: a wall with a smaller radius turns between flat pads until they lie along it, so the smallest lean comes first
NEAR, ALIKE = 0.005, radians(8.0)  # m and rad below which two grasps count as the same
SPOKES = 12  # number of directions around a vessel that are tried
HANDLE = radians(45.0)  # least angle between a handle and the grasped part of the wall, or the lip
GAP = 0.025  # m between the receiver and the lowest point of the tilted vessel
SHORT = 0.6  # distance of the lip before the receiver's middle, as a share of its radius: beads fly a little
TILTS = tuple(radians(v) for v in (0, 60, 80, 86, 90, 94, 98, 103, 109, 116, 122, 128))
RISES = (0.0, 0.035, 0.07)  # m that the vessel may be higher than `GAP` if the hand has no room beside the receiver


@dataclass(frozen=True)
class Mouth:
    """What is poured into: the mouth of a vessel, or a spot on the ground.

    Attributes:
        middle: (3,) m in the world, at the height that the poured vessel must clear.
        bearing: direction in which it lies from the robot, rad.
        short: distance of the lip before the middle, m: beads fly a little.
        name: name of the vessel; '' for the ground.
    """

    middle: Vector
    bearing: float
    short: float = 0.0
    name: str = ''


def mouth_of(receiver: Prop) -> Mouth:
    """Return the mouth of a vessel at its pose."""
    cavity = cavity_of(receiver)
    x, y, _ = receiver.pose.apply([cavity.centre])[0]
    top = receiver.pose.apply(receiver.solid.vertices)[:, 2].max()
    return Mouth((float(x), float(y), float(top)), atan2(*receiver.pose.position[1::-1]), SHORT * cavity.size[0] / 2, receiver.name)


@dataclass(frozen=True)
class Pouring:
    """A way to pour.

    Attributes:
        vessel: the vessel to tilt.
        mouth: what it is poured into.
        lip: direction from the vessel's axis to the lip, in its frame, rad.
        flow: direction of the flow in the world, rad.
        rise: height of the vessel above `GAP`, m, which gives the hand room over the mouth.
    """

    vessel: Prop
    mouth: Mouth
    lip: float
    flow: float
    rise: float = 0.0

    def pose(self, tilt: float) -> Pose:
        """Return the pose of the vessel at a tilt, rad. The lip stays over the same point of the mouth, at the necessary height."""
        ahead = np.array([cos(self.flow), sin(self.flow), 0.0])
        axis = sin(tilt / 2) * np.array([-sin(self.flow), cos(self.flow), 0.0])
        turned = Pose(orientation=(*vector(axis), cos(tilt / 2))) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, self.flow - self.lip))
        lip = turned.apply([rim(self.vessel, self.lip)])[0]
        lowest = float(turned.apply(self.vessel.solid.vertices)[:, 2].min())
        middle = np.asarray(self.mouth.middle) - self.mouth.short * ahead
        height = self.mouth.middle[2] + GAP + self.rise - lowest
        return turned.shifted((float(middle[0] - lip[0]), float(middle[1] - lip[1]), height))

    def higher(self) -> list['Pouring']:
        """Return copies at increasing heights, the first at the present height."""
        return [replace(self, rise=self.rise + more) for more in RISES]


def walls(vessel: Prop) -> Iterator[Grasp]:
    """Yield grasps of a vessel's wall from above, leaning to either side, each also turned by 180° about its approach."""
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
    """Return the middle of the wall, (3,) m in the vessel's frame, in a direction from the axis, rad, at a height, m."""
    reach = np.arange(0.0, cavity.size[0], 5e-4)
    spots = np.column_stack([cavity.centre[0] + reach * cos(spoke), cavity.centre[1] + reach * sin(spoke), np.full(len(reach), height)])
    free = inside(vessel.at(Pose()), spots)
    return np.asarray(spots[int(free.argmin())] + 0.0015 * np.array([cos(spoke), sin(spoke), 0.0]))


def rim(vessel: Prop, spoke: float) -> Vector:
    """Return the inner edge of the rim, (3,) m in the vessel's frame, in a direction from the axis, rad."""
    return _rim(vessel.at(Pose()), spoke)


@lru_cache(maxsize=256)
def _rim(vessel: Prop, spoke: float) -> Vector:
    cavity = cavity_of(vessel)
    at = _wall(vessel, cavity, spoke, float(cavity.high[2]) - 1e-3)
    return float(at[0]), float(at[1]), float(cavity.high[2])


def off_handle(vessel: Prop, spoke: float) -> bool:
    """Return whether a direction from the axis, rad, is clear of the handle. The asymmetry of the vessel's box shows the handle."""
    x, y = cavity_of(vessel).centre[:2]
    if hypot(x, y) < 1e-3:
        return True
    return abs((spoke - atan2(-y, -x) + pi) % (2 * pi) - pi) > HANDLE


def alike(one: Grasp, other: Grasp) -> bool:
    """Return whether two grasps are the same, up to a rotation about the approach."""
    return one.tool.distance(other.tool) < NEAR and dot(one.tool.rotation[:, 2], other.tool.rotation[:, 2]) > cos(ALIKE)
