"""`vlm-bench new`: write the skeleton of a task, a robot or a camera set of an extension, each of which passes its check."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

import yaml

from vlm_bench_sim import profiles
from vlm_bench_sim.assets import config, table
from vlm_bench_sim.core.errors import ConfigError, quoted
from vlm_bench_sim.extensions import CONFIG, SUITE, add, check_name, named_well
from vlm_bench_tasks import catalogue, suites
from vlm_bench_tasks.evaluation.files import read_whole, write_whole

MOST_BYTES = 1 << 20
"""Of a file of settings that is added to."""
COPIED = 'panda'
"""The robot that a new one is a copy of."""

_NAME = re.compile(r'[a-z][a-z0-9_]{0,39}')
_SHOWN = 'vlmbench', ('front', 'wrist')
"""The cameras that those of a new set are copies of."""


def task(name: str, folder: Path) -> tuple[Path, ...]:
    """Write the task `<family>/<file>` of an extension, and return the files that are new.

    Raises:
        ConfigError: the name is no such name or taken, a file is there already, or one cannot be written.
    """
    family, slash, stem = name.partition('/')
    if not slash:
        raise ConfigError(f'A task is called <family>/<file>, such as kitchen/sort; found {quoted(name)}.')
    _check(family, ())
    _check(stem, ())
    _extend(folder)
    if family in catalogue.families() and not suites.brings(folder, family):
        raise ConfigError(f'There is a family called {family} already. Choose another name.')
    text = Path(__file__).with_name('task_skeleton.py').read_text(encoding='utf-8')
    packages = (folder, folder / SUITE, folder / SUITE / family)
    return _written(folder, {folder / SUITE / family / f'{stem}.py': text}, packages)


def robot(name: str, folder: Path) -> tuple[Path, ...]:
    """Write the profile and the URDF of a robot, copies of those of the Panda; the rest as for `task`."""
    _extend(folder)
    _check(name, profiles.robots())
    profile, urdf = (config(f'robots/{COPIED}.{end}').read_text(encoding='utf-8') for end in ('yaml', 'urdf'))
    head = f'# A copy of the profile {COPIED}. Put your robot here: docs/extending.md says what each line means.\n'
    profile = head + profile.partition('\n')[2].replace(f'urdf: {COPIED}.urdf', f'urdf: {name}.urdf', 1)
    place = folder / CONFIG / 'robots'
    files = {place / f'{name}.yaml': profile, place / f'{name}.urdf': urdf.replace(f'<robot name="{COPIED}">', f'<robot name="{name}">', 1)}
    return _written(folder, files, (folder,))


def cameras(name: str, folder: Path) -> tuple[Path, ...]:
    """Add a camera set to those of an extension; the rest as for `task`."""
    _extend(folder)
    _check(name, (*profiles.camera_sets(), profiles.NO_CAMERAS))
    file = folder / CONFIG / 'cameras.yaml'
    before = _text(file)
    gap = '\n' if before and not before.endswith('\n') else ''
    of, shown = _SHOWN
    ours = table(config('cameras.yaml'), levels=3)[of]
    lines = [f'  {each}: {yaml.safe_dump(ours[each], default_flow_style=True, sort_keys=False, width=1000).strip()}' for each in shown]
    head = f'{name}:  # poses in the frame world (x forward from the robot, z up), or in that of the tool centre point; m and degrees'
    whole = before + gap + '\n'.join((head, *lines)) + '\n'
    if set(_sets(whole, file)) != {*(_sets(before, file) if before.strip() else ()), name}:
        raise ConfigError(f'{file} cannot be added to. Write each set on lines of its own, as `name:` and the cameras below it.')
    return _written(folder, {file: whole}, (folder,), added_to=[file])


def _text(file: Path) -> str:
    """Return what a file holds, '' if there is none."""
    if not file.exists():
        return ''
    try:
        return read_whole(file, MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'{file} cannot be added to: {error!s:.200}. Correct or remove it.') from error


def _sets(text: str, file: Path) -> Iterable[str]:
    """Return the names of the camera sets in a text of YAML."""
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f'{file} cannot be added to: {error!s:.200}. Write each set on lines of its own, after `name:`.') from error
    return found if isinstance(found, dict) else ()


def _check(name: str, taken: Collection[str]) -> None:
    if not _NAME.fullmatch(name) or not named_well(name):
        raise ConfigError(f'A name is lower-case letters, digits and _, begins with a letter and is at most 40 long; found {quoted(name)}.')
    if name in taken:
        raise ConfigError(f'There is something called {name} already. Choose another name.')


def _extend(folder: Path) -> None:
    """Know what the extension in a folder holds, if it is one; a new one is none yet."""
    check_name(folder)
    if (folder / SUITE).is_dir() or (folder / CONFIG).is_dir():
        add(str(folder))


def _written(folder: Path, files: dict[Path, str], packages: Collection[Path], added_to: Collection[Path] = ()) -> tuple[Path, ...]:
    about = '"""An extension of vlm_bench."""\n'
    wanted = {place / '__init__.py': about for place in packages if not (place / '__init__.py').exists()} | files
    if there := [file for file in files if file.exists() and file not in added_to]:
        raise ConfigError(f'{there[0]} is there already, and nothing was written. Choose another name, or remove it.')
    done: list[Path] = []
    try:
        for file, text in wanted.items():
            write_whole(file, text)
            done.append(file)
    except OSError as error:
        for file in done:
            if file not in added_to:
                file.unlink(missing_ok=True)
        raise ConfigError(f'{error.filename or folder} cannot be written: {error}. Name another folder with --into.') from error
    add(str(folder))
    return tuple(done)
