"""Extensions: packages beside this project that bring families of tasks, robots, camera sets and shapes, without a fork.

An extension is a Python package that holds some of these:

    suite/<family>/<task>.py      families of tasks, with their props and goal words (docs/extending.md)
    config/splits.yaml            pools of its families
    config/robots/<robot>.yaml    profiles of robots, each with its URDF beside it
    config/cameras.yaml           camera sets
    config/shapes.yaml            shapes of props, each a mesh

An installed package declares itself by an entry point of the group `vlm_bench.extensions`, whose value is the package. A folder that is
not installed is named in the environment variable VLM_BENCH_PATH, which `--task-path` sets; several are separated as in PATH. Both work
in every process: nodes and workers inherit the environment.
"""

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from types import MappingProxyType
from typing import Generic, TypeVar

from vlm_bench_sim.core.errors import ConfigError, ExtensionError, VlmBenchError, quoted

T = TypeVar('T')

GROUP, PATH = 'vlm_bench.extensions', 'VLM_BENCH_PATH'
EXTENSION = 'extension:'
"""Begins the name of an extension among the versions in reports."""

SUITE, CONFIG = 'suite', 'config'
_PARTS = (SUITE, CONFIG)
_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]*')
OURS = ('vlm_bench_sim', 'vlm_bench_tasks', 'vlm_bench_baselines', 'vlm_bench_msgs')
_BENCH = tuple(Path(__file__).resolve().parents[1] / name for name in OURS)
_FILES = ('.py', '.yaml', '.urdf', '.xacro', '.obj', '.stl', '.dae', '.png', '.jpg', '.json')
"""Files of an extension that may decide a score."""


@dataclass(frozen=True)
class Extension:
    """A package that extends the bench.

    Attributes:
        package: name under which it is imported; serialised names of its classes begin with it.
        folder: of the package.
        version: of its distribution; '' if it is not installed.
    """

    package: str
    folder: Path
    version: str = ''

    @property
    def label(self) -> str:
        """The extension as a version in reports: name, version and digest of its files."""
        return f'{EXTENSION}{self.package}={self.version or "unreleased"}+{digest(self.folder)}'


@dataclass(frozen=True)
class Found:
    """What was found.

    Attributes:
        extensions: those that can be used, installed ones first.
        problems: why others cannot, each a sentence that names the package or folder.
    """

    extensions: tuple[Extension, ...] = ()
    problems: tuple[str, ...] = ()


def found() -> Found:
    """Return the extensions that are installed or named in the environment. Relative paths count from where it is called first."""
    named = os.environ.get(PATH, '')
    parts = [part for part in named.split(os.pathsep) if part]
    whole = os.pathsep.join(os.path.abspath(part) for part in parts)
    if whole != named and parts:
        os.environ[PATH] = whole
    return _found(whole)


def named_well(name: str) -> bool:
    """Return whether a family, a task, a robot or a camera set can have this name: letters, digits and _, and no word of Python."""
    return bool(_NAME.fullmatch(name)) and not iskeyword(name)


def check_name(folder: Path) -> str:
    """Return the name under which a folder, which need not be there yet, can be imported as an extension.

    Raises:
        ConfigError: it cannot: the name is no such name, or belongs to another module.
    """
    whole = Path(os.path.abspath(folder)).resolve()
    name = whole.name
    if name in OURS or any(whole in (ours, *ours.parents) or ours in whole.parents for ours in _BENCH):
        raise ConfigError(f'{quoted(str(folder))} belongs to the bench itself. Choose a folder of your own.')
    if not named_well(name) or name in _PARTS:
        raise ConfigError(
            f'The folder {quoted(str(folder))} cannot be imported under its name. Rename it, to letters, digits and _, such as my_bench.'
        )
    spec = find_spec(name)
    if spec is not None and str(whole) not in map(os.path.realpath, spec.submodule_search_locations or ()):
        raise ConfigError(f'The folder {quoted(str(folder))} has the name of another module, {name}. Rename it.')
    return name


def add(*folders: str) -> None:
    """Name folders of extensions for this process and those that it starts.

    Raises:
        ConfigError: one of them is no extension.
    """
    for folder in folders:
        whole = os.path.abspath(folder)
        if os.pathsep in whole:
            raise ConfigError(f'{quoted(whole)} holds {os.pathsep!r}, which separates folders in {PATH}. Rename the folder.')
        _in_folder(Path(whole))
        before = [part for part in os.environ.get(PATH, '').split(os.pathsep) if part]
        os.environ[PATH] = os.pathsep.join(dict.fromkeys([*before, whole]))


def named(package: str) -> Extension:
    """Return the extension with that package.

    Raises:
        ExtensionError: there is none.
    """
    known = {one.package: one for one in found().extensions}
    if package not in known:
        told = ' '.join(problem for problem in found().problems if package in problem)
        known_here = f'Here are: {", ".join(sorted(known))}.' if known else 'There are none here.'
        raise ExtensionError(
            f'There is no extension called {quoted(package)}. {told or known_here} Install it, or name its folder in {PATH}.'
        )
    return known[package]


@dataclass(frozen=True)
class Joined(Generic[T]):
    """What the bench and its extensions bring of one kind, such as robots.

    Attributes:
        values: by name.
        owners: the extension of each that is not ours, by name.
        problems: why something is left out, each a sentence.
    """

    values: Mapping[str, T]
    owners: Mapping[str, Extension]
    problems: tuple[str, ...]


def joined(
    kind: str, ours: Mapping[str, T], read: Callable[[Extension], Mapping[str, T]], *, reserved: Collection[str] = (), apart: bool = False
) -> Joined[T]:
    """Return what we and all extensions bring. A name that is taken, and what cannot be read, is left out.

    Args:
        kind: in one word, for messages.
        ours: by name.
        read: returns what an extension brings, by name; it may raise a VlmBenchError.
        reserved: names that mean something else.
        apart: put the package of an extension before its names, such as acme_bench.wedge, so that none is taken.
    """
    values, owners, problems = dict(ours), dict[str, Extension](), list[str]()
    for one in found().extensions:
        try:
            theirs = read(one)
        except (VlmBenchError, OSError) as error:
            problems.append(f'The extension {one.package} brings no {kind}: {error}')
            continue
        for name, value in theirs.items():
            if not named_well(name):
                what = f'The {kind} {quoted(name)} of the extension {one.package} is left out'
                problems.append(f'{what}: a name is letters, digits and _, and no word of Python. Rename it.')
                continue
            name = f'{one.package}.{name}' if apart else name  # noqa: PLW2901 (its whole name)
            if name in values or name in reserved:
                owner = f'the extension {owners[name].package}' if name in owners else 'the bench'
                left = f'The {kind} {quoted(name)} of the extension {one.package} is left out'
                problems.append(f'{left}: {owner} has this name. Rename it.')
                continue
            values[name], owners[name] = value, one
    return Joined(MappingProxyType(values), MappingProxyType(owners), tuple(problems))


def besides(problems: Iterable[str]) -> str:
    """Return the tail of an error message about a name that is not there: what is left out may be why. '' if nothing is."""
    return ''.join(f' Left out: {problem}' for problem in problems)


@cache
def digest(folder: Path) -> str:
    """Return 12 hexadecimal digits: SHA-256 of the names and contents of the files of an extension that may decide a score."""
    whole = sha256()
    try:
        for path in sorted(_deciding(folder)):
            content = path.read_bytes()
            whole.update(f'{path.relative_to(folder).as_posix()} {len(content)}\n'.encode() + content)
    except OSError as error:
        raise ConfigError(f'{folder}, an extension, cannot be read: {error}. Make it readable.') from error
    return whole.hexdigest()[:12]


def _deciding(folder: Path) -> Iterator[Path]:
    """Yield the modules of a package, and what lies in `suite` and `config`; nothing that is hidden or lies beside it in the folder."""
    yield from folder.glob('*.py')
    for inner in folder.iterdir():
        if inner.name in _PARTS or any(inner.glob('*.py')):
            for path in inner.rglob('*'):
                hidden = any(part.startswith('.') or part == '__pycache__' for part in path.relative_to(folder).parts)
                if path.suffix in _FILES and path.is_file() and not hidden:
                    yield path


@cache
def _found(path: str) -> Found:
    folders = dict.fromkeys(filter(None, path.split(os.pathsep)))
    points = sorted(entry_points(group=GROUP), key=lambda point: point.value)
    places = [*(partial(_installed, point) for point in points), *(partial(_in_folder, Path(folder)) for folder in folders)]
    extensions: dict[str, Extension] = {}
    problems: list[str] = []
    for place in places:
        try:
            one = place()
            first = extensions.setdefault(one.package, one)
            if first.folder != one.folder:
                raise ConfigError(
                    f'The extension {one.package} lies in {first.folder} and in {quoted(str(one.folder))}. Rename one of them.'
                )
        except ConfigError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f'An extension cannot be read: {error}. Correct {PATH}.')
    return Found(tuple(extensions.values()), tuple(problems))


def _installed(point: EntryPoint) -> Extension:
    """Return an installed extension, which is not imported yet.

    Raises:
        ConfigError: its package is not there, or is none.
    """
    asked = f'The extension {quoted(point.name)} of the entry points {GROUP}'
    try:
        spec = find_spec(point.module)
    except (ImportError, ValueError, AttributeError) as error:
        raise ConfigError(f'{asked} names {quoted(point.value)}, which cannot be found: {error}. Install it again.') from error
    if spec is None or not spec.submodule_search_locations or '.' in point.module:
        raise ConfigError(f'{asked} names {quoted(point.value)}, which is no package. Name one, such as acme_tasks.')
    version = point.dist.version if point.dist is not None else ''
    return _checked(Extension(point.module, Path(spec.submodule_search_locations[0]).resolve(), version))


def _in_folder(folder: Path) -> Extension:
    """Return the extension in a folder, which can be imported from now on.

    Raises:
        ConfigError: there is none, or its name belongs to another module.
    """
    if not os.path.isdir(folder):
        raise ConfigError(f'{quoted(str(folder))}, named in {PATH} or with --task-path, is no folder. Name the folder of an extension.')
    whole = Path(os.path.abspath(folder)).resolve()
    if str(whole.parent) not in sys.path:
        sys.path.append(str(whole.parent))  # at the end: it takes no name from anybody
        invalidate_caches()
    return _checked(Extension(check_name(folder), whole))


def _checked(one: Extension) -> Extension:
    if not any((one.folder / part).is_dir() for part in _PARTS):
        raise ConfigError(f'{quoted(str(one.folder))} is no extension: it holds neither {" nor ".join(f"{part}/" for part in _PARTS)}.')
    return one


def load(name: str) -> None:
    """Import the module of an extension that defines a class, given its name in JSON, such as acme_bench.suite.kitchen._packed.Packed.

    Raises:
        ExtensionError: there is no such extension, or the module cannot be imported.
    """
    module = name.rpartition('.')[0]
    package, *inner = module.split('.')
    one = named(package)
    if not all(part.isidentifier() and not part.startswith('__') for part in inner):
        raise ExtensionError(f'The extension {package} has no module {quoted(module)}.')
    try:
        import_module(module)
    except (Exception, SystemExit) as error:
        told = f'{type(error).__name__}: {error}'
        raise ExtensionError(f'{quoted(module)} of the extension {package}, in {one.folder}, cannot be imported: {told}.') from error
