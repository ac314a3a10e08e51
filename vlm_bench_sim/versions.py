"""Versions of everything that affects a score."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vlm_bench_sim import __version__
from vlm_bench_sim.assets import share
from vlm_bench_sim.core.engine import ENGINE, NO_ENGINE, PYBULLET
from vlm_bench_sim.extensions import Extension

_DECIDING = (
    'pybullet', 'numpy', 'scipy', 'transforms3d', 'pin', 'coal', 'ompl', 'toppra',  # states and plans; meshes of robots come with pybullet
    'trimesh', 'fast-simplification', 'moderngl', 'opencv-python-headless',  # meshes, hulls and pictures
)  # fmt: skip
_ELSEWHERE = {'opencv-python-headless': 'opencv-python'}
"""Alternative distribution of the same library."""

_ASIDE = ('fastdds.xml', 'fastdds_sockets.xml', 'rosetta.yaml')
"""Files of `config/` that affect no score: message transport, and names used by other software."""


def versions(renderer: str, engine: str = PYBULLET, *extensions: Extension) -> tuple[str, ...]:
    """Return `name=version` of the project, of each library that affects a score, of the configuration, and of these extensions.

    The names of the engine and of the renderer are last.
    """
    libraries = (f'{name}={_version(name)}' for name in (*_DECIDING, *(() if engine in (*_DECIDING, NO_ENGINE) else (engine,))))
    ours = (f'vlm_bench={__version__}', *libraries, f'config={_configuration()}')
    return (*ours, *sorted({one.label for one in extensions}), f'{ENGINE}={engine}', f'renderer={renderer}')


def configuration(folder: Path) -> str:
    """Return 12 hexadecimal digits: SHA-256 of the names and contents of the files in a `config/` folder that affect a score."""
    digest = sha256()
    for path in sorted(folder.rglob('*')):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in _ASIDE:
            content = path.read_bytes()
            digest.update(f'{name} {len(content)}\n'.encode() + content)
    return digest.hexdigest()[:12]


@cache
def _configuration() -> str:
    return configuration(share() / 'config')


@cache
def _version(name: str) -> str:
    for known in (name, _ELSEWHERE.get(name, name)):
        try:
            return version(known)
        except PackageNotFoundError:
            continue
    return 'unknown'
