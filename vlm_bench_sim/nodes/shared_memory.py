"""What Fast DDS processes that were killed leave in shared memory: segments of megabytes, until /dev/shm is full (Fast DDS issue 2790).

Fast DDS holds a lock on each segment while its process lives, and never uses a segment's name again, so that one without an owner can go.
Ports are left alone while anybody may be there: their names come again, Fast DDS takes them over itself, and removing one under a
participant that is just being made would leave that participant deaf. Taking one over has that very flaw, though (Fast DDS pull request
4737): who had opened the old one goes on writing into it. Where it is known that nobody is in a domain, `clean_domain` removes its ports.
"""

import fcntl
import re
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path('/dev/shm')
YOUNG_S = 10.0
_SEGMENT = re.compile(r'fastdds_[0-9a-f]{16}')
_PORT = re.compile(r'(?:sem\.)?fastdds_port(\d+)(?:_el|_sl|_mutex)?')
_FIRST_PORT, _PORTS = 7400, 250  # of RTPS: the first domain's first port, and as many a domain


def clean(folder: Path = FOLDER) -> int:
    """Remove the segments whose process has gone; return how many. Without such a folder, or a right to it, nothing happens."""
    removed = 0
    for path in sorted(folder.glob('fastdds_*')):
        lock = path.with_name(f'{path.name}_el')
        if _SEGMENT.fullmatch(path.name) and _old(path) and not _held(lock):
            with suppress(OSError):  # another user's, or somebody was faster
                path.unlink()
                lock.unlink(missing_ok=True)
                removed += 1
    return removed


def clean_domain(domain: int, folder: Path = FOLDER) -> int:
    """Remove the ports of a ROS domain that nobody is in; return how many files those were."""
    removed = 0
    for path in sorted(folder.glob('*fastdds_port*')):
        port = _PORT.fullmatch(path.name)
        if port and (int(port[1]) - _FIRST_PORT) // _PORTS == domain:
            with suppress(OSError):
                path.unlink()
                removed += 1
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
