"""Opens worlds in a physics engine that is named."""

from importlib import import_module

from vlm_bench_sim.core.engine import MUJOCO, PYBULLET, check
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.physics.world import SimulatedWorld

_WORLDS = {PYBULLET: 'vlm_bench_sim.bullet.world:BulletWorld', MUJOCO: 'vlm_bench_sim.mujoco.world:MujocoWorld'}


def world(profile: RobotProfile, engine: str = PYBULLET) -> SimulatedWorld:
    """Return an empty world of a robot in an engine.

    Raises:
        ConfigError: there is no such engine, or it is not installed.
    """
    module, name = _WORLDS[check(engine)].split(':')
    made: SimulatedWorld = getattr(import_module(module), name)(profile)
    return made
