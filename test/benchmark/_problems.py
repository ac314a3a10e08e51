"""Seeded planning problems for any robot: moves among props, a held cup carried upright among posts, lines such as a drawer's."""

from dataclasses import dataclass

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import along_line, upright
from vlm_bench_sim.core.geometry import Floats, Pose, interpolated
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.motion.collision import CollisionModel, CollisionScene
from vlm_bench_sim.motion.planner import MotionPlanner

RED = Color('red', (1.0, 0.0, 0.0))
SIZES = {
    'star': (0.055, 0.052, 0.035),
    'triangular_prism': (0.046, 0.040, 0.039),
    'cylinder': (0.046, 0.046, 0.042),
    'cube': (0.042, 0.042, 0.042),
    'moon': (0.054, 0.055, 0.039),
    'tray': (0.20, 0.125, 0.05),
}
PROPS = 6
CUP = Prop('cup', 'cylinder', (0.05, 0.05, 0.08), RED, 0.1, pose=Pose.from_rpy((0.0, 0.0, 0.035), (np.pi, 0.0, 0.0)))
"""What is carried upright; its pose is in the tool's frame."""

_LAYERS = 10
_JUMP = 0.6


@dataclass(frozen=True)
class Region:
    """Where tool poses are drawn: angle (rad) and distance (m) about the robot's axis, height (m), tilt from straight down (rad)."""

    height: tuple[float, float]
    tilt: float
    azimuth: float = 1.2
    radius: tuple[float, float] = (0.3, 0.6)

    def draw(self, rng: np.random.Generator) -> Pose:
        """Return a tool pose that points down but for the tilt."""
        angle, radius = rng.uniform(-self.azimuth, self.azimuth), rng.uniform(*self.radius)
        rpy = (np.pi + rng.uniform(-self.tilt, self.tilt), rng.uniform(-self.tilt, self.tilt), rng.uniform(-np.pi, np.pi))
        return Pose.from_rpy((radius * np.cos(angle), radius * np.sin(angle), rng.uniform(*self.height)), rpy)


class Problems:
    """Problems of one robot: number by number the same ones."""

    def __init__(self, planner: MotionPlanner) -> None:
        self._kinematics = planner.kinematics
        self._collision = CollisionModel(planner.kinematics)
        self._open = planner.profile.gripper.max_opening
        self._closed = min(self._open, CUP.size[0])

    def free(self, seed: int) -> PlanRequest:
        """Return a move between two tool poses over a table with props; both can be taken."""
        rng = np.random.default_rng(seed)
        props, region = small_props(rng), Region(height=(0.03, 0.30), tilt=0.3)
        scene = self._collision.scene(props, opening=self._open)
        start, goal = (self._taken(scene, region, rng) for _ in range(2))
        return PlanRequest(tuple(start.tolist()), ToolPose(self._kinematics.tool_pose(goal)), props, seed=seed)

    def upright(self, seed: int) -> PlanRequest:
        """Return a move of a held cup among posts that keeps it upright within 10°; both ends can be taken."""
        rng = np.random.default_rng([seed, 1])
        posts, region = tall_posts(rng, 5), Region(height=(0.12, 0.35), tilt=0.06)
        scene = self._collision.scene(posts, CUP, self._closed)
        start, goal = (self._taken(scene, region, rng) for _ in range(2))
        target = ToolPose(self._kinematics.tool_pose(goal), constraint=upright(CUP.pose))
        return PlanRequest(tuple(start.tolist()), target, posts, CUP, seed, self._closed)

    def line(self, seed: int) -> PlanRequest:
        """Return a line of 10 to 25 cm among posts, the tool not turning, that the arm can follow from where it starts."""
        rng = np.random.default_rng([seed, 2])
        posts, region = tall_posts(rng, 2), Region(height=(0.06, 0.30), tilt=0.3)
        scene = self._collision.scene(posts, opening=self._open)
        while True:
            start = self._taken(scene, region, rng)
            direction = rng.normal(size=3) * (1.0, 1.0, 0.3)
            constraint = along_line(self._kinematics.tool_pose(start), tuple(direction.tolist()), rng.uniform(0.10, 0.25))
            if self._passable(scene, start, constraint.path[-1], rng):
                return PlanRequest(tuple(start.tolist()), ToolPose(constraint.path[-1], constraint=constraint), posts, seed=seed)

    def _taken(self, scene: CollisionScene, region: Region, rng: np.random.Generator) -> Floats:
        home = np.asarray(self._kinematics.profile.home)
        while True:
            for arm in self._kinematics.inverse(region.draw(rng), home, rng):
                if not scene.contacts(arm, 0.0):
                    return arm

    def _passable(self, scene: CollisionScene, start: Floats, target: Pose, rng: np.random.Generator) -> bool:
        """Tell whether arm positions drawn at places along the line join up from one end to the other.

        Which is not how the planner goes about it.
        """
        solve, origin, layer = self._kinematics.solve, self._kinematics.tool_pose(start), [start]
        for i in range(1, _LAYERS + 1):
            pose = interpolated(origin, target, i / _LAYERS)
            drawn = [*self._kinematics.inverse(pose, layer[0], rng, count=16, tries=48), *(solve(pose, arm) for arm in layer)]
            near = [q for q in drawn if q is not None and any(np.abs(q - arm).max() < _JUMP for arm in layer)]
            layer = [q for q in near if not scene.contacts(q, 0.0)][: 2 * _LAYERS]
            if not layer:
                return False
        return True


def small_props(rng: np.random.Generator) -> tuple[Prop, ...]:
    """Return props that lie about before the robot."""
    props = []
    for i, kind in enumerate(rng.choice(sorted(SIZES), PROPS)):
        size = SIZES[kind]
        pose = Pose.from_rpy((rng.uniform(0.30, 0.65), rng.uniform(-0.35, 0.35), size[2] / 2), (0.0, 0.0, rng.uniform(-np.pi, np.pi)))
        props.append(Prop(f'{kind}_{i}', str(kind), size, RED, 0.06, pose=pose))
    return tuple(props)


def tall_posts(rng: np.random.Generator, count: int) -> tuple[Prop, ...]:
    """Return posts of 10 to 30 cm that stand about before the robot."""
    posts = []
    for i in range(count):
        size, angle, radius = (0.06, 0.06, rng.uniform(0.10, 0.30)), rng.uniform(-1.2, 1.2), rng.uniform(0.30, 0.65)
        pose = Pose.from_rpy((radius * np.cos(angle), radius * np.sin(angle), size[2] / 2), (0.0, 0.0, rng.uniform(-np.pi, np.pi)))
        posts.append(Prop(f'post_{i}', 'cube', size, RED, 1.0, pose=pose, fixed=True))
    return tuple(posts)
