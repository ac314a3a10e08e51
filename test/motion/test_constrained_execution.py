"""Constraints as executed: planned motions run in PyBullet, and the recorded joint states are asked."""

from math import pi, radians

import numpy as np
import pytest

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, about_hinge, along_line, upright, worst
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.constrained import executed
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot

ROBOTS = ('panda', 'xarm6', 'ur5e')


def first(name: str):
    """That robot, and the others among the slow tests: each kind of constraint is tried on another one."""
    return pytest.mark.parametrize('name', [name, *[pytest.param(other, marks=pytest.mark.slow) for other in ROBOTS if other != name]])


DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))


def posts(rng: np.random.Generator) -> tuple[Prop, ...]:
    places = [(0.45, 0.0), (0.35, 0.3), (0.35, -0.3), (0.6, 0.2)]
    heights = rng.uniform(0.15, 0.30, len(places))
    return tuple(
        Prop(f'post_{i}', 'cube', (0.06, 0.06, h), Color('red', (1.0, 0.0, 0.0)), 1.0, pose=Pose((x, y, h / 2)), fixed=True)
        for i, ((x, y), h) in enumerate(zip(places, heights, strict=True))
    )


class Bench:
    """A robot in its world, with its planner."""

    def __init__(self, name: str, props: tuple[Prop, ...], seed: int) -> None:
        self.planner, self.world, self.props = MotionPlanner(robot(name)), BulletWorld(robot(name)), props
        self._rng = np.random.default_rng(seed)
        self._scene = CollisionModel(self.planner.kinematics).scene(props, opening=robot(name).gripper.max_opening)

    def draw(self, tilt: float) -> np.ndarray:
        """Return arm positions at a random tool pose near straight down that touch nothing."""
        rng, kinematics = self._rng, self.planner.kinematics
        while True:
            angle, radius = rng.uniform(-1.0, 1.0), rng.uniform(0.3, 0.6)
            rpy = (pi + rng.uniform(-tilt, tilt), rng.uniform(-tilt, tilt), rng.uniform(-pi, pi))
            pose = Pose.from_rpy((radius * np.cos(angle), radius * np.sin(angle), rng.uniform(0.1, 0.35)), rpy)
            for arm in kinematics.inverse(pose, np.asarray(self.planner.profile.home), rng):
                if not self._scene.contacts(arm, 0.005):
                    return arm

    def begin(self, arm: np.ndarray) -> None:
        self.world.load(Scene(self.props, robot=RobotStart(joints=tuple(arm.tolist()))))

    def go(self, target: ToolPose) -> list[Snapshot]:
        """Plan from where the recorded joints are, follow, and return what was recorded."""
        start = self.world.snapshot.arm(self.planner.profile.joints)
        self.world.apply(self.planner.plan(PlanRequest(start, target, self.props)))
        snapshots = [self.world.snapshot]
        while self.world.arm is MotionState.RUNNING:
            snapshots.append(self.world.step())
        assert self.world.arm is MotionState.SUCCEEDED
        return snapshots

    def followed(self, constraint: MotionConstraint, speed: float) -> Deviation:
        return executed(self.planner.kinematics, self.go(ToolPose(constraint.path[-1], constraint=constraint, speed=speed)), constraint)


@first('ur5e')
def test_upright_within_10_degrees_between_random_poses_among_posts(name):
    bench = Bench(name, posts(np.random.default_rng(1)), seed=11)
    bench.begin(bench.draw(tilt=0.05))
    constraint, tilts, touched = upright(DOWN), [], set()
    for _ in range(5):
        pose = bench.planner.kinematics.tool_pose(bench.draw(tilt=0.05))
        snapshots = bench.go(ToolPose(pose, constraint=constraint))
        assert snapshots[-1].tool.distance(pose) < 0.01
        tilts += [np.degrees(np.arccos(-snapshot.tool.rotation[2, 2])) for snapshot in snapshots]
        assert executed(bench.planner.kinematics, snapshots, constraint).angle == pytest.approx(
            radians(max(tilts[-len(snapshots) :])), abs=1e-4
        )
        touched |= {pair for snapshot in snapshots for pair in snapshot.touched}
    assert max(tilts) < 10.0
    assert not [pair for pair in touched if ROBOT in pair]
    bench.world.close()


def facing(bench: Bench, x: float, y: float, z: float) -> Pose:
    """Stand with the tool pointing away from the robot, and return its pose."""
    pose = Pose.from_rpy((x, y, z), (0.0, pi / 2, 0.0))
    found = bench.planner.kinematics.inverse(pose, np.asarray(bench.planner.profile.home), np.random.default_rng(0), 8, 60)
    reached = [q for q in found if bench.planner.check(PlanRequest(tuple(q), ToolPose(pose)), (ToolPose(pose),)).feasible]
    bench.begin(reached[0])
    return bench.planner.kinematics.tool_pose(bench.world.snapshot.arm(bench.planner.profile.joints))


@first('panda')
def test_a_drawer_is_pulled_and_pushed_within_2_mm_and_1_degree(name):
    bench = Bench(name, (), seed=0)
    start = facing(bench, 0.55, 0.1, 0.35)
    pulled = along_line(start, (-1.0, 0.0, 0.0), 0.2)
    pushed = along_line(pulled.path[-1], (1.0, 0.0, 0.0), 0.2)
    assert worst([bench.followed(pulled, 0.5), bench.followed(pushed, 0.5)]).within(Deviation(0.002, radians(1)))
    bench.world.close()


@first('xarm6')
def test_a_door_is_opened_and_closed_within_2_mm_and_1_degree(name):
    bench = Bench(name, (), seed=0)
    start = facing(bench, 0.6, -0.1, 0.5)
    hinge = (0.6, 0.2, 0.0)
    opened = about_hinge(start, hinge, (0.0, 0.0, 1.0), -radians(35))
    closed = about_hinge(opened.path[-1], hinge, (0.0, 0.0, 1.0), radians(35))
    assert worst([bench.followed(opened, 0.5), bench.followed(closed, 0.5)]).within(Deviation(0.002, radians(1)))
    bench.world.close()


def test_an_unconstrained_move_is_seen_to_stray():
    bench = Bench('panda', (), seed=3)
    bench.begin(bench.draw(tilt=0.05))
    snapshots = bench.go(ToolPose(bench.planner.kinematics.tool_pose(bench.draw(tilt=0.05))))
    assert executed(bench.planner.kinematics, snapshots, along_line(snapshots[0].tool, (1.0, 0.0, 0.0), 0.1)).distance > 0.01
    bench.world.close()
