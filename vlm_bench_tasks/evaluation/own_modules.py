"""The source files of a policy: its module, and what it imports of its own package or of the folder in which it lies."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError

MOST_MODULES = 10_000
_BENCH = ('vlm_bench_sim', 'vlm_bench_tasks')  # the digest of the bench covers them
_INSTALLED = ('site-packages', 'dist-packages')


def own_modules(module: str) -> dict[str, Path]:
    """Return the source files by the names of their modules, as far as import statements tell; {} if the module cannot be found.

    Of installed packages only the policy's own counts.

    Raises:
        ConfigError: a file cannot be read, or there are too many.
    """
    places = [Path.cwd(), *map(Path, sys.path)]
    root = next((folder for folder in places if _file(folder, module)), None)
    if root is None:
        return {}
    top = module.partition('.')[0] if root.name in _INSTALLED else ''
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file(root, name)
        if path is None or name in found or name.partition('.')[0] in _BENCH or (top and name.partition('.')[0] != top):
            continue
        found[name] = path
        if len(found) > MOST_MODULES:
            raise ConfigError(f'The policy in {module} imports more than {MOST_MODULES} modules of its own; its digest must read them all.')
        parent, _, _ = name.rpartition('.')
        waiting += [parent] if parent else []
        waiting += _imported(path, name if path.name == '__init__.py' else parent)
    return found


def _file(root: Path, module: str) -> Path | None:
    stem = root.joinpath(*module.split('.'))
    return next((path for path in (stem / '__init__.py', stem.with_name(f'{stem.name}.py')) if path.is_file()), None)


def _imported(path: Path, package: str) -> Iterator[str]:
    """Yield the names of the modules that a file may import; some may be names within a module instead."""
    try:
        tree = ast.parse(path.read_bytes())
    except OSError as error:
        raise ConfigError(f'{path}, of the policy, cannot be read: {error}. Make it readable.') from error
    except (SyntaxError, ValueError, RecursionError):
        return  # whoever imports it will be told
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split('.')[: len(package.split('.')) - node.level + 1] if node.level else []
            base = '.'.join([*above, *([node.module] if node.module else [])])
            yield from (name for alias in node.names for name in (base, f'{base}.{alias.name}') if base)
