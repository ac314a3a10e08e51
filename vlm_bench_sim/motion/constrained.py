"""Motions under a constraint on the tool: first paths that keep it exactly, then a search within the tolerance.

A plan is accepted only after a check of the trajectory that the controller will follow, including between its samples. The executed motion
is measured on the recorded joint positions.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from vlm_bench_sim.core.command import Chunk
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, worst
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.protocols import PlanCode
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.core.trajectory import Trajectory
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.manifold import Bound, ConstrainedRoute
from vlm_bench_sim.motion.planning import LINE_STEP, follow, line
from vlm_bench_sim.motion.search import CANDIDATES, CLEARANCE, LIGHT, ROOM, Search, where

SHARE = 0.7
"""Share of the tolerance that the search uses if it can."""

GOOD = 0.85
"""Share of the tolerance that a trajectory may use while a better one may exist; the rest is left to the controller."""

_STEPS = (LINE_STEP, 0.4 * LINE_STEP, 0.16 * LINE_STEP)
_PULLS = 8
_MOMENTS = 4
_BEHIND = 1e-6
_ALIKE = 1.02


class ConstrainedSearch:
    """The search for a trajectory for one request with a constraint."""

    def __init__(self, search: Search, constraint: MotionConstraint) -> None:
        """Prepare the search.

        Raises:
            PlanError: start or target violates the constraint, or the target lies behind the start on the constraint's path.
        """
        self._search = search
        self._constraint = constraint
        self._kinematics = search.kinematics
        self._start = search.start
        self._target = search.request.target.pose
        self._origin = search.kinematics.tool_pose(search.start)
        self._limit = self._limited()

    def trajectory(self, timed: Callable[[Floats], Chunk]) -> Chunk:
        """Return the first trajectory that `timed` makes of knots and that stays well within the tolerance, else the best within it.

        Raises:
            PlanError: the target is out of reach or blocked, or no path keeps the constraint.
        """
        tolerance = self._constraint.tolerance
        good = worst([self._limit.scaled(_ALIKE), tolerance.scaled(GOOD)])
        best: tuple[Deviation, Chunk] | None = None
        for knots in self._ways():
            chunk = timed(knots)
            off = planned(self._kinematics, chunk, self._constraint)
            if off.within(good) and off.within(tolerance):
                return chunk
            best = (off, chunk) if best is None or off.share(tolerance) < best[0].share(tolerance) else best
        if best is not None and best[0].within(tolerance):
            return best[1]
        self._search.goals()  # raises a more precise error if the target itself cannot be taken
        found = f'the best path deviates by {best[0].words()}' if best else 'the arm cannot follow, or something is in the way'
        raise PlanError(
            f'No path was found to {where(self._target)} that keeps {self._constraint.words()}: {found}. '
            'Start elsewhere, clear the way, or relax the constraint.',
            PlanCode.NO_PATH,
        )

    def end(self) -> Floats:
        """Return the joint positions at the end of the constraint's path, without checking the path for collisions.

        Raises:
            PlanError: the target is out of reach or blocked, or the arm cannot follow the path.
        """
        first, *pulls = self._pulls()
        knots = self._followed(LINE_STEP, first)
        if knots is None:
            self._search.check_reach()  # a light search knows no arm position there, with any elbow
            knots = next((k for k in (self._followed(LINE_STEP, pull) for pull in pulls) if k is not None), None)
        if knots is None:
            self._search.goals(LIGHT)  # raises a more precise error if the target itself cannot be taken
            raise PlanError(f'The arm cannot keep {self._constraint.words()}. Start elsewhere.', PlanCode.NO_PATH)
        last: Floats = knots[-1]
        self._search.acceptable(last)
        return last

    def _limited(self) -> Deviation:
        """Return the deviation that the path may have: that of its ends, and at least a share of the tolerance."""
        constraint, target = self._constraint, where(self._target)
        begin, end = constraint.check(self._origin), constraint.check(self._target)
        if not begin.within(constraint.tolerance):
            raise PlanError(
                f'The tool starts {begin.words()} away from its constraint: {constraint.words()}. Move it there first.', PlanCode.NO_PATH
            )
        if not end.within(constraint.tolerance):
            raise PlanError(
                f'At {target} the tool would be {end.words()} away from its constraint: {constraint.words()}. Choose another pose.',
                PlanCode.INVALID_POSE,
            )
        if constraint.path and constraint.place(self._target) < constraint.place(self._origin) - _BEHIND:
            raise PlanError(f'The start lies beyond {target} on the path of the constraint. Reverse the path.', PlanCode.INVALID_POSE)
        return worst([begin, end, constraint.tolerance.scaled(SHARE)])

    def _ways(self) -> Iterator[Floats]:
        """Yield knots of collision-free paths: exact ones before searched ones, and paths with clearance before those without."""
        bound = Bound(self._kinematics, self._constraint, limit=self._limit)
        if self._search.request.target.straight or self._constraint.path:
            for pull in self._pulls():
                yield from self._exactly(0.0, pull)
            return
        for clearance, room in ((CLEARANCE, ROOM), (0.0, 2 * np.pi)):
            yield from self._exactly(clearance)
            if bound.size < len(self._start) - 1:
                yield from self._around(bound, clearance, room)

    def _around(self, bound: Bound, clearance: float, room: float) -> Iterator[Floats]:
        for attempt, (goal, near) in enumerate(self._search.goals()[:CANDIDATES]):
            route = ConstrainedRoute(bound, self._search.route(clearance, near).checker)
            yield from route.around(self._start, goal, self._search.request.seed * CANDIDATES + attempt, room)

    def _exactly(self, clearance: float, pull: Floats | None = None) -> Iterator[Floats]:
        for step in _STEPS:
            knots = self._followed(step, pull)
            if knots is None or not self._clear(knots, clearance):
                return
            yield knots

    def _followed(self, step: float, pull: Floats | None) -> Floats | None:
        """Return knots along the constraint's path, or a straight line; None if they violate the constraint or the arm cannot follow."""
        poses = self._poses(step)
        if not self._constraint.path and not all(self._constraint.check(pose).within(self._limit) for pose in poses):
            return None
        return follow(self._kinematics, self._start, poses, pull)

    def _poses(self, step: float) -> list[Pose]:
        """Return the poses after the start along the path to the target, or on a straight line if there is no path."""
        if not self._constraint.path:
            return line(self._origin, self._target, step)
        track, begin, end = self._constraint.track, self._constraint.place(self._origin), self._constraint.place(self._target)
        poses = [self._origin]
        for corner in (*(float(i) for i in range(int(begin) + 1, int(np.ceil(end)))), end):
            poses += line(poses[-1], track.at(corner), step)
        return poses[1:]

    def _pulls(self) -> Iterator[Floats | None]:
        """Yield arm positions to pull the joints towards, None first; others only if the arm is redundant (its elbow can move)."""
        yield None
        low, high = self._kinematics.low, self._kinematics.high
        if len(low) > 6:
            yield np.asarray(self._kinematics.profile.home)
            yield (low + high) / 2
            yield from np.random.default_rng([self._search.request.seed, 3]).uniform(low, high, (_PULLS, len(low)))

    def _clear(self, knots: Floats, clearance: float) -> bool:
        try:
            near = self._search.acceptable(knots[-1])
        except PlanError:
            return False  # with another elbow position it may be free
        return self._search.route(clearance, near).clear(knots)


def deviation(kinematics: Kinematics, arms: Iterable[Floats], constraint: MotionConstraint) -> Deviation:
    """Return the tool's greatest deviation from the constraint over these arm positions, rad."""
    return worst(constraint.check(kinematics.tool_pose(arm)) for arm in arms)


def planned(kinematics: Kinematics, chunk: Chunk, constraint: MotionConstraint) -> Deviation:
    """Return the greatest deviation of a trajectory from the constraint, including between its samples as the controller follows it."""
    trajectory = Trajectory((np.asarray(chunk.points[0].positions), np.zeros(len(chunk.points[0].positions))), chunk.points)
    times = range(0, chunk.points[-1].time_ns + 1, PERIOD_NS // _MOMENTS)
    return deviation(kinematics, (trajectory.sample(time)[0] for time in times), constraint)


def executed(kinematics: Kinematics, snapshots: Iterable[Snapshot], constraint: MotionConstraint) -> Deviation:
    """Return the greatest deviation from the constraint at the recorded joint positions."""
    joints = kinematics.profile.joints
    return deviation(kinematics, (np.asarray(snapshot.arm(joints)) for snapshot in snapshots), constraint)
