"""Point the CMake files of the ROS 2 wheels at this interpreter's headers instead of the ones on the machine that built the wheels.

Run by `scripts/setup.sh` with the virtual environment's Python. Touches nothing outside that environment and may run any number of times.
"""

import re
import sys
import sysconfig
from pathlib import Path

PYTHON_HEADERS = re.compile(r'/opt/python/cp\d+-cp\d+t?/include/python3\.\d+t?')
NUMPY_HEADERS = re.compile(r'/opt/python/cp\d+-cp\d+t?/lib/python3\.\d+t?/site-packages/numpy/(?:_core|core)/include')


def repaired(text: str, python_headers: str, numpy_headers: str) -> str:
    """Return the CMake text with the builder's include folders replaced."""
    text = NUMPY_HEADERS.sub(lambda _: numpy_headers, text)
    return PYTHON_HEADERS.sub(lambda _: python_headers, text)


def patch(prefix: Path, python_headers: str, numpy_headers: str) -> int:
    """Repair every CMake file below `prefix`/share and return how many changed."""
    changed = 0
    for path in sorted((prefix / 'share').rglob('*.cmake')):
        text = path.read_text(encoding='utf-8')
        better = repaired(text, python_headers, numpy_headers)
        if better != text:
            path.write_text(better, encoding='utf-8')
            changed += 1
    return changed


def main() -> int:
    """Patch the environment that runs this script."""
    if sys.prefix == sys.base_prefix:
        print(
            'patch_wheels.py must run in a virtual environment; this Python is outside of one. Run it with .venv/bin/python.',
            file=sys.stderr,
        )
        return 1
    import numpy as np

    changed = patch(Path(sys.prefix), sysconfig.get_path('include'), np.get_include())
    print(f'  {changed} CMake files of the ROS wheels now point to this Python and its NumPy')
    return 0


if __name__ == '__main__':
    sys.exit(main())
