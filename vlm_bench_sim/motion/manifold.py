"""Paths on the manifold of arm positions that satisfy a motion constraint.

A `Bound` turns a constraint into equations on the joints. OMPL searches in its projected state space, where they hold: Newton steps
project the samples, and the states between two samples, back onto the manifold.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import atan2, hypot

import numpy as np
import pinocchio as pin
from ompl import base, util

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, Orientation, perpendicular
from vlm_bench_sim.core.geometry import Floats, vector
from vlm_bench_sim.motion.collision import Probe
from vlm_bench_sim.motion.kinematics import Kinematics, damped_step
from vlm_bench_sim.motion.parametrisation import round_corners
from vlm_bench_sim.motion.planning import Route, box_space, connected, evenly

_MET = 1e-4
_NEWTON = 12
_STEP = 0.04
_LEAST_PROGRESS = 0.1
_BUDGET = 3000
_EVALUATIONS = 10000
_SHORTCUTS = 30
_FRUITLESS = 10
_SPACINGS = (0.2, 0.1, 0.05, 0.025)


class Bound:
    """A constraint as equations on the joints: the residual is zero while the tool is within the limit."""

    def __init__(self, kinematics: Kinematics, constraint: MotionConstraint, *, limit: Deviation) -> None:
        self.kinematics = kinematics
        self.constraint = constraint
        self.evaluations = 0
        self._limit = limit
        self._place = np.asarray(constraint.reference.position)
        self._across = constraint.across
        self._rotation = constraint.reference.rotation
        self._axis = np.asarray(constraint.axis)
        self._about = np.vstack([perpendicular(vector(constraint.wanted)), constraint.wanted])
        self._turns = {Orientation.AXIS: 2, Orientation.FIXED: 3}.get(constraint.orientation, 0)

    @property
    def size(self) -> int:
        """Number of equations."""
        return len(self._across) + self._turns

    def residual(self, arm: Floats) -> Floats:
        """Return (size,): by how much the tool exceeds the limit, m and rad."""
        self.evaluations += 1
        placement, _ = self.kinematics.tool_motion(arm)
        off = matmul(self._across, placement.translation - self._place)
        return np.concatenate([_beyond(off, self._limit.distance), _beyond(self._turn(placement.rotation), self._limit.angle)])

    def jacobian(self, arm: Floats) -> Floats:
        """Return (size, dof): the derivative of the residual. It is exact for the position and first-order for the angle."""
        _, motion = self.kinematics.tool_motion(arm)
        turning = {2: -self._about[:2], 3: -np.eye(3)}.get(self._turns, np.zeros((0, 3)))
        return np.vstack([matmul(self._across, motion[:3]), matmul(turning, motion[3:])])

    def project(self, arm: Floats) -> Floats | None:
        """Return arm positions near `arm` with zero residual, or None if there are none within the joint limits."""
        q, levers = arm, self.kinematics.levers
        for _ in range(_NEWTON):
            residual = self.residual(q)
            if dot(residual, residual) < _MET**2:
                return q if self.kinematics.limit_margin(q) >= 0 else None
            scaled = self.jacobian(q) / levers
            q = q - damped_step(scaled, residual, 1e-9) / levers
        return None

    def _turn(self, rotation: Floats) -> Floats:
        if self._turns == 3:
            turn: Floats = pin.log3(matmul(self._rotation, rotation.T))
            return turn
        if self._turns == 0:
            return np.zeros(0)
        x, y, z = matmul(self._about, matmul(rotation, self._axis)).tolist()
        sine = hypot(x, y)
        scale = atan2(sine, z) / max(sine, 1e-9)
        return np.array([y * scale, -x * scale])


class _Manifold(base.Constraint):  # type: ignore[misc]  # OMPL carries no types
    """The bound in OMPL's interface, on joints weighted with their levers."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(len(bound.kinematics.levers), bound.size, _MET)
        self.setMaxIterations(_NEWTON)
        self._bound, self._levers = bound, bound.kinematics.levers

    def function(self, x: Floats, out: Floats) -> None:
        out[:] = self._bound.residual(x / self._levers)

    def jacobian(self, x: Floats, out: Floats) -> None:
        out[:] = self._bound.jacobian(x / self._levers) / self._levers


class ConstrainedRoute:
    """A path search for one robot within one bound, among the obstacles of one checker."""

    def __init__(self, bound: Bound, checker: Probe) -> None:
        self._bound = bound
        self._checker = checker
        self._kinematics = bound.kinematics
        self._route = Route(bound.kinematics, checker)

    def around(self, start: Floats, goal: Floats, seed: int, room: float) -> Iterator[Floats]:
        """Yield knots of smooth paths, each closer to the path found first; none if the budget of checks is used up.

        Args:
            start: arm positions at the start, within the bound, rad.
            goal: arm positions at the goal, within the bound, rad.
            seed: random seed; the same seed gives the same path.
            room: how far each joint may move beyond the range from start to goal, rad.
        """
        if not self._checker.all_free((start, goal)):
            return  # OMPL would wait forever for a valid goal
        path = self._walk(start, goal) or self._search(start, goal, seed, room)
        if path is None:
            return
        path = self._shortcut(path, np.random.default_rng([seed, 2]))
        for spacing in _SPACINGS:
            knots = self._projected(round_corners(evenly(self._kinematics, path, spacing)))
            if knots is not None and self._route.clear(knots):
                yield knots

    def _search(self, start: Floats, goal: Floats, seed: int, room: float) -> list[Floats] | None:
        kinematics, levers = self._kinematics, self._kinematics.levers
        low = np.maximum(kinematics.low, np.minimum(start, goal) - room)
        high = np.minimum(kinematics.high, np.maximum(start, goal) + room)
        util.RNG.setSeed(1 + seed % 2**31)
        space = base.ProjectedStateSpace(box_space(low * levers, high * levers), _Manifold(self._bound))
        space.setDelta(_STEP)
        info = base.ConstrainedSpaceInformation(space)
        dof = range(len(levers))
        info.setStateValidityChecker(lambda state: self._free(np.array([state[i] for i in dof]) / levers))
        ends = space.allocState(), space.allocState()
        for end, arm in zip(ends, (start, goal), strict=True):
            end.copy(arm * levers)
        checks, evaluations = self._checker.checks + _BUDGET, self._bound.evaluations + _EVALUATIONS
        states = connected(info, ends, lambda: self._checker.checks >= checks or self._bound.evaluations >= evaluations)
        found = [np.array([state[i] for i in dof]) / levers for state in states]
        return self._joined([start, *found[1:-1], goal]) if found else None

    def _free(self, arm: Floats) -> bool:
        return self._kinematics.limit_margin(arm) >= 0 and self._checker.free(arm)

    def _joined(self, corners: list[Floats]) -> list[Floats] | None:
        path = corners[:1]
        for a, b in pairwise(corners):
            walked = self._walk(a, b)
            if walked is None:
                return None
            path += walked[1:]
        return path

    def _walk(self, a: Floats, b: Floats) -> list[Floats] | None:
        """Return free arm positions from `a` to `b` within the bound, one step apart; None if the path strays or is blocked."""
        path, left = [a], self._kinematics.length(a, b)
        while left > _STEP:
            q = self._bound.project(path[-1] + (_STEP / left) * (b - path[-1]))
            before, left = left, self._kinematics.length(q, b) if q is not None else np.inf
            if q is None or left > before - _LEAST_PROGRESS * _STEP or not self._checker.free(q):
                return None
            path.append(q)
        return [*path, b]

    def _shortcut(self, path: list[Floats], rng: np.random.Generator) -> list[Floats]:
        fruitless = 0
        for _ in range(_SHORTCUTS):
            if len(path) < 3 or fruitless > _FRUITLESS:
                break
            i, j = np.sort(rng.choice(len(path), 2, replace=False)).tolist()
            walked = self._walk(path[i], path[j]) if j > i + 1 else None
            shorter = walked is not None and self._length(walked) < self._length(path[i : j + 1]) - 1e-3
            path = [*path[:i], *walked, *path[j + 1 :]] if shorter and walked is not None else path
            fruitless = 0 if shorter else fruitless + 1
        return path

    def _length(self, path: list[Floats]) -> float:
        return sum(self._kinematics.length(a, b) for a, b in pairwise(path))

    def _projected(self, knots: Floats) -> Floats | None:
        found = [knots[0]]
        for knot in knots[1:-1]:
            q = self._bound.project(knot)
            if q is None:
                return None
            found.append(q)
        return np.array([*found, knots[-1]])


def _beyond(off: Floats, limit: float) -> Floats:
    length = norm(off)
    return off * (max(0.0, length - limit) / max(length, 1e-12))
