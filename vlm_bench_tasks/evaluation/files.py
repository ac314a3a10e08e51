"""Read and write files as a whole, and lock files between processes."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_file(path: Path) -> None:
    """Check that a path is free or belongs to a regular file.

    Raises:
        OSError: the path is a folder, a device or the like.
    """
    if not path.name or path.is_dir():
        raise IsADirectoryError(errno.EISDIR, 'it is a folder')
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, 'it is not a regular file')


def read_whole(path: Path, most: int) -> bytes:
    """Return the content of a regular file of at most so many bytes.

    Raises:
        OSError: the file is none or is larger, or it cannot be read.
    """
    check_file(path)
    with path.open('rb') as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f'it is larger than {most >> 20} MiB')
    return content


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically, and create its folder if needed. If writing fails, the old file is unchanged and nothing else is left.

    Raises:
        OSError: the file cannot be written.
    """
    part = path.with_name(f'.{path.name}.{os.getpid()}.part')
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with part.open('wb') as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def alone(lock: Path, *, wait: bool) -> Iterator[None]:
    """Hold an exclusive lock file as a context, and remove it at the end. A file left by a killed process does not block others.

    Args:
        lock: path of the lock file.
        wait: wait without timeout until the lock is free.

    Raises:
        BlockingIOError: another process holds the lock, and `wait` is False.
        OSError: the file cannot be created.
    """
    while True:
        with lock.open('wb') as file:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _there(lock, os.fstat(file.fileno())):
                continue  # the other process has removed the file meanwhile, and a third one may have created a new one
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
                fcntl.flock(file, fcntl.LOCK_UN)  # needed if a process started meanwhile still has the file open
            return


def _there(path: Path, known: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), known)
    except FileNotFoundError:
        return False
