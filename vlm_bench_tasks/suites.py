"""The families of tasks and where they lie: folders of our `suite/`, and of those of extensions."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from vlm_bench_sim import mesh_shapes, profiles
from vlm_bench_sim.assets import table
from vlm_bench_sim.core.errors import ConfigError, TaskError, near, quoted
from vlm_bench_sim.extensions import CONFIG, SUITE, Extension, Found, Joined, besides, found, joined, named_well
from vlm_bench_sim.versions import versions
from vlm_bench_tasks.family import Family, family_name


@dataclass(frozen=True)
class _Place:
    """Where a family lies: the folder of its task files, the package that they come from, their names, and files that are left out."""

    folder: Path
    package: str
    tasks: tuple[str, ...]
    odd: tuple[Path, ...]


def tasks() -> tuple[str, ...]:
    """Return the ids of all tasks. An id is family and file name, for example vlmbench/pick_place."""
    return tuple(sorted(f'{name}/{stem}' for name, place in _places(found()).values.items() for stem in place.tasks))


def splits_file(name: str) -> Path | None:
    """Return the file with the splits of the extension that brings a family, or the task with the given id; None if there is none."""
    owner = _places(found()).owners.get(family_name(name))
    file = owner and owner.folder / CONFIG / 'splits.yaml'
    return file if file and file.is_file() else None


def problems() -> tuple[str, ...]:
    """Return why extensions, or families, robots, cameras or shapes of theirs, are left out, each a sentence."""
    places = _places(found())
    odd = [
        f'{path} is left out: a task is a file whose name is letters, digits and _, and no word of Python. Rename it.'
        for place in places.values.values() for path in place.odd
    ]  # fmt: skip
    return (*found().problems, *places.problems, *odd, *_unknown_splits(), *profiles.problems(), *mesh_shapes.problems())


def _unknown_splits() -> Iterator[str]:
    """Yield what is wrong with the files of splits of extensions: families that they do not bring."""
    places = _places(found())
    for one in found().extensions:
        file = one.folder / CONFIG / 'splits.yaml'
        own = {name for name, owner in places.owners.items() if owner == one}
        try:
            named = table(file, levels=2) if file.exists() else {}
        except (ConfigError, OSError) as error:
            yield str(error)
            continue
        for name in named.keys() - own:
            yield f'{file} holds splits of {quoted(name)}, which is no family of the extension {one.package}. {near(name, own)}'


def versions_for(
    renderer: str, engine: str, *, tasks: Iterable[str] = (), robots: Iterable[str] = (), cameras: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the versions of everything that decides a score, with those of the extensions that bring these tasks, robots and camera sets.

    As in `vlm_bench_sim.versions`, the renderer's name is last.
    """
    return versions(renderer, engine, *_owners(found(), tuple(tasks), tuple(robots), tuple(cameras)))


@cache
def _owners(known: Found, tasks: tuple[str, ...], robots: tuple[str, ...], cameras: tuple[str, ...]) -> tuple[Extension, ...]:
    """Return the extensions that bring these; a report of every control period asks for them."""
    if not known.extensions:
        return ()
    owners = _places(known).owners
    return (*(owners[family] for family in map(family_name, tasks) if family in owners), *profiles.owners(robots, cameras))


@cache
def _places(_: Found) -> Joined[_Place]:
    def in_folder(folder: Path, package: str) -> dict[str, _Place]:
        found: dict[Path, list[Path]] = {}
        for path in sorted(folder.glob(f'{SUITE}/*/*.py')):
            if not path.name.startswith(('_', '.')) and not path.parent.name.startswith(('_', '.')):
                found.setdefault(path.parent, []).append(path)
        return {family.name: _place(family, f'{package}.{SUITE}.{family.name}', files) for family, files in found.items()}

    return joined('family', in_folder(Path(__file__).parent, __package__ or ''), lambda one: in_folder(one.folder, one.package))


def _place(folder: Path, package: str, files: Iterable[Path]) -> _Place:
    sound = [path for path in files if path.is_file() and named_well(path.stem)]
    return _Place(folder, package, tuple(path.stem for path in sound), tuple(path for path in files if path not in sound))


def imported(name: str, module: str) -> ModuleType:
    """Return a module of a family, whose code may be anybody's.

    Raises:
        TaskError: it cannot be imported.
    """
    place = _places(found()).values[family_name(name)]
    whole = f'{place.package}.{module}'
    if whole in sys.modules:
        return sys.modules[whole]
    try:
        with redirect_stdout(sys.stderr):  # what a file prints stays out of what a command prints
            return import_module(whole)
    except (Exception, SystemExit) as error:
        file = place.folder / f'{module}.py'
        raise TaskError(f'{name!r} cannot be loaded from {file}: {type(error).__name__}: {error}. Correct that file.') from error


def brings(folder: Path, name: str) -> bool:
    """Return whether the family is that of the extension in a folder."""
    owner = _places(found()).owners.get(name)
    return owner is not None and owner.folder == folder.resolve()


def families() -> tuple[str, ...]:
    """Return the names of all families that have tasks."""
    return tuple(sorted({family_name(known) for known in tasks()}))


def family(name: str) -> Family:
    """Return the family with the given name, or the family of the task with the given id.

    Raises:
        TaskError: there is no such family, or its `_family.py` defines a FAMILY that is not a Family.
    """
    return _family(found(), family_name(name))


@cache
def _family(_: Found, name: str) -> Family:
    if name not in families():
        raise TaskError(f'There is no family called {quoted(name)}. {near(name, families())}{besides(problems())}')
    if not (_places(found()).values[name].folder / '_family.py').exists():
        return Family()
    made = getattr(imported(name, '_family'), 'FAMILY', None)
    if not isinstance(made, Family):
        raise TaskError(f'FAMILY of {name!r} is a {type(made).__name__}. Make it a Family(robot=…).')
    try:
        profiles.check(made.robot, made.cameras, made.view)
    except ConfigError as error:
        raise TaskError(f'FAMILY of {name!r} names what is not there: {error}') from error
    return made
