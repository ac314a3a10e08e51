"""Poses where suction cups can seal on a solid: flat under each cup and near the centre of mass, from above first."""

from dataclasses import dataclass
from math import exp

import coal
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.algebra import dot, matmul, norm, rounded
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.motion.collision import hulls_of
from vlm_bench_sim.motion.grasps import content_rng, diverse
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.surface import Surface

FLATNESS = 0.0005
"""Greatest deviation of the surface under a cup from its plane, m."""

LIFT_OFF = 0.001
"""Height above the surface at which the gripper is checked for collision with the prop itself, m."""

_SAMPLES = 400
_YAWS = 4
_RIM = 8
_REACH = 0.05


@dataclass(frozen=True)
class Cups:
    """Cups in the tool frame: (n, 3) tips, m, and their radius, m."""

    tips: Floats
    radius: float

    def rim(self) -> Floats:
        """Return (n, k, 3) points that must touch the surface: the middle and the rim of each cup."""
        angles = np.arange(_RIM) * 2 * np.pi / _RIM
        ring = rounded(np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_RIM)])) * self.radius
        return self.tips[:, None, :] + np.vstack([np.zeros((1, 3)), ring])[None]


class SealSampler:
    """A sampler of seals for one suction gripper. The same shape and size always give the same seals."""

    def __init__(self, body: GripperBody, cups: Cups) -> None:
        self._body, self.signature = body, body.signature
        self._rim = cups.rim()

    def sample(self, kind: str, size: Vector, _friction: float) -> tuple[Grasp, ...]:
        """Return up to 40 diverse seals on a shape of that size (3,) m, best first, tool poses in the shape's own frame."""
        shape = sized(kind, size)
        surface = Surface(shape)
        hulls = [(hull, pin.SE3.Identity()) for hull in hulls_of(kind, size)]
        floor = float(shape.vertices[:, 2].min())
        points, normals = surface.sample(_SAMPLES, content_rng(kind, size))
        found: list[Grasp] = []
        for normal in surface.directions():
            if normal[2] <= -0.1:
                continue  # nothing on a table can be taken from below
            on_side = points[matmul(normals, normal) > 0.999]
            for point in np.vstack([self._over_middle(surface, normal), on_side]):
                for k in range(_YAWS):
                    tool = _tool(point, normal, k * np.pi / 2 / _YAWS * 2)
                    share = self._sealed(surface, tool)
                    if share > 0 and self._clear(tool, hulls, floor):
                        found.append(Grasp(tool, 0.0, _quality(surface, point, normal, share)))
        return diverse(found)

    def _over_middle(self, surface: Surface, normal: Floats) -> Floats:
        """Return (1, 3): the point where the line from the centre of mass along `normal` leaves the solid; (0, 3) if it never does."""
        crossings = surface.crossings(surface.middle[None] + 1.3e-6, normal)[0]
        ahead = crossings[crossings > 0]
        return (surface.middle + normal * float(np.nanmax(ahead)))[None] if len(ahead) else np.zeros((0, 3))

    def _clear(self, tool: Pose, hulls: list[tuple['coal.CollisionGeometry', 'pin.SE3']], floor: float) -> bool:
        """Return whether the gripper, lifted slightly, overlaps neither the prop nor the surface that the prop stands on."""
        ground = pin.SE3(np.eye(3), np.array([0.0, 0.0, floor - 0.5]))
        return self._body.clear(tool @ Pose((0.0, 0.0, -LIFT_OFF)), 0.0, [*hulls, (coal.Box(4.0, 4.0, 1.0), ground)])

    def _sealed(self, surface: Surface, tool: Pose) -> float:
        """Return the share of the cups that lie flat on the surface; 0 if the first one does not."""
        approach = tool.rotation[:, 2]
        count, spots, _ = self._rim.shape
        starts = tool.apply(self._rim.reshape(-1, 3)) - approach * _REACH + 1.7e-6
        crossings = surface.crossings(starts, approach)
        met = ~np.isnan(crossings).all(axis=1)
        depth = np.full(len(starts), np.inf)
        depth[met] = np.nanmin(crossings[met], axis=1) - _REACH
        flat = (np.abs(depth) < FLATNESS).reshape(count, spots).all(axis=1)
        return float(flat.mean()) if flat[0] else 0.0


def _tool(point: Floats, normal: Floats, yaw: float) -> Pose:
    side = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = side - dot(side, normal) * normal
    x /= norm(x)
    matrix = np.eye(4)
    matrix[:3, :3] = np.column_stack([x, np.cross(-normal, x), -normal])
    matrix[:3, 3] = point
    return Pose.from_matrix(matrix) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, yaw))


def _quality(surface: Surface, point: Floats, normal: Floats, share: float) -> float:
    arm = point - surface.middle
    lever = norm(arm - dot(arm, normal) * normal)
    return round(float(0.5 * max(0.0, normal[2]) + 0.35 * exp(-lever / 0.015) + 0.15 * share), 6)
