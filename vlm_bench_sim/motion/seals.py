"""Poses where suction cups can seal on a solid: where their lips follow the surface, near the centre of mass, from above first."""

from dataclasses import dataclass
from math import exp

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.motion.collision import hulls_of
from vlm_bench_sim.motion.grasps import content_rng, diverse
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.surface import Surface

ABOVE = 0.0005
"""Greatest height of the surface under a cup over the plane of its tip, m: the cup presses it flat."""

GRAZE = 0.001
"""Greatest distance beyond a cup, m, at which an edge of the prop still catches it: the tilted prop would jam between the cups."""

LIFT_OFF = 0.001
"""Height above the surface at which the gripper is checked for collision with the prop itself, m."""

_SAMPLES = 400
_YAWS = 4
_REACH = 0.05


@dataclass(frozen=True)
class Cups:
    """Cups: (n, 3) tips in the tool frame, m, and the gripper that they belong to."""

    tips: Floats
    profile: SuctionProfile

    def around(self, radius: float | None = None) -> Floats:
        """Return (n, k, 3) points: the middle of each cup and a circle around it, by default its lip, m in the tool frame."""
        return self.tips[:, None, :] + np.vstack([np.zeros((1, 3)), self.profile.around(radius)])[None]


class SealSampler:
    """A sampler of seals for one suction gripper. The same shape and size always give the same seals."""

    def __init__(self, body: GripperBody, cups: Cups) -> None:
        self._body, self.signature = body, body.signature
        self._lips, self._travel = cups.around(), cups.profile.lip
        self._edges, self._cores = (cups.around(cups.profile.radius + beyond) for beyond in (GRAZE, -2 * GRAZE))

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
        """Return the share of the cups whose lips follow the surface; 0 if that of the first does not, or a cup grazes an edge."""
        closed: NDArray[np.bool_] = np.all(self._met(surface, tool, self._lips), axis=1)
        if not closed[0]:
            return 0.0
        grazed = self._met(surface, tool, self._edges).any(axis=1) & ~self._met(surface, tool, self._cores).any(axis=1)
        return 0.0 if grazed.any() else float(closed.mean())

    def _met(self, surface: Surface, tool: Pose, points: Floats) -> NDArray[np.bool_]:
        """Return, for (n, k, 3) points in the plane of the tips, whether a lip there meets the surface."""
        approach = tool.rotation[:, 2]
        starts = tool.apply(points.reshape(-1, 3)) - approach * _REACH + 1.7e-6
        crossings = surface.crossings(starts, approach)
        met = ~np.isnan(crossings).all(axis=1)
        depth = np.full(len(starts), np.inf)
        depth[met] = np.nanmin(crossings[met], axis=1) - _REACH
        follows: NDArray[np.bool_] = ((depth > -ABOVE) & (depth < self._travel)).reshape(points.shape[:2])
        return follows


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
