"""Scenes, and ways to act in them."""

from math import pi

from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.profiles import robot

PROFILE = robot('panda')
RED = Color('red', (1.0, 0.0, 0.0))
SIZES = {
    'star': (0.055, 0.052, 0.035),
    'triangular_prism': (0.046, 0.040, 0.039),
    'cylinder': (0.046, 0.046, 0.042),
    'cube': (0.042, 0.042, 0.042),
    'moon': (0.054, 0.055, 0.039),
    'tray': (0.20, 0.125, 0.05),
}
MASSES = {'star': 0.036, 'triangular_prism': 0.035, 'cylinder': 0.068, 'cube': 0.073, 'moon': 0.056, 'tray': 0.15}
DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0)).orientation


def prop(name: str, kind: str = 'cube', x: float = 0.5, y: float = 0.0, **change) -> Prop:
    """A prop on the table; `change` gives it another size, yaw, height and so on."""
    size = change.pop('size', None) or SIZES[kind]
    pose = Pose.from_rpy((x, y, change.pop('z', size[2] / 2 + 5e-4)), (0.0, 0.0, change.pop('yaw', 0.0)))
    return Prop(name, kind, size, RED, change.pop('mass', None) or MASSES.get(kind, 0.1), change.pop('friction', 0.71), pose, **change)


def parade() -> Scene:
    """One prop of each kind."""
    return Scene(tuple(prop(kind, kind, 0.35 + 0.12 * (i % 3), 0.25 if i < 3 else -0.25, yaw=0.3 * i) for i, kind in enumerate(SIZES)))


def busy(world) -> bool:
    return MotionState.RUNNING in (world.arm, world.gripper)


def finish(world, command: Command, limit: int = 200) -> list[Snapshot]:
    """Apply a command and step until it has ended; returns the snapshots."""
    world.apply(command)
    film = []
    while busy(world) and len(film) < limit:
        film.append(world.step())
    return film


def steps(world, count: int) -> list[Snapshot]:
    return [world.step() for _ in range(count)]


def reach(planner, pose: Pose, start=PROFILE.home) -> tuple[float, ...]:
    """Arm positions with the tool at the pose."""
    return planner.plan(PlanRequest(tuple(start), ToolPose(pose))).points[-1].positions


def around(planner, what: Prop, opening: float, *, dy: float = 0.0) -> Scene:
    """The robot starts with its fingers on both sides (y) of the prop, the tool shifted by `dy` from the prop's centre."""
    x, y, _ = what.pose.position
    joints = reach(planner, Pose((x, y + dy, 0.022), Pose.from_rpy((0, 0, 0), (pi, 0, 0)).orientation))
    return Scene((what,), robot=RobotStart(joints, opening))
