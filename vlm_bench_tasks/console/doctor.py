"""Check this machine for what the bench needs. Each row shows the version found, or how to fix the problem."""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from vlm_bench_sim.core import arithmetic
from vlm_bench_sim.core.engine import ENGINES, PYBULLET

_SETUP = 'Run make setup in the clone.'
_MISSING = 'not found'
_DISTRIBUTIONS = {3: 'humble', 7: 'jazzy', 9: 'kilted'}  # by major version of rclpy; newer distributions set ROS_DISTRO
_RANGES = ('SUBNET', 'LOCALHOST', 'OFF', 'SYSTEM_DEFAULT')
_MODULES = {
    # name of the import: name of the distribution
    'numpy': 'numpy',
    'pybullet': 'pybullet',
    'pinocchio': 'pin',
    'coal': 'coal',
    'ompl': 'ompl',
    'toppra': 'toppra',
    'moderngl': 'moderngl',
    'cv2': 'opencv-python-headless',
    'rosbags': 'rosbags',
    'mcap': 'mcap',
}
_EXTRA_ENGINES = tuple(name for name in ENGINES if name != PYBULLET)
_INTERFACES = {
    'vlm_bench_msgs': (
        'msg',
        'Tick',
        _SETUP + ' Inside a colcon workspace: colcon build --base-paths src src/vlm_bench/vlm_bench_msgs, and source it.',
    ),
    'control_msgs': (
        'action',
        'FollowJointTrajectory',
        f'{_SETUP} With a ROS 2 installation: apt-get install ros-$ROS_DISTRO-control-msgs',
    ),
    'tf2_msgs': ('msg', 'TFMessage', f'{_SETUP} With a ROS 2 installation: apt-get install ros-$ROS_DISTRO-tf2-msgs'),
}
_SPACE = 2.0  # GB; enough for a hundred episodes with five cameras


@dataclass(frozen=True)
class Check:
    """One row: what was checked, what was found, and how to fix it if needed."""

    name: str
    found: str
    remedy: str = ''

    @property
    def ok(self) -> bool:
        """Whether nothing needs to be done."""
        return not self.remedy


def python_version() -> Check:
    """Return the row of the Python interpreter."""
    found = '.'.join(str(part) for part in sys.version_info[:3])
    return Check('Python', found, '' if sys.version_info >= (3, 10) else 'Python 3.10 or newer is needed; 3.11 has wheels for everything.')


def ros() -> Check:
    """Return the row of the ROS distribution: the sourced one, or the one whose wheels are installed."""
    try:
        importlib.import_module('rclpy')
    except ImportError as error:
        return Check('ROS 2', f'rclpy cannot be imported: {error}', f'{_SETUP} Or source a ROS 2 installation first (Humble or newer).')
    sourced = os.environ.get('ROS_DISTRO')
    version = _version('rclpy') or _version('ros-rclpy')
    by_version = _DISTRIBUTIONS.get(int(version.split('.')[0]), 'unknown distribution') if version else 'unknown distribution'
    origin = 'sourced' if sourced else 'Python wheels'
    return Check('ROS 2', f'{sourced or by_version}, rclpy {version or "of unknown version"} ({origin})')


def middleware() -> Check:
    """Return the row of the RMW implementation that would be loaded."""
    try:
        identifier = importlib.import_module('rclpy.utilities').get_rmw_implementation_identifier()
    except (ImportError, RuntimeError) as error:
        asked = os.environ.get('RMW_IMPLEMENTATION', 'the default')
        return Check(
            'RMW',
            f'cannot be loaded: {error}',
            f'RMW_IMPLEMENTATION requests {asked}. Unset it for Fast DDS, or install the requested one.',
        )
    return Check('RMW', str(identifier))


def interfaces() -> list[Check]:
    """Return a row for each package of generated interfaces, with its type support loaded."""
    return [_interface(package, kind, name, remedy) for package, (kind, name, remedy) in _INTERFACES.items()]


def renderer() -> Check:
    """Return the row of the OpenGL renderer behind EGL."""
    try:
        context = importlib.import_module('vlm_bench_sim.render.context')
    except ImportError as error:
        return Check('renderer', str(error), _SETUP)
    try:
        gl = context.open_context()
    except Exception as error:  # noqa: BLE001 - a driver may raise anything, and a doctor reports it
        return Check('renderer', 'no OpenGL through EGL' if context.REMEDY in str(error) else str(error), context.REMEDY)
    found = f'{gl.info["GL_RENDERER"]}, OpenGL {gl.version_code // 100}.{gl.version_code // 10 % 10}'
    gl.release()
    return Check('renderer', found)


def versions() -> list[Check]:
    """Return a row for each library. Each is imported in its own process, since a broken library may crash it."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(_library, _MODULES.items()))


def engines() -> list[Check]:
    """Return a row for each physics engine that is an extra; nothing is wrong if it is not installed."""
    return [_library((name, name)) if find_spec(name) else Check(name, 'not installed (an extra)') for name in _EXTRA_ENGINES]


def network() -> list[Check]:
    """Return the rows of the ROS domain and the discovery range."""
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    good = domain.isdigit() and int(domain) <= 100 and int(domain) % 2 == 0
    wanted = '' if good else 'Set ROS_DOMAIN_ID to an even number up to 100. With scored:=true, private topics use the next domain.'
    reach = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', '')
    if os.environ.get('ROS_LOCALHOST_ONLY') == '1':
        return [Check('ROS_DOMAIN_ID', domain, wanted), Check('discovery', 'this machine (ROS_LOCALHOST_ONLY)')]
    remedy = '' if reach in ('', *_RANGES) else f'Set ROS_AUTOMATIC_DISCOVERY_RANGE to one of {", ".join(_RANGES)}.'
    return [Check('ROS_DOMAIN_ID', domain, wanted), Check('discovery', reach or 'SUBNET (default of ROS 2)', remedy)]


def sines() -> Check:
    """Return the row of the math library, which decides whether states are equal on every x86-64 processor."""
    remedy = f'{_SETUP} Start with .venv/bin/python, or source scripts/env.sh first.' if arithmetic.avoidable() else ''
    return Check('arithmetic', arithmetic.processor(), remedy)


def record_folder(folder: Path) -> Check:
    """Return the row of the folder for bags, which may not exist yet."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free / 1e9
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Check('records', f'{there} is not a writable folder', 'Give another folder with --record.')
    remedy = '' if free >= _SPACE else f'Free {_SPACE:.0f} GB there, or give another folder with --record.'
    return Check('records', f'{folder}: {free:.1f} GB free', remedy)


def rows(record: Path) -> list[Check]:
    """Return all checks; those that others depend on come first."""
    return [
        python_version(),
        ros(),
        middleware(),
        *interfaces(),
        renderer(),
        *versions(),
        *engines(),
        sines(),
        *network(),
        record_folder(record),
    ]


def table(checks: Iterable[Check]) -> Table:
    """Return the rows as a table for people."""
    result = Table(show_edge=False, pad_edge=False)
    for heading in ('', 'check', 'found', 'what to do'):
        result.add_column(heading, overflow='fold')
    for check in checks:
        mark, style = ('ok', 'green') if check.ok else ('--', 'bold red')
        result.add_row(f'[{style}]{mark}[/]', check.name, _plain(check.found), _plain(check.remedy))
    return result


def doctor(record: Path = Path('records'), console: Console | None = None) -> int:
    """Print every check and return the exit code: 0 if nothing needs to be done."""
    console = console or Console()
    checks = rows(record)
    console.print(table(checks))
    wrong = [check.name for check in checks if not check.ok]
    console.print(f'To fix: {", ".join(wrong)}.' if wrong else 'All is well.')
    return 1 if wrong else 0


def _version(distribution: str) -> str:
    """Return the installed version; '' if there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ''


def _interface(package: str, kind: str, name: str, remedy: str) -> Check:
    """Import one interface and load its libraries."""
    try:
        type_ = getattr(importlib.import_module(f'{package}.{kind}'), name)
        check: Callable[[object], None] = importlib.import_module('rclpy.type_support').check_for_type_support
        check(type_)
    except ImportError as error:
        return Check(package, str(error), remedy)
    except AttributeError:
        return Check(package, f'{kind}/{name} is missing: built from another version', remedy)
    except Exception as error:  # noqa: BLE001 - rclpy's own error type is not importable where rclpy is missing
        return Check(package, f'its libraries cannot be loaded: {error}', f'{remedy} Then restart Python, or source scripts/env.sh.')
    return Check(package, _version(package.replace('_', '-')) or 'built')


def _library(names: tuple[str, str]) -> Check:
    """Import one library in its own process."""
    module, distribution = names
    run = subprocess.run([sys.executable, '-c', f'import {module}'], capture_output=True, text=True, timeout=120, check=False)
    if run.returncode < 0:
        return Check(
            module, f'importing it ends the process (signal {-run.returncode})', f'.venv/bin/pip install --force-reinstall {distribution}'
        )
    if run.returncode:
        return Check(module, (run.stderr.strip().splitlines() or [_MISSING])[-1], f'{_SETUP} Or: .venv/bin/pip install {distribution}')
    return Check(module, _version(distribution) or 'of unknown version')


def _plain(text: str) -> str:
    """Return the text with rich markup escaped."""
    return text.replace('[', r'\[')
