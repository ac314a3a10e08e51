"""Planning in numbers, for every robot: free moves, moves under constraints as executed in the world, kinematics, checks, grasps.

A constrained move counts as solved when it was planned, ran to its end in PyBullet, and the recorded joint states kept the constraint.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np

from test.benchmark._problems import CUP, PROPS, RED, SIZES, Problems, Region, small_props
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Chunk
from vlm_bench_sim.core.constraint import Deviation, worst
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.constrained import executed
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot, robots


def report(free: int = 200, constrained: int = 100) -> list[str]:
    """Return the lines of the report."""
    lines = []
    for name in robots():
        planner = MotionPlanner(robot(name))
        problems = Problems(planner)
        lines += [
            f'{name}: free moves among {PROPS} props: {_moves(planner, problems.free, free)}',
            f'{name}: cup upright within 10° among posts: {_kept(planner, problems.upright, constrained)}',
            f'{name}: line within 2 mm and 1°: {_kept(planner, problems.line, constrained)}',
            f'{name}: inverse kinematics: {_inverse(planner)}',
            f'{name}: collision check: {_checks(planner)}',
            f'{name}: grasp sets: {_grasps(planner)}',
        ]
    return lines


def _plans(planner: MotionPlanner, problem: Callable[[int], PlanRequest], count: int) -> list[tuple[PlanRequest, Chunk | None, float]]:
    found = []
    for seed in range(count):
        request = problem(seed)
        begin = perf_counter()
        try:
            chunk = planner.plan(request)
        except PlanError:
            chunk = None
        found.append((request, chunk, 1000 * (perf_counter() - begin)))
    return found


def _times(found: list[tuple[PlanRequest, Chunk | None, float]]) -> str:
    median, slow = np.percentile([time for _, _, time in found], [50, 95])
    return f'median {median:.0f} ms, p95 {slow:.0f} ms with kinematics and timing'


def _moves(planner: MotionPlanner, problem: Callable[[int], PlanRequest], count: int) -> str:
    found = _plans(planner, problem, count)
    solved = sum(chunk is not None for _, chunk, _ in found)
    return f'{solved}/{count} solved, {_times(found)}'


def _kept(planner: MotionPlanner, problem: Callable[[int], PlanRequest], count: int) -> str:
    found = _plans(planner, problem, count)
    world = BulletWorld(planner.profile)
    ran = [_run(world, planner, request, chunk) for request, chunk, _ in found if chunk is not None]
    world.close()
    off = worst(deviation for _, deviation in ran)
    kept = sum(arrived for arrived, _ in ran)
    return f'{kept}/{count} planned, executed and kept ({len(ran)} planned), {_times(found)}; executed off by at most {off.words()}'


def _run(world: BulletWorld, planner: MotionPlanner, request: PlanRequest, chunk: Chunk) -> tuple[bool, Deviation]:
    """Return whether the chunk ran to its end and kept the constraint, and how far off the recorded joints were."""
    constraint = request.target.constraint
    assert constraint is not None
    snapshots = [world.load(Scene((), robot=RobotStart(joints=request.start)))]
    world.apply(chunk)
    while world.arm is MotionState.RUNNING:
        snapshots.append(world.step())
    off = executed(planner.kinematics, snapshots, constraint)
    return world.arm is MotionState.SUCCEEDED and off.within(constraint.tolerance), off


def _inverse(planner: MotionPlanner, count: int = 200) -> str:
    rng, home, region = np.random.default_rng(1), np.asarray(planner.profile.home), Region(height=(0.02, 0.35), tilt=0.0)
    poses = [region.draw(rng) for _ in range(count)]
    begin = perf_counter()
    solved = sum(bool(planner.kinematics.inverse(pose, home, rng, count=1)) for pose in poses)
    return f'{solved}/{count} poses straight down solved, {1e6 * (perf_counter() - begin) / count:.0f} µs each'


def _checks(planner: MotionPlanner) -> str:
    rng = np.random.default_rng(2)
    scene = CollisionModel(planner.kinematics).scene(small_props(rng), CUP, min(planner.profile.gripper.max_opening, CUP.size[0]))
    home = np.asarray(planner.profile.home)
    arms = rng.uniform(home - 0.8, home + 0.8, (3000, len(home)))
    checker = scene.checker(0.008)
    begin = perf_counter()
    free = sum(checker.free(arm) for arm in arms)
    each = 1e6 * (perf_counter() - begin) / len(arms)
    return f'{each:.0f} µs (robot, table, {PROPS} props, held prop; {free}/{len(arms)} free)'


def _grasps(planner: MotionPlanner) -> str:
    parts = []
    for kind, size in SIZES.items():
        begin = perf_counter()
        grasps = planner.grasps(Prop(kind, kind, size, RED, 0.06))
        upright = sum(grasp.tool.rotation[2, 2] < -0.999 for grasp in grasps)
        parts.append(f'{kind} {perf_counter() - begin:.2f} s ({len(grasps)}, {upright} straight down)')
    return ', '.join(parts)


if __name__ == '__main__':
    print('\n'.join(report()))
