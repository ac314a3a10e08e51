"""Antipodal grasps of a parallel gripper on any solid: where two opposed pads meet the surface, and how well.

A grasp is judged by what the pads would touch: each closes until its first contact, and the parts of the pad that then touch must face each
other across the opening. Flat on flat is best; flat on an edge holds; an edge on an edge tips.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

import coal
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.shapes import solid
from vlm_bench_sim.motion.collision import hulls_of
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.surface import Surface

WIDEST = 0.9
"""Greatest width that is grasped, as a share of the gripper's greatest opening."""

SIDE_CLEARANCE = 0.01
"""Room between each open finger and the prop, m, where the gripper opens so far."""

TIP_CLEARANCE = 0.004
"""Least height of the gripper above what the prop stands on, m."""

_SAMPLES = 40
_TILTS = (0.0, 0.35, -0.35, 0.7, -0.7, np.pi / 2, -np.pi / 2, np.pi)
_KEPT = 40
_SAME_PLACE, _SAME_ANGLE = 0.006, 0.2
_CONTACT = 0.0004
_ENGAGED = 0.4
_COLUMNS, _ROWS = 7, 5
_UPRIGHT = -0.5
_PALM_ROOM = 0.003
_OFF = (0.0, -0.1, 0.1, -0.2, 0.2)
_HALF_TURN = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))


@dataclass(frozen=True)
class _Touch:
    """What the pads meet.

    Attributes:
        low, high: first contacts of the two pads along the opening axis, m.
        flatness: share of the pads' area that touches, 0…1.
        skew: angle between the opening axis and the line between the nearest contacts of the two pads, rad.
        engaged: share of the pads' area that has some of the prop between them.
    """

    low: float
    high: float
    flatness: float
    skew: float
    engaged: float


class GraspSampler:
    """Finds grasps for one gripper. The same shape, size and friction always give the same grasps."""

    def __init__(self, body: GripperBody) -> None:
        self._body, self.signature = body, body.signature
        pads = body.pads
        x = np.linspace(-0.5, 0.5, _COLUMNS) * pads.width * 0.999
        z = np.linspace(pads.behind + 0.0002, pads.tip - 0.0002, _ROWS)
        # A hair off the middle, so that no line runs along an edge of a symmetric mesh.
        self._grid = np.array([(a + 1.3e-6, 0.0, b + 1.7e-6) for a in x for b in z])

    def sample(self, kind: str, size: Vector, friction: float) -> tuple[Grasp, ...]:
        """Return up to 40 grasps of a shape at that size (3,) m, best first, diverse, tool poses in the shape's own frame."""
        shape = solid(kind).scaled(size)
        surface = Surface(shape)
        hulls = [(hull, pin.SE3.Identity()) for hull in hulls_of(kind, size)]
        floor = float(shape.vertices[:, 2].min())

        def along(lines: Iterable[tuple[Floats, Floats]]) -> Iterator[Grasp]:
            for axis, centre in lines:
                for tilt in _TILTS:
                    grasp = self._grasp(_Candidate(surface, axis, self._approach(axis, tilt), centre, floor), shape.vertices, friction)
                    if grasp is not None and self._clear(grasp, hulls, floor):
                        yield grasp

        found = list(along(self._lines(surface, content_rng(kind, size, friction), friction)))
        if not any(grasp.tool.rotation[2, 2] < _UPRIGHT for grasp in found):
            # No two level faces are opposite each other, as on a pencil that lies: edges that are will do.
            across = (
                (axis, surface.middle + share * size[1 - k] * np.eye(3)[1 - k]) for k, axis in enumerate(np.eye(3)[:2]) for share in _OFF
            )
            found += along(across)
        return diverse(found)

    def _lines(self, surface: Surface, rng: np.random.Generator, friction: float) -> Iterator[tuple[Floats, Floats]]:
        """Yield opening axes, each with a point between the pads: through the centre of mass first, then middles of sampled chords."""
        for normal in surface.directions(_SAME_ANGLE):
            yield normal, surface.middle
        points, normals = surface.sample(_SAMPLES, rng)
        for point, normal in zip(points, normals, strict=True):
            crossings = surface.crossings(point[None] - 1e-6 * normal, -normal)[0]
            ahead = crossings[crossings > 1e-5]
            if len(ahead):
                exit_face = int(np.nanargmin(np.where(crossings > 1e-5, crossings, np.nan)))
                # The far contact must lie in the friction cone too.
                if -surface.normals[exit_face] @ normal > np.cos(np.arctan(friction)):
                    yield normal, point - normal * float(ahead.min()) / 2

    def _approach(self, axis: Floats, tilt: float) -> Floats:
        """Return the direction across `axis` that is nearest to straight down, turned about the axis by `tilt`."""
        down = np.array([0.0, 0.0, -1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        across = down - (down @ axis) * axis
        across /= np.linalg.norm(across)
        turned: Floats = np.cos(tilt) * across + np.sin(tilt) * np.cross(axis, across)
        return turned

    def _grasp(self, candidate: '_Candidate', vertices: Floats, friction: float) -> Grasp | None:
        pads = self._body.pads
        origin = candidate.origin(vertices, pads.tip, pads.palm)
        touch = self._touch(candidate, origin)
        if touch is None or touch.engaged < _ENGAGED or touch.skew > np.arctan(friction) / 2:
            return None
        width = touch.high - touch.low
        if width > WIDEST * self._body.max_opening:
            return None
        origin = origin + candidate.axis * (touch.low + touch.high) / 2
        opening = min(self._body.max_opening, width + 2 * SIDE_CLEARANCE)
        tool = Pose.from_matrix(candidate.frame(origin))
        return Grasp(tool, opening, _quality(candidate, origin, touch, friction))

    def _touch(self, candidate: '_Candidate', origin: Floats) -> _Touch | None:
        frame = candidate.frame(origin)
        crossings = candidate.surface.crossings(self._grid @ frame[:3, :3].T + origin, candidate.axis)
        within = np.where(np.abs(crossings) < self._body.max_opening / 2, crossings, np.nan)
        met = ~np.isnan(within).all(axis=1)
        if not met.any():
            return None
        highest, lowest = np.nanmax(within[met], axis=1), np.nanmin(within[met], axis=1)
        high, low = float(highest.max()), float(lowest.min())
        grid = self._grid[met]
        above, below = grid[highest > high - _CONTACT], grid[lowest < low + _CONTACT]
        gap = 0.0
        for k in (0, 2):
            gap = max(gap, max(above[:, k].min(), below[:, k].min()) - min(above[:, k].max(), below[:, k].max()))
        flatness = (len(above) + len(below)) / (2 * len(self._grid))
        return _Touch(low, high, float(flatness), float(np.arctan2(gap, high - low)), float(met.mean()))

    def _clear(self, grasp: Grasp, hulls: list[tuple['coal.CollisionGeometry', 'pin.SE3']], floor: float) -> bool:
        others = hulls
        if grasp.tool.rotation[2, 2] < _UPRIGHT:
            # A prop that stands: keep off the ground. Other approaches are for props that have toppled.
            ground = pin.SE3(np.eye(3), np.array([0.0, 0.0, floor + TIP_CLEARANCE - 0.5]))
            others = [*hulls, (coal.Box(4.0, 4.0, 1.0), ground)]
        return self._body.clear(grasp.tool, grasp.opening, others)


@dataclass(frozen=True)
class _Candidate:
    """An opening axis and an approach across it (unit vectors), a point between the pads, and the height that the prop stands on."""

    surface: Surface
    axis: Floats
    approach: Floats
    centre: Floats
    floor: float

    def frame(self, origin: Floats) -> Floats:
        """Return the (4, 4) tool frame at `origin`."""
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([np.cross(self.axis, self.approach), self.axis, self.approach])
        matrix[:3, 3] = origin
        return matrix

    def origin(self, vertices: Floats, tip: float, palm: float) -> Floats:
        """Return the centre moved along the approach to the depth of the centre of mass, unless the palm or the fingertips forbid it."""
        depth = float((self.surface.middle - self.centre) @ self.approach)
        top = float(((vertices - self.centre) @ self.approach).min())
        depth = min(depth, top - palm - _PALM_ROOM)
        if self.approach[2] < _UPRIGHT:
            room = float(self.centre[2] - self.floor - TIP_CLEARANCE) / -float(self.approach[2])
            depth = min(depth, room - tip - 0.0002)
        return self.centre + depth * self.approach


def _quality(candidate: _Candidate, origin: Floats, touch: _Touch, friction: float) -> float:
    arm = candidate.surface.middle - origin
    lever = float(np.linalg.norm(arm - (arm @ candidate.axis) * candidate.axis))
    vertical = max(0.0, 1 - 2 / np.pi * float(np.arccos(np.clip(-candidate.approach[2], -1, 1))))
    straight = 1 - touch.skew / (np.arctan(friction) / 2)
    near = float(np.exp(-lever / 0.015))
    return round(float(0.40 * vertical + 0.25 * touch.flatness + 0.20 * near + 0.10 * touch.engaged + 0.05 * straight), 6)


def diverse(found: list[Grasp]) -> tuple[Grasp, ...]:
    """Return up to 40 grasps, best first, no two of them nearly the same, each also turned half about its approach."""
    kept: list[Grasp] = []
    for grasp in sorted(found, key=lambda g: -g.quality):
        if len(kept) >= _KEPT:
            break
        # The gripper is the same turned half about its approach, and the arm may reach one of the two better.
        for tool in (grasp.tool, grasp.tool @ _HALF_TURN):
            if all(tool.distance(g.tool) > _SAME_PLACE or tool.angle(g.tool) > _SAME_ANGLE for g in kept):
                kept.append(replace(grasp, tool=tool))
    return tuple(kept[:_KEPT])


def content_rng(*content: object) -> np.random.Generator:
    """Return a generator whose seed is the content alone."""
    return np.random.default_rng(int.from_bytes(sha256(repr(content).encode()).digest()[:8], 'big'))
