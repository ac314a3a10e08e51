"""What Fast DDS processes that were killed leave in shared memory: segments of megabytes, until /dev/shm is full (Fast DDS issue 2790).

Fast DDS holds a lock on each segment while its process lives, and never uses a segment's name again, so that one without an owner can go.
Ports are left alone while anybody may be there: their names come again, Fast DDS takes them over itself, and removing one under a
participant that is just being made would leave that participant deaf. Taking one over has a flaw, though (Fast DDS pull request 4737): who
had opened the old one goes on writing into it, for the seconds that `config/fastdds.xml` gives its owner to show life. Where nobody is in a
domain, `clean_domain` removes its ports.
"""

import fcntl
import os
import re
import time
from contextlib import suppress
from pathlib import Path

FOLDER = Path('/dev/shm')
LOCKS = Path('/proc/locks')
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
    """Remove the ports of a ROS domain, unless somebody is in it; return how many files those were."""
    removed = 0
    for path in () if tenants(domain, folder) else _ports(domain, folder):
        with suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def tenants(domain: int, folder: Path = FOLDER) -> set[int]:
    """Return the ids of the processes that are in a ROS domain: each holds a lock on ports of its own. The locks are read, never tried."""
    ports = set()
    for path in _ports(domain, folder):
        with suppress(OSError):
            at = path.stat()
            ports.add(f'{os.major(at.st_dev):02x}:{os.minor(at.st_dev):02x}:{at.st_ino}')
    words = [line.split() for line in LOCKS.read_text().splitlines()] if ports and LOCKS.exists() else []
    return {int(word[4]) for word in words if len(word) > 5 and word[1] == 'FLOCK' and word[5] in ports}


def _ports(domain: int, folder: Path) -> list[Path]:
    matches = ((path, _PORT.fullmatch(path.name)) for path in sorted(folder.glob('*fastdds_port*')))
    return [path for path, match in matches if match and (int(match[1]) - _FIRST_PORT) // _PORTS == domain]


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
