"""The planner of one robot: from a request to a trajectory. The same request gives the same trajectory, bit for bit."""

from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.command import Chunk, ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Grasp, PlanCode, PlanRequest
from vlm_bench_sim.core.robot import RobotProfile, SuctionProfile
from vlm_bench_sim.core.snapshot import Pair
from vlm_bench_sim.motion.collision import CollisionModel, CollisionScene
from vlm_bench_sim.motion.grasps import GraspSampler
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.parametrisation import parametrise
from vlm_bench_sim.motion.seals import Cups, SealSampler
from vlm_bench_sim.motion.planning import Route, straight

CLEARANCE = 0.008
"""What the planner keeps from table and props where it can, m: about what a controller strays from its path."""

SLACK = 0.005
"""How deep things may overlap at the start, and what is held at the goal: models and measured poses disagree a little, m."""

_ROOM = 1.0
_CANDIDATES = 3
_EFFORTS = ((4, 20), (12, 60))  # solutions wanted and seeds tried: first a little, then a lot
_LIGHT = ((4, 12),)  # for a question among many, of which another answer will do as well


class MotionPlanner:
    """Plans for one robot; keeps nothing between two requests but hulls and grasps of shapes."""

    def __init__(self, profile: RobotProfile) -> None:
        self.profile = profile
        self.kinematics = Kinematics(profile)
        self._collision = CollisionModel(self.kinematics)
        self._sampler = _sampler(self._collision)
        self._grasps: dict[tuple[str, Vector, float], tuple[Grasp, ...]] = {}

    def plan(self, request: PlanRequest) -> Chunk:
        """Return a trajectory within the robot's limits, sampled once a control period, at rest at both ends.

        Raises:
            PlanError: none was found; its code says why.
        """
        start = self._start(request)
        target = request.target
        _check_speed(target.speed)
        scene = self._scene(request, target)
        touching = scene.contacts(start, CLEARANCE)
        deepest = min(touching, key=lambda p: touching[p], default=None)
        if deepest is not None and touching[deepest] < -SLACK:
            raise PlanError(
                f'The arm starts with {_overlap(deepest, touching)}. Move it free, or correct the scene.', PlanCode.START_IN_COLLISION
            )
        search = _Search(self.kinematics, scene, start=start, touching=touching, request=request)
        knots = search.line() if target.straight else search.free()
        speed = target.speed
        return parametrise(knots, np.asarray(self.profile.velocity) * speed, np.asarray(self.profile.acceleration) * speed)

    def check(self, request: PlanRequest, chain: tuple[ToolPose, ...]) -> Feasibility:
        """Tell whether the tool poses of `chain` can be taken one after the other from `request.start` (`request.target` is not used).

        Only end poses are checked (inverse kinematics and collision), not the paths between them; but a straight one must be a line
        that the arm can follow from where the one before it left the joints.
        """
        near, cost = self._start(request), 0.0
        for i, target in enumerate(chain):
            try:
                _check_speed(target.speed)
                at = _Search(
                    self.kinematics, self._scene(request, target), start=near, touching={}, request=replace(request, target=target)
                )
                reached = at.line_end() if target.straight else at.goals(_LIGHT)[0][0]
            except PlanError as error:
                return Feasibility(False, cost, f'Pose {i + 1} of {len(chain)}: {error}')
            cost += float(np.abs(reached - near).sum())
            near = reached
        return Feasibility(True, cost)

    def grasps(self, prop: Prop) -> tuple[Grasp, ...]:
        """Return ways to take the prop, best first, diverse; empty when its gripper can take none."""
        key = (prop.kind, prop.size, prop.friction)
        if key not in self._grasps:
            self._grasps[key] = self._sampler.sample(*key)
        return self._grasps[key]

    def _start(self, request: PlanRequest) -> Floats:
        start = np.asarray(request.start, dtype=float)
        if start.shape != (len(self.profile.joints),) or not np.isfinite(start).all():
            raise PlanError(
                f'A start needs {len(self.profile.joints)} finite joint positions; found {request.start}. Check the sender.',
                PlanCode.FAILED,
            )
        return start

    def _scene(self, request: PlanRequest, target: ToolPose) -> CollisionScene:
        opening = self.profile.gripper.max_opening if request.opening is None else request.opening
        return self._collision.scene(request.obstacles, request.held, opening, target.allowed)


def _sampler(collision: CollisionModel) -> GraspSampler | SealSampler:
    body, gripper = GripperBody(collision), collision.kinematics.profile.gripper
    if not isinstance(gripper, SuctionProfile):
        return GraspSampler(body)
    return SealSampler(body, Cups(body.tips(gripper.links), gripper.radius))


class _Search:
    """One request on its way to a path."""

    def __init__(
        self, kinematics: Kinematics, scene: CollisionScene, *, start: Floats, touching: dict[Pair, float], request: PlanRequest
    ) -> None:
        self._kinematics = kinematics
        self._scene = scene
        self._start = start
        self._touching = touching
        self._request = request
        self._held = request.held.name if request.held else ''

    def line(self) -> Floats:
        """Return knots of the straight line.

        Raises:
            PlanError: the target is out of reach or blocked, or the arm cannot follow the line.
        """
        knots = self._followed()
        near = self._acceptable(knots[-1])
        if not self._route(0.0, near).clear(knots):
            where = _where(self._request.target.pose)
            raise PlanError(f'Something is in the way of the straight line to {where}. Ask for a free path.', PlanCode.NO_PATH)
        return knots

    def line_end(self) -> Floats:
        """Return where the joints are at the end of the straight line, whatever is in its way.

        Raises:
            PlanError: the target is out of reach or blocked, or the arm cannot follow the line.
        """
        end: Floats = self._followed()[-1]
        self._acceptable(end)
        return end

    def free(self) -> Floats:
        """Return knots of a path around everything.

        Raises:
            PlanError: the target is out of reach or blocked, or there is no way.
        """
        goals = self.goals()
        seed = self._request.seed
        for clearance, room in ((CLEARANCE, _ROOM), (0.0, 2 * np.pi)):
            for goal, near in goals:
                knots = self._route(clearance, near).direct(self._start, goal)
                if knots is not None:
                    return knots
            for attempt, (goal, near) in enumerate(goals[:_CANDIDATES]):
                knots = self._route(clearance, near).around(self._start, goal, seed * _CANDIDATES + attempt, room)
                if knots is not None:
                    return knots
        raise PlanError(
            f'No way was found to {_where(self._request.target.pose)}, though both ends are free. Clear the way.', PlanCode.NO_PATH
        )

    def goals(self, efforts: tuple[tuple[int, int], ...] = _EFFORTS) -> list[tuple[Floats, dict[Pair, float]]]:
        """Return arm positions at the target, best first, each with what it touches.

        Raises:
            PlanError: the target is out of reach, or something is there.
        """
        target, rng = self._request.target.pose, np.random.default_rng([self._request.seed, 0])
        blocked: PlanError | None = None
        for count, tries in efforts:
            free = []
            for q in self._kinematics.inverse(target, self._start, rng, count, tries):
                try:
                    free.append((q, self._acceptable(q)))
                except PlanError as error:
                    blocked = blocked or error
            if free:
                return free
        if blocked:
            raise blocked
        raise PlanError(f'The tool cannot reach {_where(target)}. Choose a pose nearer to the robot, or turn it.', PlanCode.UNREACHABLE)

    def _route(self, clearance: float, near: dict[Pair, float]) -> Route:
        return Route(self._kinematics, self._scene.checker(clearance, (self._touching, near)))

    def _followed(self) -> Floats:
        target = self._request.target.pose
        knots = straight(self._kinematics, self._start, target)
        if knots is None:
            self.goals()  # says so when it is the target that cannot be taken
            raise PlanError(f'The arm cannot follow a straight line to {_where(target)}. Ask for a free path.', PlanCode.NO_PATH)
        return knots

    def _acceptable(self, goal: Floats) -> dict[Pair, float]:
        near = self._scene.contacts(goal, CLEARANCE)
        for owners, distance in near.items():
            if distance < min(-SLACK if self._held in owners else 0.0, self._touching.get(owners, 0.0)):
                pose = _where(self._request.target.pose)
                raise PlanError(f'At {pose} there is {_overlap(owners, near)}. Choose another pose.', PlanCode.GOAL_IN_COLLISION)
        return near


def _check_speed(speed: float) -> None:
    if not 0.0 < speed <= 1.0:
        raise PlanError(f'A speed is a share of the limits above 0 and up to 1; found {speed}. Send 1 for full speed.', PlanCode.FAILED)


def _overlap(owners: Pair, near: dict[Pair, float]) -> str:
    return f'{owners[0]} and {owners[1]} {1000 * -near[owners]:.1f} mm into each other'


def _where(pose: Pose) -> str:
    return f'position ({", ".join(f"{v:.3f}" for v in pose.position)}) m'
