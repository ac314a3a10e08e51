"""Where fingers and cups are around the tool centre point, by their collision shapes."""

from itertools import product

import coal
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.kinematics import Kinematics, se3

Extent = tuple[Floats, Floats]
"""Lowest and highest coordinates, m: two arrays (3,)."""


def extents(kinematics: Kinematics, opening: float) -> dict[str, Extent]:
    """Return the extent of each finger or cup in the frame of the tool centre point: z forward, y along the opening.

    Args:
        kinematics: of the robot.
        opening: of the fingers, full width, m; 0 for cups.
    """
    profile, found = kinematics.profile, dict[str, list[Floats]]()
    tool = se3(kinematics.tool_pose(profile.home)).inverse()
    pin.forwardKinematics(kinematics.model, kinematics.data, kinematics.positions(np.asarray(profile.home), opening))
    for link, part in CollisionModel(kinematics).gripper_parts():
        if link in profile.gripper.links:
            placed = tool * kinematics.data.oMi[part.parentJoint] * part.placement
            found.setdefault(link, []).append(matmul(_corners(part.geometry), placed.rotation.T) + placed.translation)
    whole = {link: np.concatenate(points) for link, points in found.items()}
    return {link: (points.min(axis=0), points.max(axis=0)) for link, points in whole.items()}


def _corners(shape: coal.CollisionGeometry) -> Floats:
    """Return points (n, 3) whose hull holds a shape: its own if it is a hull, else the corners of its box."""
    if isinstance(shape, coal.ConvexBase):
        return np.array([shape.point(i) for i in range(shape.num_points)])
    shape.computeLocalAABB()
    low, high = np.array(shape.aabb_local.min_), np.array(shape.aabb_local.max_)
    return np.array([np.where(ends, high, low) for ends in product((False, True), repeat=3)])
