"""Check this machine for what the bench needs, and try it. Each row shows what was found, or how to fix the problem."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from vlm_bench_sim.core import arithmetic
from vlm_bench_sim.core.engine import ENGINES, PYBULLET
from vlm_bench_tasks.console import extension_rows, messages, room, tryouts
from vlm_bench_tasks.console.findings import SETUP, Check

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
        SETUP + ' Inside a colcon workspace: colcon build --base-paths src src/vlm_bench/vlm_bench_msgs, and source it.',
    ),
    'control_msgs': (
        'action',
        'FollowJointTrajectory',
        f'{SETUP} With a ROS 2 installation: apt-get install ros-$ROS_DISTRO-control-msgs',
    ),
    'tf2_msgs': ('msg', 'TFMessage', f'{SETUP} With a ROS 2 installation: apt-get install ros-$ROS_DISTRO-tf2-msgs'),
}
_IMPORT_S = 60.0
_MARKS = {(True, True): ('ok', 'green'), (True, False): ('?', 'yellow'), (False, True): ('--', 'bold red')}  # by ok and tried


def python_version() -> Check:
    """Return the row of the Python interpreter."""
    found = '.'.join(str(part) for part in sys.version_info[:3])
    return Check('Python', found, '' if sys.version_info >= (3, 10) else 'Python 3.10 or newer is needed; 3.11 has wheels for everything.')


def ros() -> Check:
    """Return the row of the ROS distribution: the sourced one, or the one whose wheels are installed."""
    try:
        importlib.import_module('rclpy')
    except ImportError as error:
        return Check('ROS 2', f'rclpy cannot be imported: {error}', f'{SETUP} Or source a ROS 2 installation first (Humble or newer).')
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
        return Check('renderer', str(error), SETUP)
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
    remedy = f'{SETUP} Start with .venv/bin/python, or source scripts/env.sh first.' if arithmetic.avoidable() else ''
    return Check('arithmetic', arithmetic.processor(), remedy)


def rows(record: Path) -> list[Check]:
    """Return what is found without trying anything; rows that others depend on come first."""
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
        room.record_folder(record),
    ]


def attempts(earlier: Sequence[Check], say: Callable[[str], None]) -> Iterator[Check]:
    """Try what an episode needs, and yield the rows.

    Args:
        earlier: rows of what it depends on.
        say: is told what is being tried.
    """
    yield room.temporary_folder()
    yield room.shared_memory()
    yield from tryouts.tried(earlier, say)
    say('a message between two processes')
    yield from messages.rows(earlier)
    say('extensions')
    yield from extension_rows.rows()


def table(checks: Iterable[Check]) -> Table:
    """Return the rows as a table for people."""
    result = Table(show_edge=False, pad_edge=False)
    for heading in ('', 'check', 'found', 'what to do'):
        result.add_column(heading, overflow='fold')
    for check in checks:
        mark, style = _MARKS[check.ok, check.tried]
        result.add_row(f'[{style}]{mark}[/]', check.name, _plain(check.found), _plain(check.remedy or check.hint))
    return result


def doctor(record: Path = Path('records'), console: Console | None = None, *, quick: bool = False) -> int:
    """Print every check and return the exit code: 0 if nothing needs to be done. A `quick` one tries nothing."""
    console = console or Console()
    if not quick:
        tryouts.start_server()
    with console.status('looking') as status:
        checks = rows(record)
        if not quick:
            checks += attempts(checks, lambda what: status.update(f'trying {what}'))
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
    words = [sys.executable, '-c', f'import {module}']
    try:
        run = subprocess.run(words, capture_output=True, text=True, timeout=_IMPORT_S, check=False)
    except subprocess.TimeoutExpired:
        return Check(module, f'importing it took longer than {_IMPORT_S:g} s and was ended', f'{SETUP} Try again when the machine is idle.')
    if run.returncode < 0:
        return Check(
            module, f'importing it ends the process (signal {-run.returncode})', f'.venv/bin/pip install --force-reinstall {distribution}'
        )
    if run.returncode:
        return Check(module, (run.stderr.strip().splitlines() or [_MISSING])[-1], f'{SETUP} Or: .venv/bin/pip install {distribution}')
    return Check(module, _version(distribution) or 'of unknown version')


def _plain(text: str) -> str:
    """Return the text with rich markup escaped."""
    return text.replace('[', r'\[')
