"""Allow one bench per ROS domain. A second one raises an error before it starts anything, since two would disturb each other.

Benches of this machine, including those just starting, are detected by a file that is locked while they run. The kernel releases the
lock of a killed process. Benches without a lock are detected by listening (`Listener.others`).
"""

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.graph import environment

_LAST = 100  # higher domains use ports that Linux assigns to other programs


def present() -> int:
    """Return the ROS domain of this process.

    Raises:
        ConfigError: ROS_DOMAIN_ID is not a valid domain.
    """
    text = os.environ.get('ROS_DOMAIN_ID', '') or '0'
    if not (text.isascii() and text.isdecimal() and int(text[:4]) <= 231):
        raise ConfigError(f'ROS_DOMAIN_ID is a number from 0 to 231; found {text[:40]!r}. Set another one, or none.')
    return int(text)


@contextmanager
def claimed(*, scored: bool, elsewhere: bool = False) -> Iterator[int]:
    """Claim the domain of this process as a context, and for a scored bench also the next one.

    Args:
        scored: whether the bench is scored.
        elsewhere: if a bench already runs there, claim a free domain for this process; otherwise that is an error.

    Raises:
        ConfigError: a bench already runs there; the message names it and a free domain.
    """
    os.environ.update(environment(os.environ))  # must precede any use of ROS, since it sets the discovery range
    domain = present()
    with ExitStack() as held:
        there = _take(domain, held, scored=scored)
        if there and elsewhere:
            held.close()
            domain = free(domain)
            os.environ['ROS_DOMAIN_ID'] = str(domain)
            there = _take(domain, held, scored=scored)
        if there:
            raise ConfigError(
                f'Another bench runs in ROS domain {there}. Two benches in one domain disturb each other. '
                f'End that one, or choose another domain: export ROS_DOMAIN_ID={free(domain)}'
            )
        yield domain


def _take(domain: int, held: ExitStack, *, scored: bool) -> str:
    """Lock what a bench needs; if another bench holds it, return its domain and name, otherwise ''."""
    for number in (domain, domain + 1)[: 1 + scored]:
        lock, owner = _lock(number)
        held.enter_context(lock)
        if owner:
            return f'{number}: {owner}'
    return ''


def free(domain: int) -> int:
    """Return a domain which, like the next one, is not claimed by any bench of this machine.

    Raises:
        ConfigError: no domain is free.
    """
    for number in (*range(domain + 2, _LAST), *range(domain)):
        if not any(map(claimant, (number, number + 1))):
            return int(number)
    raise ConfigError(f'Benches of this machine have claimed all ROS domains up to {_LAST}. End some.')


def claimant(domain: int) -> str:
    """Return a description of the bench of this machine that has claimed a domain; '' if there is none.

    Raises:
        ConfigError: as `claimed`.
    """
    lock, told = _lock(domain)
    lock.close()
    return told


def _lock(domain: int) -> tuple[IO[str], str]:
    """Return the open, locked file of a domain, and ''; or a description of the bench that has locked it.

    Raises:
        ConfigError: the path holds something that cannot be opened as a file.
    """
    path = Path(tempfile.gettempdir()) / f'vlm_bench_domain_{domain}.lock'
    try:
        number = _open(path)
    except OSError as error:
        raise ConfigError(f'The lock file {path} of a bench cannot be opened: {error.strerror}. Remove it.') from error
    file = os.fdopen(number, 'r', encoding='utf-8', errors='replace')
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return file, ''.join(filter(str.isprintable, file.read(200))) or 'it has just started'
    with suppress(OSError):  # the file belongs to another user
        os.ftruncate(number, 0)
        os.pwrite(number, f'process {os.getpid()} ({" ".join(sys.argv)[:100]})'.encode(errors='replace'), 0)
    return file, ''


def _open(path: Path) -> int:
    """Open a file that any user may have created, without following links."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except PermissionError:  # the file belongs to another user
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
