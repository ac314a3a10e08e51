"""Names of the physics engines in which a world may run."""

from collections.abc import Iterable
from importlib.util import find_spec

from vlm_bench_sim.core.errors import ConfigError, near

ENGINE = 'engine'
"""The word for the engine among the versions in reports and bags."""

PYBULLET, MUJOCO = 'pybullet', 'mujoco'
ENGINES = (PYBULLET, MUJOCO)
"""Each by the name of its distribution, which is also that of its Python package."""

NO_ENGINE = 'none'
"""What stands in place of an engine for a real world."""

LACKS = {PYBULLET: (), MUJOCO: ('beads', 'dirt'), NO_ENGINE: ('lockstep', 'truth', 'reset', 'cues')}
"""What a task may need and does not find there."""


def check(engine: str) -> str:
    """Return the name of an engine that can run here.

    Raises:
        ConfigError: there is no such engine, or it is not installed.
    """
    if engine not in ENGINES:
        raise ConfigError(f'There is no engine called {engine!r}. {near(engine, ENGINES)}')
    if find_spec(engine) is None:
        raise ConfigError(f'The engine {engine} is not installed. Install it with: pip install "vlm_bench_sim[{engine}]"')
    return engine


def recorded(versions: Iterable[str]) -> str:
    """Return the engine among versions, each `name=version`; older ones name none, and are PyBullet's."""
    named = [version.partition('=')[2] for version in versions if version.startswith(f'{ENGINE}=')]
    return named[0] if named else PYBULLET
