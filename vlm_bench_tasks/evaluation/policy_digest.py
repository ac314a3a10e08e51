"""Digest of a user's policy. Results from before an edit or further training are thus not reused for the new version."""

import sys
from hashlib import sha256
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.policies.arguments import Arguments

_PART = 1 << 20  # bytes per read


def digest(policy: str, arguments: Arguments = ()) -> str:
    """Return the SHA-256 of a module:Class policy; '' for all others, and if its file cannot be found.

    The digest covers the policy's file and its arguments. If an argument names a file or a folder, the contents count and not the path.
    Imported modules are not included.

    Raises:
        ConfigError: a file cannot be read.
    """
    own = _own(policy)
    if not own or not arguments:
        return own
    whole = sha256(own.encode())
    for name, value in arguments:
        whole.update(f'{name}={_content(Path(value)) or value}\n'.encode())
    return whole.hexdigest()


def _content(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of all files in a folder; '' if the path does not exist."""
    try:
        if path.is_file():
            return _of_file(path)
        if not path.is_dir():
            return ''
        whole = sha256()
        for file in sorted(each for each in path.rglob('*') if each.is_file()):
            whole.update(f'{file.relative_to(path).as_posix()} {_of_file(file)}\n'.encode())
        return whole.hexdigest()
    except (OSError, ValueError) as error:
        raise ConfigError(f'{path} is an argument of the policy, and its content cannot be read: {error}.') from error


def _of_file(path: Path) -> str:
    whole = sha256()
    with path.open('rb') as file:
        while part := file.read(_PART):
            whole.update(part)
    return whole.hexdigest()


def _own(policy: str) -> str:
    module, colon, _ = policy.partition(':')
    if not colon or '/' in policy:  # a built-in policy, or the address of a server
        return ''
    stem = module.replace('.', '/')
    places = (Path(folder) / name for folder in (str(Path.cwd()), *sys.path) for name in (f'{stem}/__init__.py', f'{stem}.py'))
    found = next((path for path in places if path.is_file()), None)
    return sha256(found.read_bytes()).hexdigest() if found else ''
