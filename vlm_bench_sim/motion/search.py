"""One request on its way to a path: where the joints may be at the target, and which way leads there."""

import numpy as np

from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.core.snapshot import Pair
from vlm_bench_sim.motion.collision import Surroundings
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.planning import Route, straight

CLEARANCE = 0.008
"""What the planner keeps from table and props where it can, m: about what a controller strays from its path."""

SLACK = 0.005
"""How deep things may overlap at the start, and what is held at the goal: models and measured poses disagree a little, m."""

ROOM = 1.0
"""How far beyond start and goal each joint may go at first, rad."""

CANDIDATES = 3
"""How many arm positions at the target a way is looked for to."""

LIGHT = ((4, 12),)
"""Solutions wanted and seeds tried for a question among many, of which another answer will do as well."""

_EFFORTS = ((4, 20), (12, 60))  # first a little, then a lot


class Search:
    """One request on its way to a path."""

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
        """Return knots of the straight line.

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
        """Return where the joints are at the end of the straight line, whatever is in its way.

        Raises:
            PlanError: the target is out of reach or blocked, or the arm cannot follow the line.
        """
        end: Floats = self._followed(LIGHT)[-1]
        self.acceptable(end)
        return end

    def free(self) -> Floats:
        """Return knots of a path around everything.

        Raises:
            PlanError: the target is out of reach or blocked, or there is no way.
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
            f'No way was found to {where(self.request.target.pose)}, though both ends are free. Clear the way.', PlanCode.NO_PATH
        )

    def goals(self, efforts: tuple[tuple[int, int], ...] = _EFFORTS) -> list[tuple[Floats, dict[Pair, float]]]:
        """Return arm positions at the target, best first, each with what it touches.

        Raises:
            PlanError: the target is out of reach, or something is there.
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
        raise PlanError(f'The tool cannot reach {where(target)}. Choose a pose nearer to the robot, or turn it.', PlanCode.UNREACHABLE)

    def route(self, clearance: float, near: dict[Pair, float]) -> Route:
        """Return a search for ways that keep `clearance`, m, but for what the arm touches at the start and, by `near`, at the goal."""
        return Route(self.kinematics, self._scene.checker(clearance, (self._touching, near)))

    def _followed(self, efforts: tuple[tuple[int, int], ...] = _EFFORTS) -> Floats:
        target = self.request.target.pose
        knots = straight(self.kinematics, self.start, target)
        if knots is None:
            self.goals(efforts)  # says so when it is the target that cannot be taken
            raise PlanError(f'The arm cannot follow a straight line to {where(target)}. Ask for a free path.', PlanCode.NO_PATH)
        return knots

    def acceptable(self, goal: Floats) -> dict[Pair, float]:
        """Return what the arm touches or nearly so at a goal, with signed distances in m.

        Raises:
            PlanError: it would be in something.
        """
        near = self._scene.contacts(goal, CLEARANCE)
        for owners, distance in near.items():
            if distance < min(-SLACK if self._held in owners else 0.0, self._touching.get(owners, 0.0)):
                there = where(self.request.target.pose)
                raise PlanError(f'At {there} there is {overlap(owners, near)}. Choose another pose.', PlanCode.GOAL_IN_COLLISION)
        return near


def overlap(owners: Pair, near: dict[Pair, float]) -> str:
    """Return who is how deep in whom, in words."""
    return f'{owners[0]} and {owners[1]} {1000 * -near[owners]:.1f} mm into each other'


def where(pose: Pose) -> str:
    """Return the position in words."""
    return f'position ({", ".join(f"{v:.3f}" for v in pose.position)}) m'
