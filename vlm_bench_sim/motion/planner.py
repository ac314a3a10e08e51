"""The motion planner of one robot. The same request gives the same trajectory, bit for bit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.command import Chunk, ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Grasp, PlanCode, PlanRequest
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.motion.collision import CollisionModel, Surroundings
from vlm_bench_sim.motion.constrained import ConstrainedSearch
from vlm_bench_sim.motion.grasp_sets import GraspSets
from vlm_bench_sim.motion.grasps import GraspSampler
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.parametrisation import parametrise
from vlm_bench_sim.motion.rough import surroundings
from vlm_bench_sim.motion.seals import Cups, SealSampler
from vlm_bench_sim.motion.search import CLEARANCE, LIGHT, SLACK, Search, overlap


class MotionPlanner:
    """A motion planner for one robot. Between requests it caches only convex hulls and grasps of shapes."""

    def __init__(self, profile: RobotProfile) -> None:
        self.profile = profile
        self.kinematics = Kinematics(profile)
        self.collision = CollisionModel(self.kinematics)
        self._grasps = GraspSets(sampler(self.collision))

    def plan(self, request: PlanRequest) -> Chunk:
        """Return a trajectory within the robot's limits, sampled once a control period, at rest at both ends.

        Raises:
            PlanError: no trajectory was found; its code says why.
        """
        return self.plan_by(request, Search.free)

    def plan_by(self, request: PlanRequest, free: Callable[[Search], Floats]) -> Chunk:
        """Return a trajectory as `plan` does, with `free` to find the knots of a path that is neither straight nor constrained.

        Raises:
            PlanError: no trajectory was found; its code says why.
        """
        start = self._start(request)
        target = request.target
        _check_speed(target.speed)
        scene = self._scene(request, target)
        touching = scene.contacts(start, CLEARANCE)
        deepest = min(touching, key=lambda p: touching[p], default=None)
        if deepest is not None and touching[deepest] < -SLACK:
            raise PlanError(
                f'The arm starts with {overlap(deepest, touching)}. Move it free, or correct the scene.', PlanCode.START_IN_COLLISION
            )
        search = Search(self.kinematics, scene, start=start, touching=touching, request=request)
        if target.constraint is not None:
            return ConstrainedSearch(search, target.constraint).trajectory(lambda knots: self._timed(knots, target.speed))
        return self._timed(search.line() if target.straight else free(search), target.speed)

    def check(self, request: PlanRequest, chain: tuple[ToolPose, ...]) -> Feasibility:
        """Return whether the arm can take the poses of `chain` in turn, from `request.start` on. `request.target` is not used.

        Only the poses are checked (inverse kinematics and collision), not the paths between them. For a straight target, the arm must also
        be able to follow the line from the previous joint positions; for a constraint with a path, the arm must be able to follow the path.
        """
        near, cost = self._start(request), 0.0
        arms: list[tuple[float, ...]] = []
        scenes: dict[tuple[str, ...], Surroundings] = {}
        for i, target in enumerate(chain):
            try:
                _check_speed(target.speed)
                if target.allowed not in scenes:
                    scenes[target.allowed] = self._scene(request, target)
                scene = scenes[target.allowed]
                reached = _reached(Search(self.kinematics, scene, start=near, touching={}, request=replace(request, target=target)))
            except PlanError as error:
                return Feasibility(False, cost, f'Pose {i + 1} of {len(chain)}: {error}', i, tuple(arms))
            cost += float(np.abs(reached - near).sum())
            near = reached
            arms.append(tuple(reached.tolist()))
        return Feasibility(True, cost, reached=len(chain), arms=tuple(arms))

    def grasps(self, prop: Prop) -> tuple[Grasp, ...]:
        """Return diverse grasps of the prop, best first; empty if the gripper can take none."""
        return self._grasps.find(prop.kind, prop.size, prop.friction)

    def _start(self, request: PlanRequest) -> Floats:
        start = np.asarray(request.start, dtype=float)
        if start.shape != (len(self.profile.joints),) or not np.isfinite(start).all():
            raise PlanError(
                f'A start needs {len(self.profile.joints)} finite joint positions; found {request.start}. Check the sender.',
                PlanCode.FAILED,
            )
        return start

    def _timed(self, knots: Floats, speed: float) -> Chunk:
        velocity, acceleration, jerk = (
            speed * np.asarray(v) for v in (self.profile.velocity, self.profile.acceleration, self.profile.jerk)
        )
        chunk = parametrise(knots, velocity, acceleration, jerk if self.profile.jerk else None)
        return _within(chunk, self.kinematics.low, self.kinematics.high)

    def _scene(self, request: PlanRequest, target: ToolPose) -> Surroundings:
        opening = self.profile.gripper.max_opening if request.opening is None else request.opening
        return surroundings(self.collision, request, opening=opening, allowed=target.allowed)


def _within(chunk: Chunk, low: Floats, high: Floats) -> Chunk:
    """Return the trajectory clipped to the joint limits, (dof,) rad. A curve through knots at a limit exceeds it by about a milliradian."""
    points = []
    for point in chunk.points:
        positions = np.clip(point.positions, low, high)
        points.append(point if (positions == point.positions).all() else replace(point, positions=tuple(positions.tolist())))
    return replace(chunk, points=tuple(points))


def sampler(collision: CollisionModel) -> GraspSampler | SealSampler:
    """Return the grasp sampler for a robot's gripper."""
    body, gripper = GripperBody(collision), collision.kinematics.profile.gripper
    if not isinstance(gripper, SuctionProfile):
        return GraspSampler(body)
    return SealSampler(body, Cups(body.tips(gripper.links), gripper))


def _reached(search: Search) -> Floats:
    """Return the joint positions at the target of one pose of a chain."""
    target = search.request.target
    if target.constraint is not None and target.constraint.path:
        return ConstrainedSearch(search, target.constraint).end()
    return search.line_end() if target.straight else search.goals(LIGHT)[0][0]


def _check_speed(speed: float) -> None:
    if not 0.0 < speed <= 1.0:
        raise PlanError(f'A speed is a share of the limits above 0 and up to 1; found {speed}. Send 1 for full speed.', PlanCode.FAILED)
