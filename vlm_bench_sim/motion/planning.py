"""Joint-space paths: RRT-Connect with shortcuts for free motion, and straight lines of the tool."""

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np
from ompl import base, geometric, util

from vlm_bench_sim.core.geometry import Floats, Pose, interpolated
from vlm_bench_sim.motion.collision import Probe
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.parametrisation import curve, round_corners

util.setLogLevel(util.LogLevel.LOG_NONE)  # OMPL logs reseeding as an error, but determinism needs it

EDGE_STEP = 0.02
"""Distance between two collision checks on an edge, m (as `Kinematics.length` measures)."""

LINE_STEP = 0.01
"""Distance between two knots of a straight tool path, m."""

TURN_PER_STEP = 5.0
"""Greatest turn per step, rad per m of step."""

_CURVE_STEP = 0.01
_RANGE = 0.6
_BUDGET = 4000
_SHORTCUTS = 60
_FRUITLESS = 15
_SPACINGS = (0.4, 0.2, 0.1, 0.05, 0.025)
_LONGEST_JUMP = 0.35
_PULL = 0.2


class Route:
    """A path search for one robot among the obstacles of one collision checker."""

    def __init__(self, kinematics: Kinematics, checker: Probe) -> None:
        self._kinematics = kinematics
        self.checker = checker

    def direct(self, start: Floats, goal: Floats) -> Floats | None:
        """Return the knots of the straight line in joint space, or None if it is blocked."""
        if not self._edge(start, goal):
            return None
        return np.vstack([start, self._kinematics.between(start, goal, max(self._kinematics.length(start, goal) / 4, 1e-9))])

    def around(self, start: Floats, goal: Floats, seed: int, room: float) -> Floats | None:
        """Return the knots of a smooth path around the obstacles, or None if the budget of state checks is used up.

        Args:
            start: arm positions at the start, rad.
            goal: arm positions at the goal, rad.
            seed: random seed; the same seed gives the same path.
            room: how far each joint may move beyond the range from start to goal, rad.
        """
        corners = self._search(start, goal, seed, room)
        if corners is None:
            return None
        corners = self._shortcut(corners, np.random.default_rng([seed, 1]))
        return self.smooth(corners)

    def clear(self, knots: Floats) -> bool:
        """Return whether the whole curve through the knots is free of collision."""
        path = curve(knots)
        length = sum(self._kinematics.length(a, b) for a, b in pairwise(knots))
        return self.checker.all_free(path(np.linspace(0.0, len(knots) - 1.0, 2 + int(length / _CURVE_STEP))))

    def _edge(self, a: Floats, b: Floats) -> bool:
        # Check the middle first: obstacles are seldom near the ends.
        points = self._kinematics.between(a, b, EDGE_STEP)
        order = np.argsort(np.abs(np.arange(len(points)) - len(points) / 2), kind='stable')
        return self.checker.all_free(points[order])

    def _search(self, start: Floats, goal: Floats, seed: int, room: float) -> list[Floats] | None:
        if not self.checker.all_free((start, goal)):
            return None  # OMPL would wait forever for a valid goal
        levers = self._kinematics.levers
        low, high = np.minimum(start, goal), np.maximum(start, goal)
        space = box_space(
            np.minimum(low, np.maximum(self._kinematics.low, low - room)) * levers,
            np.maximum(high, np.minimum(self._kinematics.high, high + room)) * levers,
        )
        util.RNG.setSeed(1 + seed % 2**31)
        info = base.SpaceInformation(space)
        info.setStateValidityChecker(lambda state: self.checker.free(np.array(state[0 : len(levers)]) / levers))
        info.setStateValidityCheckingResolution(EDGE_STEP / space.getMaximumExtent())
        last = self.checker.checks + _BUDGET
        states = connected(info, (_state(space, start * levers), _state(space, goal * levers)), lambda: self.checker.checks >= last)
        found = [np.array(state[0 : len(levers)]) / levers for state in states]
        return [start, *found[1:-1], goal] if found else None

    def _shortcut(self, corners: list[Floats], rng: np.random.Generator) -> list[Floats]:
        fruitless = 0
        for _ in range(_SHORTCUTS):
            if len(corners) < 3 or fruitless > _FRUITLESS:
                break
            shorter = self._bridged(corners, rng)
            fruitless = 0 if shorter is not None else fruitless + 1
            corners = corners if shorter is None else shorter
        return corners

    def _bridged(self, corners: list[Floats], rng: np.random.Generator) -> list[Floats] | None:
        """Return the path with a random part replaced by a straight line, or None if that line is blocked or not shorter."""
        steps = [self._kinematics.length(a, b) for a, b in pairwise(corners)]
        marks = np.concatenate([[0.0], np.cumsum(steps)])
        s, t = np.sort(rng.uniform(0.0, marks[-1], 2))
        i, j = (int(np.searchsorted(marks, x, side='right')) - 1 for x in (s, t))
        if i == j:
            return None
        a = corners[i] + (s - marks[i]) / steps[i] * (corners[i + 1] - corners[i])
        b = corners[j] + (t - marks[j]) / steps[j] * (corners[j + 1] - corners[j])
        saved = (t - s) - self._kinematics.length(a, b)
        if saved < 1e-3 or not self._edge(a, b):
            return None
        return [*corners[: i + 1], a, b, *corners[j + 1 :]]

    def smooth(self, corners: list[Floats]) -> Floats | None:
        """Return knots whose curve follows the corners free of collision, or None if there is no such curve."""
        for spacing in _SPACINGS:
            knots = round_corners(evenly(self._kinematics, corners, spacing))
            if self.clear(knots):
                return knots
        return None


def evenly(kinematics: Kinematics, corners: list[Floats], spacing: float) -> Floats:
    """Return (n, dof) positions evenly spaced along the corners, at most `spacing` m apart (as `Kinematics.length` measures).

    If two knots were close together, the curve through all of them would almost stop there.
    """
    marks = np.concatenate([[0.0], np.cumsum([kinematics.length(a, b) for a, b in pairwise(corners)])])
    wanted = np.linspace(0.0, marks[-1], 1 + max(4, int(np.ceil(marks[-1] / spacing))))
    return np.column_stack([np.interp(wanted, marks, values) for values in np.transpose(corners)])


def straight(kinematics: Kinematics, start: Floats, target: Pose) -> Floats | None:
    """Return knots of a straight tool path to `target` on which the tool turns evenly, or None if the arm cannot follow it."""
    return follow(kinematics, start, line(kinematics.tool_pose(start), target))


def line(origin: Pose, target: Pose, step: float = LINE_STEP) -> list[Pose]:
    """Return the poses after `origin` on the straight line to `target`, at most `step` m and `TURN_PER_STEP` × `step` rad apart."""
    count = max(4, int(np.ceil(max(origin.distance(target) / step, origin.angle(target) / (step * TURN_PER_STEP)))))
    return [interpolated(origin, target, i / count) for i in range(1, count + 1)]


def follow(kinematics: Kinematics, start: Floats, poses: Iterable[Pose], pull: Floats | None = None) -> Floats | None:
    """Return knots, the first at `start`, that bring the tool to each pose without a jump, or None if the arm cannot follow.

    A redundant arm is pulled towards the arm positions `pull` on the way.
    """
    knots = [start]
    for pose in poses:
        seed = knots[-1] if pull is None else knots[-1] + _PULL * (pull - knots[-1])
        q = kinematics.solve(pose, seed)
        if q is None or np.abs(q - knots[-1]).max() > _LONGEST_JUMP:
            return None
        knots.append(q)
    return np.array(knots)


def connected(info: 'base.SpaceInformation', ends: tuple['base.State', 'base.State'], stop: Callable[[], bool]) -> list['base.State']:
    """Return the states of a path found by RRT-Connect before `stop` returns True; empty if none was found."""
    info.setup()
    problem = base.ProblemDefinition(info)
    problem.setStartAndGoalStates(*ends)
    planner = geometric.RRTConnect(info)
    planner.setRange(_RANGE)
    planner.setProblemDefinition(problem)
    planner.setup()
    planner.solve(base.PlannerTerminationCondition(stop))
    return list(problem.getSolutionPath().getStates()) if problem.hasExactSolution() else []


def box_space(low: Floats, high: Floats) -> 'base.RealVectorStateSpace':
    """Return the space of real vectors within two bounds."""
    space = base.RealVectorStateSpace(len(low))
    bounds = base.RealVectorBounds(len(low))
    for i, (least, greatest) in enumerate(zip(low, high, strict=True)):
        bounds.setLow(i, float(least))
        bounds.setHigh(i, float(greatest))
    space.setBounds(bounds)
    return space


def _state(space: 'base.RealVectorStateSpace', values: Floats) -> 'base.State':
    state = space.allocState()
    state[0 : len(values)] = values.tolist()
    return state
