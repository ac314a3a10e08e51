"""What Fast DDS processes that were killed leave in shared memory.

Fast DDS holds a lock on each segment and port while its process lives, and does not always recover what a killed process left behind: /dev/shm fills up
(Fast DDS issue 2790), and the next participant of the domain may hear nobody (issues 5053 and 5469). `fastdds shm clean` removes such files
too, but also those of a participant that is being made this moment; ours leaves alone what is younger than a few seconds.
"""

import fcntl
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path('/dev/shm')
YOUNG_S = 10.0


def clean(folder: Path = FOLDER) -> int:
    """Remove the segments and ports whose process has gone; return how many. Without such a folder, or a right to it, nothing happens."""
    removed = 0
    for path in sorted(folder.glob('fastdds_*')):
        if path.name.endswith(('_el', '_sl')) or not _old(path):
            continue
        locks = [path.with_name(f'{path.name}{end}') for end in ('_el', '_sl')]
        if any(_held(lock) for lock in locks):
            continue
        with suppress(OSError):  # another user's, or somebody was faster
            path.unlink()
            removed += 1
            for other in (*locks, path.with_name(f'sem.{path.name}_mutex')):
                other.unlink(missing_ok=True)
    return removed


def _old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_ctime > YOUNG_S
    except OSError:
        return False


def _held(lock: Path) -> bool:
    try:
        with lock.open('rb') as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
