"""By which code of ours, and which configuration, the episodes of a sweep were played: what changes it may change what came of them."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2]
PARTS = {
    'vlm_bench_sim': ('__init__.py', 'assets.py', 'bullet', 'core', 'motion', 'profiles.py', 'versions.py'),
    'vlm_bench_tasks': (
        '__init__.py', 'alternatives.py', 'authoring.py', 'catalogue.py', 'episode.py', 'execution.py', 'family.py', 'goals', 'judging',
        'language', 'play.py', 'policies', 'policy.py', 'run.py', 'settings.py', 'skills', 'suite', 'variation', 'workers.py',
    ),
    'config': ('perturbations.yaml', 'reach.yaml', 'robots', 'splits.yaml'),
}  # fmt: skip
"""What plays a part in an episode in process without pictures, by the folder in which it lies; a test compares it with what one imports."""


@cache
def code() -> str:
    """Return 12 hexadecimal digits of the SHA-256 over the names and the content of all files that play a part; read once a process."""
    digest = sha256()
    for name, path in files():
        content = path.read_bytes()
        digest.update(f'{name} {len(content)}\n'.encode() + content)
    return digest.hexdigest()[:12]


def files() -> Iterator[tuple[str, Path]]:
    """Yield the name of each file that plays a part, and where it lies, in order."""
    for root, folder, pattern in (
        ('vlm_bench_sim', PACKAGES / 'vlm_bench_sim', '*.py'),
        ('vlm_bench_tasks', PACKAGES / 'vlm_bench_tasks', '*.py'),
        ('config', PACKAGES / 'config', '*'),  # beside the sources; an installed one changes with them
    ):
        for path in sorted(folder.rglob(pattern)):
            inner = path.relative_to(folder)
            if path.is_file() and inner.parts[0] in PARTS[root]:
                yield f'{root}/{inner.as_posix()}', path
