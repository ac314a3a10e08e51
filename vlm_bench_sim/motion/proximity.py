"""Which things are near one another, by their exact hulls at poses from anywhere, such as a tracker's: no physics, no contacts."""

from collections.abc import Iterable
from dataclasses import dataclass

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import ROOM, TABLE, Snapshot
from vlm_bench_sim.motion.collision import CollisionModel, hulls_of
from vlm_bench_sim.motion.kinematics import Kinematics, se3

ROBOT_LINK = 'robot/'
"""Prefix of the names of the robot's links among the owners of hulls."""


@dataclass(frozen=True)
class Near:
    """Two things near one another.

    Attributes:
        first, second: their names: of a prop, a link of furniture (`mechanism/link`) or of the robot (`robot/link`), the table or the room.
        distance: between their surfaces, m; negative is the depth of an overlap.
        normal: unit vector from the first to the second at the nearest points, in the world.
    """

    first: str
    second: str
    distance: float
    normal: Vector


@dataclass(frozen=True)
class _Hull:
    """One convex part: its owner, and its pose in the owner's frame."""

    owner: str
    shape: 'coal.CollisionGeometry'
    at: Pose


class Proximity:
    """The hulls of all things of a scene.

    Args:
        kinematics: of the robot.
        scene: what stands there; things are near at the poses of a snapshot.
    """

    def __init__(self, kinematics: Kinematics, scene: Scene) -> None:
        self._kinematics, self._scene = kinematics, scene
        self._robot, links = CollisionModel(kinematics).robot_parts()
        self._placed = self._robot.createData()
        self._hulls = [
            _Hull(ROBOT_LINK + link, part.geometry, Pose()) for link, part in zip(links, self._robot.geometryObjects, strict=True)
        ]
        fixed = {ROBOT_LINK + link for link, part in zip(links, self._robot.geometryObjects, strict=True) if not part.parentJoint}
        self._hulls.append(_Hull(TABLE, coal.Box(*scene.table.box.size), Pose(scene.table.box.centre)))
        for solid in scene.neighbours:
            self._hulls += _hulls(ROOM, solid, solid.pose)
        for prop in scene.props:
            self._hulls += [] if prop.ghost else _hulls(prop.name, prop, Pose())
        for mechanism in scene.mechanisms:
            for link in mechanism.links:
                self._hulls += [hull for part in link.parts for hull in _hulls(mechanism.full(link.name), part, part.pose)]
            fixed.add(mechanism.full(mechanism.links[0].name))
        told = {prop.name for prop in scene.props} | {name for mechanism in scene.mechanisms for name in mechanism.joints}
        self._needs = [hull.owner if hull.owner in told else '' for hull in self._hulls]  # whose pose a snapshot must give
        fixed |= {TABLE, ROOM, *(prop.name for prop in scene.props if prop.fixed)}
        self._low, self._high = self._boxes()
        self._pairs = self._meetings(fixed)

    def near(self, now: Snapshot, within: float) -> tuple[Near, ...]:
        """Return all pairs of things that are at most `within` m apart, each with its nearest hulls.

        Args:
            now: gives the poses of props, the joints of the robot and of furniture; contacts are not looked at. What it does not give is
                nowhere.
            within: m, from 0.
        """
        places = self._places(now)
        middles = np.array([place.translation for place in places])
        turns = np.array([place.rotation for place in places])
        centres = middles + np.einsum('nij,nj->ni', turns, (self._low + self._high) / 2)
        halves = np.einsum('nij,nj->ni', np.abs(turns), (self._high - self._low) / 2)
        a, b = self._pairs
        known = np.array([not needs or needs in now.bodies or needs in now.mechanisms for needs in self._needs])
        close = (np.abs(centres[a] - centres[b]) <= halves[a] + halves[b] + within).all(axis=1) & known[a] & known[b]
        found: dict[tuple[str, str], Near] = {}
        for i, j in zip(a[close].tolist(), b[close].tolist(), strict=True):
            one = self._gap(i, j, places)
            key = (one.first, one.second)
            if one.distance <= within and (key not in found or one.distance < found[key].distance):
                found[key] = one
        return tuple(found.values())

    def _gap(self, i: int, j: int, places: list['pin.SE3']) -> Near:
        result = coal.DistanceResult()
        ends = [(coal.Transform3s(places[k].rotation, places[k].translation), self._hulls[k]) for k in (i, j)]
        (here, one), (there, other) = ends
        distance = coal.distance(one.shape, here, other.shape, there, coal.DistanceRequest(), result)
        return Near(one.owner, other.owner, float(distance), vector(result.normal))

    def _places(self, now: Snapshot) -> list['pin.SE3']:
        """Return the placement of each hull in the world."""
        kinematics, joints = self._kinematics, {name: joint.position for name, joint in now.joints.items()}
        pin.updateGeometryPlacements(kinematics.model, kinematics.data, self._robot, self._placed, kinematics.configuration(joints))
        count = len(self._robot.geometryObjects)
        frames = {name: body.pose for name, body in now.bodies.items()}
        for mechanism in self._scene.mechanisms:
            frames |= mechanism.placed(now.mechanisms)
        rest = [se3(frames.get(hull.owner, Pose()) @ hull.at) for hull in self._hulls[count:]]
        return [*(self._placed.oMg[i] for i in range(count)), *rest]

    def _boxes(self) -> tuple[Floats, Floats]:
        """Return lowest and highest corner of each hull's box in its own frame, (n, 3) m each."""
        for hull in self._hulls:
            hull.shape.computeLocalAABB()
        boxes = [hull.shape.aabb_local for hull in self._hulls]
        return np.array([box.min_ for box in boxes]), np.array([box.max_ for box in boxes])

    def _meetings(self, fixed: set[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return both numbers of each pair of hulls that may touch: not within one thing, robot or piece, nor if neither ever moves."""
        owners = [hull.owner for hull in self._hulls]
        pieces = [owner.split('/')[0] for owner in owners]
        still = np.array([owner in fixed for owner in owners])
        _, group = np.unique(pieces, return_inverse=True)
        apart = (group[:, None] != group[None, :]) & ~(still[:, None] & still[None, :])
        first, second = np.nonzero(np.triu(apart, 1))
        return first, second


def _hulls(owner: str, prop: Prop, at: Pose) -> Iterable[_Hull]:
    return (_Hull(owner, hull, at) for hull in hulls_of(prop.kind, prop.size))
