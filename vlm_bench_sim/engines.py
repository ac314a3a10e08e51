"""The physics engines that a world may run in, by name."""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.physics.world import SimulatedWorld

ENGINE = 'engine'
"""The word for the engine among the versions in reports and bags."""
PYBULLET, MUJOCO = 'pybullet', 'mujoco'
ENGINES = {PYBULLET: 'vlm_bench_sim.bullet.world:BulletWorld', MUJOCO: 'vlm_bench_sim.mujoco.world:MujocoWorld'}
"""The class of each engine's world, by the name of its distribution."""


def check(engine: str) -> str:
    """Return the name of an engine that can run here.

    Raises:
        ConfigError: there is no such engine, or it is not installed.
    """
    if engine not in ENGINES:
        raise ConfigError(f'There is no engine called {engine!r}. {near(engine, ENGINES)}')
    if find_spec(engine) is None:
        raise ConfigError(f'The engine {engine} is not installed. Install it with: pip install "vlm_bench[{engine}]"')
    return engine


def recorded(versions: Iterable[str]) -> str:
    """Return the engine among versions, each `name=version`; older ones name none, and are PyBullet's."""
    named = [version.partition('=')[2] for version in versions if version.startswith(f'{ENGINE}=')]
    return named[0] if named else PYBULLET


def world(profile: RobotProfile, engine: str = PYBULLET) -> SimulatedWorld:
    """Return an empty world of a robot in an engine.

    Raises:
        ConfigError: there is no such engine, or it is not installed.
    """
    module, name = ENGINES[check(engine)].split(':')
    made: SimulatedWorld = getattr(import_module(module), name)(profile)
    return made
