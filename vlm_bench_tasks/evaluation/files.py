"""Files that are there as a whole or not at all, and that one process at a time has to itself."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_file(path: Path) -> None:
    """Check that a path can be that of a file.

    Raises:
        OSError: it is that of a folder, a device or the like.
    """
    if not path.name or path.is_dir():
        raise IsADirectoryError(errno.EISDIR, 'it is a folder')
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, 'it is no plain file')


def write_whole(path: Path, text: str) -> None:
    """Write a file, its folder made if need be; where that fails, what was there before is there still, and nothing else.

    Raises:
        OSError: it cannot be written.
    """
    part = path.with_name(f'.{path.name}.{os.getpid()}.part')
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with part.open('w', encoding='utf-8') as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def alone(lock: Path, *, wait: bool) -> Iterator[None]:
    """Have to itself what a lock file stands for; it is removed in the end, and left behind by a killed process means nothing.

    Args:
        lock: path of the file.
        wait: for the other who has it, however long that takes.

    Raises:
        BlockingIOError: another has it, and is not to be waited for.
        OSError: the file cannot be made.
    """
    while True:
        with lock.open('wb') as file:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _there(lock, os.fstat(file.fileno())):
                continue  # the other has removed it meanwhile, and a third may have made a new one
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
                fcntl.flock(file, fcntl.LOCK_UN)  # also where a process that was started meanwhile has the file open
            return


def _there(path: Path, known: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), known)
    except FileNotFoundError:
        return False
