"""Removes what killed Fast DDS processes leave in shared memory: segments of megabytes, until /dev/shm is full (Fast DDS issue 2790).

Fast DDS holds a lock on each segment while its process lives, and never reuses a segment's name. A segment without an owner can
therefore be removed. Ports are left alone while anybody may be in the domain: their names are reused, Fast DDS takes old ones over
itself, and removing one under a participant that is just being made would leave that participant deaf. Taking over has a flaw (Fast DDS
pull request 4737): a process that had opened the old port keeps writing into it until the health check fails, whose timeout is in
`config/fastdds.xml`. If nobody is in a domain, `clean_domain` removes its ports.
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
_FIRST_PORT, _PORTS = 7400, 250  # RTPS ports: the first port of the first domain, and the number of ports per domain


def clean(folder: Path = FOLDER) -> int:
    """Remove the segments of dead processes and return their number. Does nothing if the folder is missing or not accessible."""
    removed = 0
    for path in sorted(folder.glob('fastdds_*')):
        lock = path.with_name(f'{path.name}_el')
        if _SEGMENT.fullmatch(path.name) and _old(path) and not _held(lock):
            with suppress(OSError):  # another user's file, or already removed by somebody else
                path.unlink()
                lock.unlink(missing_ok=True)
                removed += 1
    return removed


def clean_domain(domain: int, folder: Path = FOLDER) -> int:
    """Remove the ports of a ROS domain, unless somebody is in it; return the number of removed files."""
    removed = 0
    for path in () if tenants(domain, folder) else _ports(domain, folder):
        with suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def tenants(domain: int, folder: Path = FOLDER) -> set[int]:
    """Return the ids of the processes in a ROS domain: each holds a lock on its own ports. The locks are read, never tried."""
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
