"""Digest of a user's policy. Results from before an edit or further training are thus not reused for the new version."""

import os
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.own_modules import own_modules
from vlm_bench_tasks.policies.arguments import Arguments

MOST_FILES = 10_000
"""Maximum number of files in a folder that an argument names."""
_PART = 1 << 20  # bytes per read


def digest(policy: str, arguments: Arguments = ()) -> str:
    """Return the SHA-256 of a module:Class policy; '' for all others, and if its file cannot be found.

    The digest covers the policy's file, what that imports of its own package or of the folder in which it lies (`own_modules`), and its
    arguments. If an argument names a file or a folder, the contents count and not the path.

    Raises:
        ConfigError: a file cannot be read.
    """
    if ':' not in policy or '/' in policy:  # a built-in policy, or the address of a server
        return ''
    own = _own(policy)
    if not arguments:
        return own
    return sha256(repr((own, [(name, _content(value) or value) for name, value in arguments])).encode()).hexdigest()


def _content(value: str) -> str:
    """Return the SHA-256 of a file, or of the names and contents of all files in a folder; '' if the value names neither."""
    path = Path(value)
    try:
        names_file, names_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # too long for a path, or with characters that no path has: any other argument
        return ''
    if not value or not (names_file or names_folder):
        return ''
    try:
        return _of_file(path) if names_file else _of_folder(path)
    except OSError as error:
        raise ConfigError(f'{path}, an argument of the policy, cannot be read: {error}. Make it readable, or name another.') from error


def _of_folder(path: Path) -> str:
    files = sorted(islice(_files(path), MOST_FILES + 1))
    if len(files) > MOST_FILES:
        what = f'{path}, an argument of the policy, holds more than {MOST_FILES} files; the digest of the policy must read them all.'
        raise ConfigError(f'{what} Name a smaller folder, or a file.')
    whole = sha256()
    for file in files:
        whole.update(f'{file.relative_to(path).as_posix()!r} {_of_file(file)}\n'.encode(errors='surrogateescape'))
    return whole.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    """Yield the files in a folder, also those in linked folders, each of which is entered once."""
    entered = set[str]()
    for place, folders, names in os.walk(path, followlinks=True):
        entered.add(os.path.realpath(place))
        folders[:] = [name for name in sorted(folders) if os.path.realpath(Path(place, name)) not in entered]
        yield from (file for name in names if (file := Path(place, name)).is_file())


def _of_file(path: Path) -> str:
    whole = sha256()
    with path.open('rb') as file:
        while part := file.read(_PART):
            whole.update(part)
    return whole.hexdigest()


def _own(policy: str) -> str:
    found = own_modules(policy.partition(':')[0])
    if not found:
        return ''
    whole = sha256()
    for name, path in sorted(found.items()):
        try:
            whole.update(f'{name} {_of_file(path)}\n'.encode())
        except OSError as error:
            raise ConfigError(f'{path}, of the policy, cannot be read: {error}. Make it readable.') from error
    return whole.hexdigest()
