"""One bench a ROS domain: a second one refuses before it starts anything, since two spoil each other.

A file that is locked while a bench runs shows one of this machine, also where it starts just now. The kernel frees the lock of a process
that is killed. What holds no lock is found by who listens to the bench (`Listener.others`).
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

_LAST = 100  # greater numbers take ports that Linux lends to others


def present() -> int:
    """Return the ROS domain of this process.

    Raises:
        ConfigError: ROS_DOMAIN_ID is no number of a domain.
    """
    text = os.environ.get('ROS_DOMAIN_ID', '') or '0'
    if not (text.isascii() and text.isdecimal() and int(text[:4]) <= 231):
        raise ConfigError(f'ROS_DOMAIN_ID is a number from 0 to 231; found {text[:40]!r}. Set another one, or none.')
    return int(text)


@contextmanager
def claimed(*, scored: bool, elsewhere: bool = False) -> Iterator[int]:
    """Have a domain, and for a scored bench the one above, to oneself within the context: that of this process.

    Args:
        scored: the bench is.
        elsewhere: where a bench is there already, take a free domain for this process; else that is an error.

    Raises:
        ConfigError: a bench is there already; the message names it and a domain that is free.
    """
    os.environ.update(environment(os.environ))  # before anything of ROS: it says how far to look
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
                f'Another bench runs in ROS domain {there}. Two in one domain spoil each other. End that one, or take another domain: '
                f'export ROS_DOMAIN_ID={free(domain)}'
            )
        yield domain


def _take(domain: int, held: ExitStack, *, scored: bool) -> str:
    """Lock what a bench needs; return in which domain another one is, and what it is called; '' where none is."""
    for number in (domain, domain + 1)[: 1 + scored]:
        lock, owner = _lock(number)
        held.enter_context(lock)
        if owner:
            return f'{number}: {owner}'
    return ''


def free(domain: int) -> int:
    """Return another domain that no bench of this machine has claimed, nor the one above it.

    Raises:
        ConfigError: there is none.
    """
    for number in (*range(domain + 2, _LAST), *range(domain)):
        if not any(map(_is_claimed, (number, number + 1))):
            return int(number)
    raise ConfigError(f'Benches of this machine have claimed all ROS domains up to {_LAST}. End some.')


def _is_claimed(domain: int) -> bool:
    lock, owner = _lock(domain)
    lock.close()
    return bool(owner)


def _lock(domain: int) -> tuple[IO[str], str]:
    """Return the open file of a domain, locked, and ''; or the words of who has locked it.

    Raises:
        ConfigError: what lies in its place is no file that can be opened.
    """
    path = Path(tempfile.gettempdir()) / f'vlm_bench_domain_{domain}.lock'
    try:
        number = _open(path)
    except OSError as error:
        raise ConfigError(f'{path} shows whether a bench runs, and cannot be opened: {error.strerror}. Remove it.') from error
    file = os.fdopen(number, 'r', encoding='utf-8', errors='replace')
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return file, ''.join(filter(str.isprintable, file.read(200))) or 'it has just begun'
    with suppress(OSError):  # of another user
        os.ftruncate(number, 0)
        os.pwrite(number, f'process {os.getpid()} ({" ".join(sys.argv)[:100]})'.encode(errors='replace'), 0)
    return file, ''


def _open(path: Path) -> int:
    """Open a file that anybody may have put there, and follow no link."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except PermissionError:  # of another user
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
