"""What a policy of somebody's own is written as, so that episodes of it before it was edited are not taken for those after."""

import sys
from hashlib import sha256
from pathlib import Path


def digest(policy: str) -> str:
    """Return the SHA-256 of the file that a policy of module:Class stands in; '' for all others, and where no file is found.

    Only that file counts: weights, and what it imports, are not looked at.
    """
    module, colon, _ = policy.partition(':')
    if not colon or '/' in policy:  # a built-in one, or the address of a server
        return ''
    stem = module.replace('.', '/')
    places = (Path(folder) / name for folder in (str(Path.cwd()), *sys.path) for name in (f'{stem}/__init__.py', f'{stem}.py'))
    found = next((path for path in places if path.is_file()), None)
    return sha256(found.read_bytes()).hexdigest() if found else ''
