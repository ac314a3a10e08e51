"""Fingerprint of the bench's code and configuration. Results with the same fingerprint were made by the same code."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from vlm_bench_sim.assets import share

PACKAGES = Path(__file__).resolve().parents[1]
PARTS = {
    'vlm_bench_sim': (
        '__init__.py', 'assets.py', 'core', 'engines.py', 'extensions.py', 'files.py', 'mesh_shapes.py', 'motion', 'physics', 'profiles.py',
        'versions.py',
    ),
    'vlm_bench_tasks': (
        '__init__.py', 'actions', 'agents', 'alternatives.py', 'authoring.py', 'catalogue.py', 'episode.py', 'evaluation/aids.py',
        'evaluation/answers.py', 'evaluation/faults.py', 'evaluation/guard.py', 'evaluation/lending.py', 'evaluation/playing.py',
        'evaluation/server_observations.py', 'evaluation/socket_player.py', 'evaluation/watchdog.py', 'evaluation/wire.py',
        'evaluation/wires', 'execution.py', 'family.py', 'goal_number.py', 'goals', 'judging', 'language', 'play.py', 'policies',
        'policy.py', 'result.py', 'run.py', 'settings.py', 'skills', 'suite', 'suites.py', 'trial.py', 'variation', 'workers.py',
    ),
    'config': ('perturbations.yaml', 'reach.yaml', 'robots', 'splits.yaml'),
}  # fmt: skip
"""Modules that affect a trial in process without pictures, by folder; a test compares this list with what such a trial imports."""
ENGINES = {'pybullet': ('bullet',), 'mujoco': ('mujoco',)}
"""Modules of vlm_bench_sim that matter in one engine alone."""
DRAWING = ('prompts.py', 'render')
"""Modules of vlm_bench_sim that also matter if pictures are rendered."""


@cache
def code(*, pictures: bool = False, engine: str = 'pybullet') -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 over names and contents of all relevant files; computed once per process.

    Args:
        pictures: include the rendering code.
        engine: include the code of this physics engine.
    """
    digest = sha256()
    for name, path in files(pictures=pictures, engine=engine):
        content = path.read_bytes()
        digest.update(f'{name} {len(content)}\n'.encode() + content)
    return digest.hexdigest()[:12]


def files(*, pictures: bool = False, engine: str = 'pybullet') -> Iterator[tuple[str, Path]]:
    """Yield the name and the path of each relevant file, in order."""
    for root, folder, pattern in (
        ('vlm_bench_sim', PACKAGES / 'vlm_bench_sim', '*.py'),
        ('vlm_bench_tasks', PACKAGES / 'vlm_bench_tasks', '*.py'),
        ('config', share() / 'config', '*'),
    ):
        parts = tuple(f'{part}/' for part in (*PARTS[root], *ENGINES[engine], *(DRAWING if pictures else ())))
        for path in sorted(folder.rglob(pattern)):
            inner = path.relative_to(folder).as_posix()
            if path.is_file() and f'{inner}/'.startswith(parts):
                yield f'{root}/{inner}', path
