"""Write the hook by which `.venv/bin/python` finds the generated interfaces and the transport's profile without anything being sourced.

Run by `scripts/setup.sh` with the virtual environment's Python, after the interfaces are built. The loader reads `LD_LIBRARY_PATH` and
`GLIBC_TUNABLES` (see `vlm_bench_sim/core/arithmetic.py`) only when a process starts, so the hook starts Python a second time when something
is missing there: 20 ms, once for a process tree.
"""

import inspect
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vlm_bench_sim.core import arithmetic

TEMPLATE = '''"""Written by scripts/site_hook.py: shows this environment the interfaces that make setup built."""

import os
import sys

PYTHON = {python!r}
LIBRARIES = {libraries!r}
PREFIXES = {prefixes!r}
READ_AT_START = ('LD_LIBRARY_PATH', {variable!r})


def _ahead(variable, folders):
    have = [part for part in os.environ.get(variable, '').split(os.pathsep) if part]
    os.environ[variable] = os.pathsep.join([folder for folder in folders if folder not in have] + have)


{tunables}

def apply():
    """Complete the environment; start this interpreter again if the loader has not seen it."""
    sys.path += [folder for folder in PYTHON if folder not in sys.path]
    os.environ.setdefault({range_name!r}, {range_value!r})
    os.environ.setdefault('FASTDDS_DEFAULT_PROFILES_FILE', {profiles!r})
    _ahead('AMENT_PREFIX_PATH', PREFIXES)
    before = [os.environ.get(name) for name in READ_AT_START]
    _ahead('LD_LIBRARY_PATH', LIBRARIES)
    os.environ[{variable!r}] = tunables(os.environ.get({variable!r}, ''))
    os.environ['_ROS_WHEELS_BOOTSTRAP_COMPLETE'] = '1'  # disables the hook of the wheels, which would do the same without our folders
    if [os.environ.get(name) for name in READ_AT_START] != before:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ)


apply()
'''


def prefixes(root: Path) -> list[Path]:
    """Return the install prefixes that hold generated interfaces, those of the project before those of the underlay."""
    candidates = [root / 'install' / 'vlm_bench_msgs', root / 'underlay' / 'install']
    return [path for path in candidates if path.is_dir()]


def module_text(root: Path, venv: Path, *, humble: bool) -> str:
    """Return the source of the hook for the clone `root` and its virtual environment."""
    ours = prefixes(root)
    wheels = sorted(Path(sysconfig.get_path('purelib')).glob('ros_*.libs'))
    python = [
        p for prefix in ours for pattern in ('lib/python3*/*-packages', 'local/lib/python3*/*-packages') for p in prefix.glob(pattern)
    ]
    return TEMPLATE.format(
        python=[str(p) for p in python],
        libraries=[str(p) for p in (*(prefix / 'lib' for prefix in ours), *([venv / 'lib', *wheels] if wheels else []))],
        tunables=inspect.getsource(arithmetic.tunables),
        variable=arithmetic.VARIABLE,
        prefixes=[str(p) for p in (*ours, *([venv] if wheels else []))],
        range_name='ROS_LOCALHOST_ONLY' if humble else 'ROS_AUTOMATIC_DISCOVERY_RANGE',
        range_value='1' if humble else 'LOCALHOST',
        profiles=str(root / 'config' / 'fastdds.xml'),
    )


def main() -> int:
    """Write module and .pth file into the environment that runs this script."""
    root, venv = Path(__file__).resolve().parents[1], Path(sys.prefix)
    if sys.prefix == sys.base_prefix:
        print(
            'site_hook.py must run in a virtual environment; this Python is outside of one. Run it with .venv/bin/python.', file=sys.stderr
        )
        return 1
    packages = Path(sysconfig.get_path('purelib'))
    text = module_text(root, venv, humble=sys.argv[1:] == ['humble'])
    (packages / '_vlm_bench_site.py').write_text(text, encoding='utf-8')
    (packages / '_vlm_bench_site.pth').write_text('import _vlm_bench_site\n', encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
