"""Planning in numbers: free moves between random tool poses over a table with props, inverse kinematics, collision checks, grasps."""

from time import perf_counter

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Colour, Prop
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot

SIZES = {
    'star': (0.055, 0.052, 0.035),
    'triangular_prism': (0.046, 0.040, 0.039),
    'cylinder': (0.046, 0.046, 0.042),
    'cube': (0.042, 0.042, 0.042),
    'moon': (0.054, 0.055, 0.039),
    'tray': (0.20, 0.125, 0.05),
}
PROPS = 6


def report(problems: int = 100) -> list[str]:
    """Return the lines of the report."""
    planner = MotionPlanner(robot('panda'))
    return [_moves(planner, problems), _inverse(planner), _checks(planner), *_grasps(planner)]


def _pose(rng: np.random.Generator) -> Pose:
    position = (rng.uniform(0.30, 0.65), rng.uniform(-0.35, 0.35), rng.uniform(0.03, 0.30))
    return Pose.from_rpy(position, (np.pi + rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), rng.uniform(-np.pi, np.pi)))


def _props(rng: np.random.Generator) -> tuple[Prop, ...]:
    props = []
    for i, kind in enumerate(rng.choice(sorted(SIZES), PROPS)):
        size = SIZES[kind]
        pose = Pose.from_rpy((rng.uniform(0.30, 0.65), rng.uniform(-0.35, 0.35), size[2] / 2), (0.0, 0.0, rng.uniform(-np.pi, np.pi)))
        props.append(Prop(f'{kind}_{i}', str(kind), size, Colour('red', (1.0, 0.0, 0.0)), 0.06, pose=pose))
    return tuple(props)


def _problem(planner: MotionPlanner, seed: int) -> PlanRequest:
    """Return a move between two tool poses that can both be taken."""
    rng = np.random.default_rng(seed)
    props = _props(rng)
    scene = CollisionModel(planner.kinematics).scene(props, opening=planner.profile.gripper.max_opening)
    while True:
        start, target = (planner.kinematics.inverse(_pose(rng), np.asarray(planner.profile.home), rng, count=1) for _ in range(2))
        if start and target and not scene.contacts(start[0], 0.0) and not scene.contacts(target[0], 0.0):
            pose = planner.kinematics.tool_pose(target[0])
            return PlanRequest(tuple(start[0].tolist()), ToolPose(pose), props, seed=seed)


def _moves(planner: MotionPlanner, problems: int) -> str:
    times, solved = [], 0
    for seed in range(problems):
        request = _problem(planner, seed)
        begin = perf_counter()
        try:
            planner.plan(request)
            solved += 1
        except PlanError:
            pass
        times.append(1000 * (perf_counter() - begin))
    median, slow = np.percentile(times, [50, 95])
    return (
        f'planning: {solved}/{problems} solved, median {median:.1f} ms, p95 {slow:.1f} ms (IK and parametrisation included, {PROPS} props)'
    )


def _inverse(planner: MotionPlanner) -> str:
    rng, home = np.random.default_rng(1), np.asarray(planner.profile.home)
    poses = [_pose(rng) for _ in range(200)]
    begin = perf_counter()
    solved = sum(bool(planner.kinematics.inverse(pose, home, rng, count=1)) for pose in poses)
    return f'inverse kinematics: {solved}/{len(poses)} solved, {1e6 * (perf_counter() - begin) / len(poses):.0f} µs each'


def _checks(planner: MotionPlanner) -> str:
    rng = np.random.default_rng(2)
    held = Prop('held', 'cube', SIZES['cube'], Colour('red', (1.0, 0.0, 0.0)), 0.06)
    scene = CollisionModel(planner.kinematics).scene(_props(rng), held, 0.042)
    home = np.asarray(planner.profile.home)
    arms = rng.uniform(home - 0.8, home + 0.8, (3000, len(home)))
    checker = scene.checker(0.008)
    begin = perf_counter()
    free = sum(checker.free(arm) for arm in arms)
    each = 1e6 * (perf_counter() - begin) / len(arms)
    return f'collision check: {each:.0f} µs (robot, table, {PROPS} props, held prop; {free}/{len(arms)} free)'


def _grasps(planner: MotionPlanner) -> list[str]:
    lines = []
    for kind, size in SIZES.items():
        prop = Prop(kind, kind, size, Colour('red', (1.0, 0.0, 0.0)), 0.06)
        begin = perf_counter()
        grasps = planner.grasps(prop)
        upright = sum(grasp.tool.rotation[2, 2] < -0.999 for grasp in grasps)
        lines.append(f'grasps of {kind}: {len(grasps)} ({upright} straight down) in {perf_counter() - begin:.2f} s')
    return lines


if __name__ == '__main__':
    print('\n'.join(report()))
