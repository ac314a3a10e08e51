"""Goal and path search for one planning request."""

import numpy as np

from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.core.snapshot import Pair
from vlm_bench_sim.motion.collision import Surroundings
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.planning import Route, straight

CLEARANCE = 0.008
"""Clearance to the table and props where possible, m: about the tracking error of a controller."""

SLACK = 0.005
"""Overlap that is accepted at the start, and for the held prop at the goal, m: models and measured poses differ slightly."""

ROOM = 1.0
"""How far each joint may first move beyond the range from start to goal, rad."""

CANDIDATES = 3
"""Number of arm positions at the target that the search tries to reach."""

LIGHT = ((4, 12),)
"""Solutions wanted and seeds tried for one question of many, where any solution will do."""

_EFFORTS = ((4, 20), (12, 60))  # a quick try, then a thorough one


class Search:
    """The search for a path for one planning request."""

    def __init__(
        self, kinematics: Kinematics, scene: Surroundings, *, start: Floats, touching: dict[Pair, float], request: PlanRequest
    ) -> None:
        self.kinematics = kinematics
        self._scene = scene
        self.start = start
        self._touching = touching
        self.request = request
        self._held = request.held.name if request.held else ''

    def line(self) -> Floats:
        """Return the knots of a straight tool path.

        Raises:
            PlanError: the target is out of reach or blocked, or the arm cannot follow the line.
        """
        knots = self._followed()
        near = self.acceptable(knots[-1])
        if not self.route(0.0, near).clear(knots):
            there = where(self.request.target.pose)
            raise PlanError(f'Something is in the way of the straight line to {there}. Ask for a free path.', PlanCode.NO_PATH)
        return knots

    def line_end(self) -> Floats:
        """Return the joint positions at the end of the straight line, without checking the line for collisions.

        Raises:
            PlanError: the target is out of reach or blocked, or the arm cannot follow the line.
        """
        end: Floats = self._followed(LIGHT)[-1]
        self.acceptable(end)
        return end

    def free(self) -> Floats:
        """Return the knots of a path around all obstacles.

        Raises:
            PlanError: the target is out of reach or blocked, or no path was found.
        """
        goals = self.goals()
        seed = self.request.seed
        for clearance, room in ((CLEARANCE, ROOM), (0.0, 2 * np.pi)):
            for goal, near in goals:
                knots = self.route(clearance, near).direct(self.start, goal)
                if knots is not None:
                    return knots
            for attempt, (goal, near) in enumerate(goals[:CANDIDATES]):
                knots = self.route(clearance, near).around(self.start, goal, seed * CANDIDATES + attempt, room)
                if knots is not None:
                    return knots
        raise PlanError(
            f'No path was found to {where(self.request.target.pose)}, though start and goal are free. Clear the way.', PlanCode.NO_PATH
        )

    def goals(self, efforts: tuple[tuple[int, int], ...] = _EFFORTS) -> list[tuple[Floats, dict[Pair, float]]]:
        """Return arm positions at the target, best first, each with its contacts.

        Raises:
            PlanError: the target is out of reach or blocked.
        """
        target, rng = self.request.target.pose, np.random.default_rng([self.request.seed, 0])
        blocked: PlanError | None = None
        for count, tries in efforts:
            free = []
            for q in self.kinematics.inverse(target, self.start, rng, count, tries):
                try:
                    free.append((q, self.acceptable(q)))
                except PlanError as error:
                    blocked = blocked or error
            if free:
                return free
        if blocked:
            raise blocked
        raise _out_of_reach(target)

    def check_reach(self) -> None:
        """Check that the tool can take the target pose, whatever it would touch there.

        Raises:
            PlanError: no seed of a light search leads there.
        """
        target, ((_, tries),) = self.request.target.pose, LIGHT
        if not self.kinematics.inverse(target, self.start, np.random.default_rng([self.request.seed, 0]), 1, tries):
            raise _out_of_reach(target)

    def route(self, clearance: float, near: dict[Pair, float]) -> Route:
        """Return a path search that keeps `clearance`, m, except for contacts at the start and, as in `near`, at the goal."""
        return Route(self.kinematics, self._scene.checker(clearance, (self._touching, near)))

    def _followed(self, efforts: tuple[tuple[int, int], ...] = _EFFORTS) -> Floats:
        target = self.request.target.pose
        knots = straight(self.kinematics, self.start, target)
        if knots is None:
            self.goals(efforts)  # raises a more precise error if the target itself cannot be taken
            raise PlanError(f'The arm cannot follow a straight line to {where(target)}. Ask for a free path.', PlanCode.NO_PATH)
        return knots

    def acceptable(self, goal: Floats) -> dict[Pair, float]:
        """Return the pairs nearer than the clearance at a goal, with signed distances in m.

        Raises:
            PlanError: the arm would collide.
        """
        near = self._scene.contacts(goal, CLEARANCE)
        for owners, distance in near.items():
            if distance < min(-SLACK if self._held in owners else 0.0, self._touching.get(owners, 0.0)):
                there = where(self.request.target.pose)
                raise PlanError(f'At {there} there is {overlap(owners, near)}. Choose another pose.', PlanCode.GOAL_IN_COLLISION)
        return near


def overlap(owners: Pair, near: dict[Pair, float]) -> str:
    """Return in words which pair overlaps and how deep."""
    return f'{owners[0]} and {owners[1]} {1000 * -near[owners]:.1f} mm into each other'


def where(pose: Pose) -> str:
    """Return a pose's position in words."""
    return f'position ({", ".join(f"{v:.3f}" for v in pose.position)}) m'


def _out_of_reach(target: Pose) -> PlanError:
    return PlanError(f'The tool cannot reach {where(target)}. Choose a pose nearer to the robot, or turn it.', PlanCode.UNREACHABLE)
