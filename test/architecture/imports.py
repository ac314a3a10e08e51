"""Reads the imports of a source file, and says which of them the table does not allow."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from layers import FORBIDDEN, LAYERS, ONLY, PACKAGES, SHARED, SIM, SUITE, TASKS, Layer

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Import:
    """One import: what, and in which line. `what` is '?' where it is only known when it runs."""

    what: str
    line: int


def sources(*folders: str) -> dict[str, Path]:
    """Return every Python module under the folders of the repository, by its dotted name."""
    return {dotted(path.relative_to(ROOT)): path for folder in folders for path in sorted((ROOT / folder).rglob('*.py'))}


def dotted(path: Path) -> str:
    """Return the module's name of a path relative to the root."""
    return '.'.join(path.with_suffix('').parts).removesuffix('.__init__')


def imports(module: str, text: str, known: set[str], *, package: bool = False) -> Iterator[Import]:
    """Yield every import of a source, wherever it stands in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node, package=package)
            for alias in node.names:
                full = f'{base}.{alias.name}'
                yield Import(full if full in known else base, node.lineno)
        elif isinstance(node, ast.Call) and _called(node.func) in ('import_module', '__import__'):
            name = node.args[0] if node.args else None
            constant = isinstance(name, ast.Constant) and isinstance(name.value, str)
            yield Import(name.value if constant else '?', node.lineno)


def _base(module: str, node: ast.ImportFrom, *, package: bool) -> str:
    if not node.level:
        return node.module or ''
    parts = module.split('.')
    home = parts[: len(parts) - node.level + package]
    return '.'.join([*home, *([node.module] if node.module else [])])


def _called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ''


def within(name: str, prefix: str) -> bool:
    """Tell whether a dotted name is the prefix or lies in it."""
    return name == prefix or name.startswith(f'{prefix}.')


def layer(module: str) -> str:
    """Return the name of the row that the module belongs to; '' for none."""
    if within(module, SUITE) and module.rpartition('.')[2].startswith('_') and module.count('.') > SUITE.count('.') + 1:
        return SHARED
    return max((row for row in LAYERS if within(module, row)), key=len, default='')


def violations(module: str, text: str, known: set[str], *, package: bool = False) -> list[str]:
    """Return what is wrong with the imports of a source, in words."""
    if module in PACKAGES:
        return [f'{module}:{i.line} imports {i.what}; the packages themselves import nothing' for i in imports(module, text, known)]
    own = layer(module)
    if not own:
        return [f'{module} belongs to no row of the table']
    found = []
    for i in imports(module, text, known, package=package):
        why = _never(module, i.what) or _not_in_row(own, module, i.what)
        if why:
            found.append(f'{module}:{i.line} imports {i.what}: {why}')
    return found


def _never(module: str, what: str) -> str:
    if what.split('.')[0] in FORBIDDEN:
        return 'forbidden everywhere'
    for package, allowed in ONLY.items():
        if within(what, package) and not within(module, package) and not any(within(module, a) for a in allowed):
            return f'only {" and ".join(allowed) or "the catalogue, by name,"} may'
    return ''


def _not_in_row(own: str, module: str, what: str) -> str:
    row = LAYERS[own]
    if what == '?':
        return '' if row.dynamic else 'the name is only known when it runs'
    top = what.split('.')[0]
    if top in PACKAGES:
        return '' if _ours(row, own, module, what) else f'the row of {own} does not name it'
    if top in sys.stdlib_module_names or top in row.third:
        return ''
    return f'the row of {own} does not name this package'


def _ours(row: Layer, own: str, module: str, what: str) -> bool:
    if own in (SUITE, SHARED) and within(what, SUITE):
        return what.startswith(f'{module.rpartition(".")[0]}._')
    package = what == SIM or (what == TASKS and within(module, TASKS))
    return package or within(what, own) or any(within(what, allowed) for allowed in row.ours)
