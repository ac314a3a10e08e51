"""By which code of ours, and which configuration, episodes were played: what changes it may change what came of them."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[1]
PARTS = {
    'vlm_bench_sim': ('__init__.py', 'assets.py', 'bullet', 'core', 'motion', 'profiles.py', 'versions.py'),
    'vlm_bench_tasks': (
        '__init__.py', 'actions', 'alternatives.py', 'authoring.py', 'catalogue.py', 'episode.py', 'evaluation/aids.py',
        'evaluation/answers.py', 'evaluation/faults.py', 'evaluation/guard.py', 'evaluation/playing.py',
        'evaluation/server_observations.py', 'evaluation/socket_player.py',
        'evaluation/watchdog.py', 'evaluation/wire.py', 'execution.py', 'family.py', 'goals', 'judging', 'language', 'play.py', 'policies',
        'policy.py', 'result.py', 'run.py', 'settings.py', 'skills', 'suite', 'trial.py', 'variation', 'workers.py',
    ),
    'config': ('perturbations.yaml', 'reach.yaml', 'robots', 'splits.yaml'),
}  # fmt: skip
"""What plays a part in a trial in process without pictures, by the folder in which it lies; a test compares it with what one imports."""
DRAWING = ('render',)
"""What of vlm_bench_sim plays a part besides where there are pictures."""


@cache
def code(*, pictures: bool = False) -> str:
    """Return 12 hexadecimal digits of the SHA-256 over the names and the content of all files that play a part; read once a process.

    Args:
        pictures: what draws them plays a part, too.
    """
    digest = sha256()
    for name, path in files(pictures=pictures):
        content = path.read_bytes()
        digest.update(f'{name} {len(content)}\n'.encode() + content)
    return digest.hexdigest()[:12]


def files(*, pictures: bool = False) -> Iterator[tuple[str, Path]]:
    """Yield the name of each file that plays a part, and where it lies, in order."""
    for root, folder, pattern in (
        ('vlm_bench_sim', PACKAGES / 'vlm_bench_sim', '*.py'),
        ('vlm_bench_tasks', PACKAGES / 'vlm_bench_tasks', '*.py'),
        ('config', PACKAGES / 'config', '*'),  # beside the sources; an installed one changes with them
    ):
        parts = tuple(f'{part}/' for part in (*PARTS[root], *(DRAWING if pictures else ())))
        for path in sorted(folder.rglob(pattern)):
            inner = path.relative_to(folder).as_posix()
            if path.is_file() and f'{inner}/'.startswith(parts):
                yield f'{root}/{inner}', path
