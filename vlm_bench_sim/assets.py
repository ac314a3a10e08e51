"""Locations of the project's data files: in the installed package, or in the source tree around it."""

import os
import re
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml

from vlm_bench_sim.core.errors import ConfigError, quoted

_PACKAGE = Path(__file__).resolve().parent


def share() -> Path:
    """Return the folder that holds `config/` and `vlm_bench_msgs/msg/`: always that of this code, wherever it is installed.

    Raises:
        ConfigError: there is neither an installed folder nor a source tree.
    """
    for folder in (_PACKAGE / '_share', _PACKAGE.parent):  # the first is written by setup.py
        if (folder / 'config' / 'robots').is_dir():
            return folder
    raise ConfigError(
        f'There is no config folder in {_PACKAGE / "_share"} nor in {_PACKAGE.parent}. '
        'Install again with pip or colcon, or run from the clone.'
    )


def config(relative: str) -> Path:
    """Return the path of a file under `config/`.

    Raises:
        ConfigError: there is no such file.
    """
    path = share() / 'config' / relative
    if not path.is_file():
        raise ConfigError(f'There is no {relative} in {path.parent}; it holds {sorted(p.name for p in path.parent.glob("*"))}.')
    return path


def table(path: Path, *, levels: int = 1) -> dict[str, Any]:
    """Return the content of a YAML file under `config/`: values by name, with `levels` nested levels of names.

    Raises:
        ConfigError: the file is not valid YAML, or a level is empty or not a mapping.
    """
    try:
        found = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # an impossible date, such as 2001-13-45, is a ValueError
        raise ConfigError(f'{path} is wrong: it is not valid YAML: {error!s:.300}') from error
    _check_names(found, levels, str(path))
    return dict(found)


def _check_names(found: Any, levels: int, where: str) -> None:
    if not isinstance(found, dict) or not found:
        raise ConfigError(f'{where} is wrong: values by name were expected; found {"nothing" if not found else _kind(found)}.')
    for name, inner in found.items():
        if not isinstance(name, str) or not name:
            raise ConfigError(f'{where} is wrong: a name was expected; found {_kind(name)} {quoted(str(name))}.')
        if levels > 1:
            _check_names(inner, levels - 1, f'{where}, {quoted(name)}')


def _kind(value: Any) -> str:
    return f'a value of type {type(value).__name__}'


def cache() -> Path:
    """Return the project's folder in the user's cache, and create it if necessary."""
    root = Path(os.environ.get('XDG_CACHE_HOME', Path.home() / '.cache')) / 'vlm_bench'
    root.mkdir(parents=True, exist_ok=True)
    return root


def cached_text(name: str, suffix: str, text: str) -> Path:
    """Return the path of a cached file that holds the text. Several processes may call it at once."""
    path = cache() / f'{name}-{sha256(text.encode()).hexdigest()[:16]}{suffix}'
    if not path.exists():
        with NamedTemporaryFile('w', dir=path.parent, suffix='.part', delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
    return path


def resolve_packages(urdf: str) -> str:
    """Return URDF text with each `package://<python package>/…` replaced by an absolute `file://` URL.

    Raises:
        ConfigError: the Python package is not installed.
    """

    def absolute(match: re.Match[str]) -> str:
        spec = find_spec(match[1])
        if spec is None or not spec.submodule_search_locations:
            raise ConfigError(f'The meshes of {match[0]} come with the Python package {match[1]}, which is not installed. Run make setup.')
        return f'file://{Path(spec.submodule_search_locations[0])}'

    return re.sub(r'package://([A-Za-z0-9_]+)', absolute, urdf)
