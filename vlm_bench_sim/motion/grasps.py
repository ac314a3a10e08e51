"""Antipodal grasps of a parallel gripper on any solid.

A grasp is rated by the contact of its pads. Each pad closes until its first contact; the pad areas in contact must then face each other
across the opening. Two flat faces are best, a flat face on an edge holds, and an edge on an edge tips.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from math import atan, atan2, cos, dist, exp, pi, sin

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from vlm_bench_sim.core.algebra import arccos, dot, matmul, norm
from vlm_bench_sim.core.geometry import Floats, Pose, Quaternion, Vector, vector
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.core.symmetry import ANY, symmetry
from vlm_bench_sim.motion.collision import hulls_of
from vlm_bench_sim.motion.gripper import GripperBody, Pads
from vlm_bench_sim.motion.surface import Surface

WIDEST = 0.9
"""Greatest object width to grasp, as a share of the gripper's greatest opening."""

SIDE_CLEARANCE = 0.01
"""Clearance between each open finger and the prop, m, if the gripper opens far enough."""

SLENDER = 2.0
"""Height of a round prop, in widths, from which on it is also taken from the side: it may lie on the table."""

TIP_CLEARANCE = 0.004
"""Least height of the gripper above the surface that the prop stands on, m."""

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
    """Contact of the pads with a prop.

    Attributes:
        low, high: first contacts of the two pads along the opening axis, m.
        flatness: share of the pad area in contact, 0…1.
        skew: angle between the opening axis and the line that joins the nearest contacts of the two pads, rad.
        engaged: share of the pad area with some of the prop in between.
    """

    low: float
    high: float
    flatness: float
    skew: float
    engaged: float


class GraspSampler:
    """A grasp sampler for one gripper. The same shape, size and friction always give the same grasps."""

    def __init__(self, body: GripperBody) -> None:
        self._body, self.signature = body, body.signature
        pads = body.pads
        x = np.linspace(-0.5, 0.5, _COLUMNS) * pads.width * 0.999
        z = np.linspace(pads.behind + 0.0002, pads.tip - 0.0002, _ROWS)
        # Slightly off the middle, so that no line runs along an edge of a symmetric mesh.
        self._grid = np.array([(a + 1.3e-6, 0.0, b + 1.7e-6) for a in x for b in z])

    def sample(self, kind: str, size: Vector, friction: float) -> tuple[Grasp, ...]:
        """Return diverse grasps of a shape of that size (3,) m, best first, tool poses in the shape's own frame.

        There are up to 40, and as many again from the side if the shape is round and slender.
        """
        shape = sized(kind, size)
        surface = Surface(shape)
        hulls = [(hull, pin.SE3.Identity()) for hull in hulls_of(kind, size)]
        floor = float(shape.vertices[:, 2].min())

        @cache
        def clear(grasp: Grasp) -> bool:
            return self._clear(grasp, hulls, floor)

        @cache
        def opened(axis: bytes) -> _Opening:
            return _Opening(surface, np.frombuffer(axis), grid=self._grid)

        def along(lines: Iterable[tuple[Floats, Floats]]) -> Iterator[Grasp]:
            for axis, centre in lines:
                opening = opened(axis.tobytes())
                candidates = [_Candidate(surface, approach, centre, floor) for approach in opening.approaches]
                origins = [one.origin(shape.vertices, self._body.pads) for one in candidates]
                touches = self._touches(opening, np.array(origins))
                for candidate, origin, touch in zip(candidates, origins, touches, strict=True):
                    if touch is not None and self._holds(touch, friction):
                        yield self._grasp(candidate, origin, touch=touch, friction=friction)

        found = list(along(self._lines(surface, content_rng(kind, size, friction), friction)))
        if not any(grasp.tool.rotation[2, 2] < _UPRIGHT and clear(grasp) for grasp in found):
            # No opposite faces can be gripped from above, as on a lying pencil: try opposite edges.
            across = (
                (axis, surface.middle + share * size[1 - k] * np.eye(3)[1 - k]) for k, axis in enumerate(np.eye(3)[:2]) for share in _OFF
            )
            found += along(across)
        kept = diverse(found, clear)
        if not _slender(kind, size):
            return kept
        aside = diverse([grasp for grasp in found if abs(grasp.tool.rotation[2, 2]) < -_UPRIGHT], clear)
        return tuple(sorted(dict.fromkeys((*kept, *aside)), key=lambda grasp: -grasp.quality))

    def _lines(self, surface: Surface, rng: np.random.Generator, friction: float) -> Iterator[tuple[Floats, Floats]]:
        """Yield opening axes, each with a point between the pads: first through the centre of mass, then midpoints of sampled chords."""
        for normal in surface.directions(_SAME_ANGLE):
            yield normal, surface.middle
        points, normals = surface.sample(_SAMPLES, rng)
        for point, normal in zip(points, normals, strict=True):
            crossings = surface.crossings(point[None] - 1e-6 * normal, -normal)[0]
            ahead = crossings[crossings > 1e-5]
            if len(ahead):
                exit_face = int(np.nanargmin(np.where(crossings > 1e-5, crossings, np.nan)))
                # The far contact must also lie in the friction cone.
                if -dot(surface.normals[exit_face], normal) > cos(atan(friction)):
                    yield normal, point - normal * float(ahead.min()) / 2

    def _holds(self, touch: _Touch, friction: float) -> bool:
        straight = touch.engaged >= _ENGAGED and touch.skew <= atan(friction) / 2
        return bool(straight and touch.high - touch.low <= WIDEST * self._body.max_opening)

    def _grasp(self, candidate: '_Candidate', origin: Floats, *, touch: _Touch, friction: float) -> Grasp:
        origin = origin + candidate.approach.axis * (touch.low + touch.high) / 2
        opening = min(self._body.max_opening, touch.high - touch.low + 2 * SIDE_CLEARANCE)
        return Grasp(Pose(vector(origin), candidate.approach.orientation), opening, _quality(candidate, origin, touch, friction))

    def _touches(self, opening: '_Opening', origins: Floats) -> list[_Touch | None]:
        """Return the pads' contact on each approach, with the tool's origin at one of `origins` (n, 3); None for no contact."""
        count = len(self._grid)
        points = np.concatenate([approach.grid + origin for approach, origin in zip(opening.approaches, origins, strict=True)])
        crossings = opening.lines.crossings(points)
        within = np.where(np.abs(crossings) < self._body.max_opening / 2, crossings, np.nan).reshape(len(origins), count, -1)
        highest, lowest = np.fmax.reduce(within, axis=2), np.fmin.reduce(within, axis=2)
        high, low = np.fmax.reduce(highest, axis=1), np.fmin.reduce(lowest, axis=1)
        above, below = highest > high[:, None] - _CONTACT, lowest < low[:, None] + _CONTACT
        gap = np.zeros(len(origins))
        for along in (self._grid[:, 0], self._grid[:, 2]):
            least, most = zip(*(_spread(along, where) for where in (above, below)), strict=True)
            gap = np.maximum(gap, np.maximum(*least) - np.minimum(*most))
        flat, met = (above.sum(axis=1) + below.sum(axis=1)) / (2 * count), (~np.isnan(highest)).sum(axis=1) / count
        rows = zip(low, high, flat, map(atan2, gap.tolist(), (high - low).tolist()), met, strict=True)
        return [_Touch(*map(float, row)) if row[-1] else None for row in rows]

    def _clear(self, grasp: Grasp, hulls: list[tuple['coal.CollisionGeometry', 'pin.SE3']], floor: float) -> bool:
        others = hulls
        if grasp.tool.rotation[2, 2] < _UPRIGHT:
            # Approaches from above are for a prop that stands: keep off the ground. Other approaches are for toppled props.
            ground = pin.SE3(np.eye(3), np.array([0.0, 0.0, floor + TIP_CLEARANCE - 0.5]))
            others = [*hulls, (coal.Box(4.0, 4.0, 1.0), ground)]
        return self._body.clear(grasp.tool, grasp.opening, others)


class _Opening:
    """An opening axis of the gripper, (3,) of length 1, with all approaches across it.

    Args:
        surface: surface of the object.
        axis: opening axis in the shape's frame.
        grid: (n, 3) points on the pads, in the tool frame.
    """

    def __init__(self, surface: Surface, axis: Floats, *, grid: Floats) -> None:
        self.lines = surface.lines(axis)
        down = np.array([0.0, 0.0, -1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        across = down - dot(down, axis) * axis
        across /= norm(across)
        # The approach nearest to straight down, rotated in steps about the axis.
        aside = np.cross(axis, across)
        self.approaches = tuple(_Approach(axis, cos(tilt) * across + sin(tilt) * aside, grid=grid) for tilt in _TILTS)


class _Approach:
    """An approach direction of the gripper, (3,) of length 1, across an opening axis.

    Attributes:
        grid: points on the pads, (n, 3) m from the tool's origin in the shape's frame.
    """

    def __init__(self, axis: Floats, direction: Floats, *, grid: Floats) -> None:
        self.axis, self.direction = axis, direction
        self._frame = np.eye(4)
        self._frame[:3, :3] = np.column_stack([np.cross(axis, direction), axis, direction])
        self.grid = matmul(grid, self._frame[:3, :3].T)

    @cached_property
    def orientation(self) -> Quaternion:
        """Orientation of the tool."""
        return Pose.from_matrix(self._frame).orientation


@dataclass(frozen=True)
class _Candidate:
    """An approach, a point between the pads, (3,) m, and the height of the surface that the prop stands on, m."""

    surface: Surface
    approach: _Approach
    centre: Floats
    floor: float

    def origin(self, vertices: Floats, pads: Pads) -> Floats:
        """Return the centre, moved along the approach to the depth of the centre of mass as far as palm and fingertips allow."""
        ahead = self.approach.direction
        depth = dot(self.surface.middle - self.centre, ahead)
        top = float(matmul(vertices - self.centre, ahead).min())
        depth = min(depth, top - pads.palm - _PALM_ROOM)
        if ahead[2] < _UPRIGHT:
            room = float(self.centre[2] - self.floor - TIP_CLEARANCE) / -float(ahead[2])
            depth = min(depth, room - pads.tip - 0.0002)
        return self.centre + depth * ahead


def _slender(kind: str, size: Vector) -> bool:
    """Return whether a shape is round about its height, which is a multiple of its width."""
    return size[2] >= SLENDER * max(size[:2]) and symmetry(kind, size).orders[2] == ANY


def _spread(values: Floats, where: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return (n,) minima and (n,) maxima of (k,) values, each over the entries selected by a row of the (n, k) mask."""
    return np.where(where, values, np.inf).min(axis=1), np.where(where, values, -np.inf).max(axis=1)


def _quality(candidate: _Candidate, origin: Floats, touch: _Touch, friction: float) -> float:
    arm = candidate.surface.middle - origin
    axis = candidate.approach.axis
    lever = norm(arm - dot(arm, axis) * axis)
    vertical = max(0.0, 1 - 2 / pi * arccos(-float(candidate.approach.direction[2])))
    straight = 1 - touch.skew / (atan(friction) / 2)
    near = exp(-lever / 0.015)
    return round(float(0.40 * vertical + 0.25 * touch.flatness + 0.20 * near + 0.10 * touch.engaged + 0.05 * straight), 6)


def diverse(found: list[Grasp], fit: Callable[[Grasp], bool] | None = None) -> tuple[Grasp, ...]:
    """Return up to 40 grasps, best first, no two nearly the same, each also rotated by half a turn about its approach.

    Args:
        found: grasps to choose from.
        fit: another condition on a grasp. It is called seldom, since most grasps are nearly the same as a better one.
    """
    kept: list[Grasp] = []
    for grasp in sorted(found, key=lambda g: -g.quality):
        if len(kept) >= _KEPT:
            break
        # The gripper looks the same after half a turn about its approach, and the arm may reach one of the two more easily.
        turns = [tool for tool in (grasp.tool, grasp.tool @ _HALF_TURN) if not any(_alike(tool, g.tool) for g in kept)]
        if turns and (fit is None or fit(grasp)):
            kept += (replace(grasp, tool=tool) for tool in turns)
    return tuple(kept[:_KEPT])


def _alike(a: Pose, b: Pose) -> bool:
    return dist(a.position, b.position) <= _SAME_PLACE and a.angle(b) <= _SAME_ANGLE


def content_rng(*content: object) -> np.random.Generator:
    """Return a random generator whose seed depends on the content alone."""
    return np.random.default_rng(int.from_bytes(sha256(repr(content).encode()).digest()[:8], 'big'))
