"""Collision checks between the robot, itself, the table and the props: convex hulls on coal, placed and paired by pinocchio.

Distances are signed, m: negative is the depth of an overlap. Each pair of owners (a robot link, a prop, the table) must keep a distance,
its margin. A negative margin permits that much overlap: things that touch at the start or the goal may touch on the way.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Protocol

import coal
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.geometry import Floats, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.core.snapshot import TABLE, Pair, pair
from vlm_bench_sim.motion.kinematics import Kinematics, se3

TOUCH = 0.001
"""How much nearer a pair may come on the way than at the start or the goal, m."""

ROUGHLY = 1e-4
"""How much an obstacle's hull is inflated when it stands in for the obstacle's parts, m: more than the error of the distances."""

_GROUND: Vector = (4.0, 4.0, 1.0)


class Probe(Protocol):
    """A collision checker for arm positions that counts its checks."""

    checks: int

    def free(self, arm: Floats) -> bool:
        """Return whether every pair keeps its margin at these arm positions."""
        ...

    def all_free(self, arms: Iterable[Floats]) -> bool:
        """Return whether all of these arm positions are free."""
        ...


class Surroundings(Protocol):
    """One robot among fixed obstacles."""

    def contacts(self, arm: Floats, clearance: float) -> dict[Pair, float]:
        """Return the signed distance of each pair of owners nearer than its margin: `clearance`, or 0 between links of the robot."""
        ...

    def checker(self, clearance: float, contacts: Iterable[Mapping[Pair, float]] = ()) -> Probe:
        """Return a fast checker: each pair keeps `clearance`, or comes no nearer than its distance in `contacts` (less `TOUCH`)."""
        ...


class CollisionModel:
    """The robot's hulls and the pairs of them to check. Adjacent links always overlap at their joint, so their pairs are left out."""

    def __init__(self, kinematics: Kinematics) -> None:
        self.kinematics = kinematics
        profile = kinematics.profile
        self._robot = pin.buildGeomFromUrdfString(kinematics.model, profile.urdf, pin.GeometryType.COLLISION)
        for part in self._robot.geometryObjects:
            if isinstance(part.geometry, coal.BVHModelBase):
                part.geometry.buildConvexHull(True, 'Qt')
                part.geometry = part.geometry.convex
        self._links = [kinematics.model.frames[part.parentFrame].name for part in self._robot.geometryObjects]
        self._joints = [int(part.parentJoint) for part in self._robot.geometryObjects]
        self._gripper = {profile.tool_link, *profile.gripper.links}

    def scene(
        self,
        obstacles: Iterable[Prop] = (),
        held: Prop | None = None,
        opening: float = 0.0,
        allowed: Iterable[str] = (),
        floor: float = 0.0,
        *,
        rough: Collection[str] = (),
    ) -> 'CollisionScene':
        """Return the robot among obstacles (poses in the world) with `held` (pose in the tool frame) and the fingers at `opening`, m.

        The gripper and the held prop may touch the `allowed` props. The table's top is at the height `floor`, m. Each of the `rough`
        obstacles is replaced by one convex hull of all its parts, inflated by `ROUGHLY`.
        """
        geometry = self._robot.copy()
        ground = coal.Box(*_GROUND)
        geometry.addGeometryObject(pin.GeometryObject(TABLE, 0, pin.SE3(np.eye(3), np.array([0.0, 0.0, floor - _GROUND[2] / 2])), ground))
        owners = [*self._links, TABLE]
        for prop in obstacles:
            owners += self._add(geometry, prop, 0, se3(prop.pose), whole=prop.name in rough)
        outside = len(owners)
        if held is not None:
            owners += self._add(geometry, held, self.kinematics.tool_joint, self.kinematics.tool_placement * se3(held.pose))
        pairs = self._pairs(owners, outside, frozenset(allowed))
        geometry.setCollisionPairs(pairs)
        ends = [(owners[a], owners[b], b >= len(self._links)) for a, b in np.argwhere(pairs).tolist()]  # in pinocchio's order
        return CollisionScene(self.kinematics, geometry, ends=ends, opening=opening, rough=frozenset(rough))

    def robot_parts(self) -> tuple['pin.GeometryModel', tuple[str, ...]]:
        """Return a copy of the robot's hulls, and the name of the link of each."""
        return self._robot.copy(), tuple(self._links)

    def gripper_parts(self) -> list[tuple[str, 'pin.GeometryObject']]:
        """Return the hulls of hand and fingers, each with the name of its link."""
        return [(link, part) for link, part in zip(self._links, self._robot.geometryObjects, strict=True) if link in self._gripper]

    def _add(self, geometry: 'pin.GeometryModel', prop: Prop, joint: int, placement: 'pin.SE3', *, whole: bool = False) -> list[str]:
        hulls = (hull_of(prop.kind, prop.size),) if whole else hulls_of(prop.kind, prop.size)
        for i, hull in enumerate(hulls):
            geometry.addGeometryObject(pin.GeometryObject(f'{prop.name}/{i}', joint, placement, hull))
        return [prop.name] * len(hulls)

    def _pairs(self, owners: list[str], outside: int, allowed: frozenset[str]) -> 'np.typing.NDArray[np.bool_]':
        """Return the (n, n) upper triangle of pairs to check: first robot parts, then obstacles, from `outside` on the held prop."""
        robot, n = len(self._links), len(owners)
        pairs = np.zeros((n, n), dtype=bool)
        parents = self.kinematics.model.parents
        for i in range(robot):
            for j in range(i + 1, robot):
                a, b = self._joints[i], self._joints[j]
                pairs[i, j] = a != b and parents[a] != b and parents[b] != a and parents[a] != parents[b]
        gripper = np.array([link in self._gripper for link in self._links])
        moving = np.array(self._joints) > 0
        may_touch = np.array([name in allowed for name in owners[robot:outside]], dtype=bool)
        pairs[:robot, robot:outside] = moving[:, None] & ~(gripper[:, None] & may_touch)
        pairs[:robot, outside:] = ~gripper[:, None]
        pairs[robot:outside, outside:] = ~may_touch[:, None]
        return pairs


class CollisionScene:
    """One robot with its held prop, among fixed obstacles.

    Args:
        kinematics: kinematics of the robot.
        geometry: all hulls, and the pairs of them to check.
        ends: owners of both hulls of each pair, and whether the second is not part of the robot.
        opening: full width between the fingers, m.
        rough: obstacles that are replaced by their hulls, inflated by `ROUGHLY`.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        geometry: 'pin.GeometryModel',
        *,
        ends: list[tuple[str, str, bool]],
        opening: float,
        rough: frozenset[str] = frozenset(),
    ) -> None:
        self.kinematics = kinematics
        self.geometry = geometry
        self.opening = opening
        self.owners = [pair(a, b) for a, b, _ in ends]
        self._outside = [i for i, end in enumerate(ends) if end[2]]
        self._rough = [i for i, two in enumerate(self.owners) if not rough.isdisjoint(two)] if rough else []
        self._plain: dict[float, Checker] = {}

    def contacts(self, arm: Floats, clearance: float) -> dict[Pair, float]:
        """Return the signed distance of each pair of owners nearer than its margin: `clearance`, or 0 between links of the robot."""
        plain = self.checker(clearance)
        if plain.free(arm):
            return {}
        model, data = self.kinematics.model, plain.data
        pin.computeCollisions(model, self.kinematics.data, self.geometry, data, self.kinematics.positions(arm, self.opening), False)
        near: dict[Pair, float] = {}
        for i, result in enumerate(data.collisionResults):
            if result.isCollision():
                distance = float(pin.computeDistance(self.geometry, data, i).min_distance)
                near[self.owners[i]] = min(distance, near.get(self.owners[i], np.inf))
        return near

    def hits(self, arm: Floats, checker: 'Checker') -> set[Pair]:
        """Return all pairs of owners that violate a margin of `checker`, which must belong to this scene."""
        whole = self.kinematics.positions(arm, self.opening)
        pin.computeCollisions(self.kinematics.model, self.kinematics.data, self.geometry, checker.data, whole, False)
        return {self.owners[i] for i, result in enumerate(checker.data.collisionResults) if result.isCollision()}

    def checker(self, clearance: float, contacts: Iterable[Mapping[Pair, float]] = ()) -> 'Checker':
        """Return a fast checker: each pair keeps `clearance`, or comes no nearer than its distance in `contacts` (less `TOUCH`)."""
        permitted: dict[Pair, float] = {}
        for near in contacts:
            for owners, distance in near.items():
                permitted[owners] = min(distance - TOUCH, permitted.get(owners, np.inf))
        if permitted:
            return Checker(self, self._data(clearance, permitted))
        if clearance not in self._plain:
            self._plain[clearance] = Checker(self, self._data(clearance, {}))
        return self._plain[clearance]

    def _data(self, clearance: float, permitted: Mapping[Pair, float]) -> 'pin.GeometryData':
        data = self.geometry.createData()
        requests = data.collisionRequests
        if clearance > 0:
            for i in self._outside:
                requests[i].security_margin = clearance
        for i, owners in enumerate(self.owners) if permitted else ():
            if owners in permitted:
                requests[i].security_margin = min(requests[i].security_margin, permitted[owners])
        for i in self._rough:
            requests[i].security_margin += ROUGHLY
        return data


class Checker:
    """A collision checker for arm positions with a broad phase. It counts its checks."""

    def __init__(self, scene: CollisionScene, data: 'pin.GeometryData') -> None:
        self.checks = 0
        self.data = data
        self._geometry = scene.geometry  # no reference to the scene: the cycle would keep megabytes until garbage collection
        self._model, self._kinematics = scene.kinematics.model, scene.kinematics.model.createData()
        self._q = scene.kinematics.positions(np.asarray(scene.kinematics.profile.home), scene.opening)
        self._arm = scene.kinematics.arm
        pin.updateGeometryPlacements(self._model, self._kinematics, scene.geometry, data, self._q)
        self._broad = pin.TreeBroadPhaseManager_DynamicAABBTreeCollisionManager(self._model, scene.geometry, data)

    def free(self, arm: Floats) -> bool:
        """Return whether every pair keeps its margin at these arm positions."""
        self.checks += 1
        self._q[self._arm] = arm
        return not pin.computeCollisions(self._model, self._kinematics, self._broad, self._q, True)

    def all_free(self, arms: Iterable[Floats]) -> bool:
        """Return whether all of these arm positions are free."""
        return all(self.free(arm) for arm in arms)


@lru_cache(maxsize=512)
def hull_of(kind: str, size: Vector) -> 'coal.ConvexBase':
    """Return the convex hull of a whole shape of that size, in its own frame."""
    return hull(np.vstack(sized(kind, size).parts))


@lru_cache(maxsize=512)
def hulls_of(kind: str, size: Vector) -> tuple['coal.ConvexBase', ...]:
    """Return the hulls of the convex parts of a shape of that size, in its own frame."""
    return tuple(hull(part) for part in sized(kind, size).parts)


def hull(points: Floats) -> 'coal.ConvexBase':
    """Return the convex hull of (n, 3) points."""
    corners = coal.StdVec_Vec3s()
    for point in points:
        corners.append(np.asarray(point, dtype=float))
    return coal.Convex.convexHull(corners, True, 'Qt')
