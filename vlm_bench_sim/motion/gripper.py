"""The geometry of a gripper from its URDF: pads or cups, palm and hulls in the tool frame."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import coal
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.kinematics import se3


@dataclass(frozen=True)
class Pads:
    """The contact area of a finger, in the tool frame (z forward, y along the opening).

    Attributes:
        width: extent along x, m.
        behind, tip: range along z, m.
        palm: where the hand begins behind the fingers, along z, m.
    """

    width: float
    behind: float
    tip: float
    palm: float


class GripperBody:
    """Hulls of hand and fingers around the tool frame, at any opening."""

    def __init__(self, collision: CollisionModel) -> None:
        self._kinematics = collision.kinematics
        self._home = np.asarray(self._kinematics.profile.home)
        self._parts = collision.gripper_parts()
        self._data = self._kinematics.model.createData()
        self.max_opening = self._kinematics.profile.gripper.max_opening

    def placed(self, opening: float) -> list[tuple['coal.CollisionGeometry', 'pin.SE3']]:
        """Return each hull with its placement in the tool frame, fingers at `opening` (full width, m)."""
        kinematics = self._kinematics
        pin.forwardKinematics(kinematics.model, self._data, kinematics.positions(self._home, opening))
        inverse = (self._data.oMi[kinematics.tool_joint] * kinematics.tool_placement).inverse()
        return [(part.geometry, inverse * self._data.oMi[part.parentJoint] * part.placement) for _, part in self._parts]

    @cached_property
    def pads(self) -> Pads:
        """The pads, from the finger hull that reaches farthest forward."""
        extents = [
            (link, _extent(geometry, placement)) for (link, _), (geometry, placement) in zip(self._parts, self.placed(0.0), strict=True)
        ]
        fingers = self._kinematics.profile.gripper.links
        low, high = max((e for link, e in extents if link in fingers), key=lambda e: float(e[1][2]))
        palm = max(float(e[1][2]) for link, e in extents if link not in fingers)
        return Pads(float(high[0] - low[0]), float(low[2]), float(high[2]), palm)

    @cached_property
    def signature(self) -> str:
        """A hash of the gripper: its profile, and the name, extents and volume of every hull."""
        profile, digest = self._kinematics.profile, sha256()
        digest.update(repr((profile.gripper, profile.tool_link, profile.tool)).encode())
        for (link, _), (geometry, placement) in zip(self._parts, self.placed(self.max_opening), strict=True):
            low, high = (np.round(corner, 9).tolist() for corner in _extent(geometry, placement))
            digest.update(repr((link, low, high, round(float(geometry.computeVolume()), 12))).encode())
        return digest.hexdigest()

    def tips(self, links: tuple[str, ...]) -> Floats:
        """Return (n, 3): the farthest point of each link's hull along the approach, on its axis, in the tool frame."""
        extents = {link: _extent(*placed) for (link, _), placed in zip(self._parts, self.placed(0.0), strict=True)}
        return np.array([[*(low[:2] + high[:2]) / 2, high[2]] for low, high in (extents[link] for link in links)])

    def clear(self, tool: Pose, opening: float, others: list[tuple['coal.CollisionGeometry', 'pin.SE3']]) -> bool:
        """Return whether the gripper at `tool` overlaps no other hull. `others` have placements in the same frame as `tool`."""
        request, frame = coal.CollisionRequest(), se3(tool)
        there = [(other, _transform(where)) for other, where in others]
        for geometry, placement in self.placed(opening):
            own = _transform(frame * placement)
            if any(coal.collide(geometry, own, other, where, request, coal.CollisionResult()) for other, where in there):
                return False
        return True


def _transform(placement: 'pin.SE3') -> 'coal.Transform3s':
    return coal.Transform3s(placement.rotation, placement.translation)


def _extent(geometry: 'coal.CollisionGeometry', placement: 'pin.SE3') -> tuple[Floats, Floats]:
    geometry.computeLocalAABB()
    low, high = np.asarray(geometry.aabb_local.min_), np.asarray(geometry.aabb_local.max_)
    corners = np.array([[(low, high)[(k >> i) & 1][i] for i in range(3)] for k in range(8)])
    moved = matmul(corners, placement.rotation.T) + placement.translation
    return moved.min(axis=0), moved.max(axis=0)
