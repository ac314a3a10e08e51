"""Versions of all that decides a score."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from vlm_bench_sim import __version__

_DECIDING = ('pybullet', 'numpy', 'pin', 'coal', 'ompl', 'toppra', 'moderngl')


def versions(renderer: str) -> tuple[str, ...]:
    """Return `name=version` of the project and of each library that decides a score, the project first and the renderer's name last."""
    return (f'vlm_bench={__version__}', *(f'{name}={_version(name)}' for name in _DECIDING), f'renderer={renderer}')


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return 'unknown'
