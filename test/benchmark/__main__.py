"""Print what each module of this folder measures; names on the command line choose among them."""

import sys
from importlib import import_module
from pathlib import Path

from test.benchmark import _machine


def main() -> None:
    """Measure one after the other, so that none perturbs another."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob('*.py') if not path.stem.startswith('_'))
    unknown = set(sys.argv[1:]) - set(modules)
    if unknown:
        sys.exit(f'There is no benchmark called {sorted(unknown)}; known: {", ".join(modules)}.')
    print(*_machine.header(), sep='\n', flush=True)
    for name in sys.argv[1:] or modules:
        load = _machine.load()
        print(f'\n{name} ({load} before)', *import_module(f'test.benchmark.{name}').report(), sep='\n  ', flush=True)


if __name__ == '__main__':
    main()
