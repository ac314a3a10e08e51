"""A row of `vlm-bench doctor` for each extension: what it brings, or what is wrong with it. The code of an extension may do anything."""

import re

from vlm_bench_sim import extensions, mesh_shapes, profiles
from vlm_bench_sim.extensions import SUITE, Extension
from vlm_bench_tasks import catalogue, suites
from vlm_bench_tasks.console.findings import Check
from vlm_bench_tasks.console.tryouts import alone, failed
from vlm_bench_tasks.workers import Lost

_REMEDY = 'Correct the extension, or leave it out of VLM_BENCH_PATH.'


def rows() -> list[Check]:
    """Return the rows of the extensions that are installed or in VLM_BENCH_PATH, which are loaded in a process of their own."""
    found = extensions.found()
    if not found.extensions and not found.problems:
        return [Check('extensions', 'none')]
    checks = alone(loaded, None)
    return [failed('extensions', checks, _REMEDY)] if isinstance(checks, Lost) else checks


def loaded(_job: None) -> list[Check]:
    """Load every extension and return its row, and one for each problem that belongs to none. Called in a process of its own."""
    known = extensions.found().extensions
    _, broken = catalogue.sound(name for one in known for name in _tasks(one))
    problems, rows = list(dict.fromkeys((*suites.problems(), *broken))), list[Check]()
    for one in known:
        own = [problem for problem in problems if re.search(rf'extension {one.package}\b', problem) or f'{one.folder}/' in problem]
        problems = [problem for problem in problems if problem not in own]
        rows.append(Check(f'extension {one.package}', ' '.join(own), _REMEDY) if own else Check(f'extension {one.package}', _told(one)))
    return rows + [Check('extension', problem, _REMEDY) for problem in problems]


def _tasks(one: Extension) -> list[str]:
    return [name for name in catalogue.tasks() if (one.folder / SUITE / f'{name}.py').is_file()]


def _told(one: Extension) -> str:
    """Return where an extension lies, and what it brings."""
    robots = [name for name in profiles.robots() if one in profiles.owners([name], [])]
    cameras = [name for name in profiles.camera_sets() if one in profiles.owners([], [name])]
    counts = {'tasks': len(_tasks(one)), 'robots': len(robots), 'camera sets': len(cameras), 'shapes': len(mesh_shapes.owned(one))}
    brought = ', '.join(f'{kind}: {count}' for kind, count in counts.items() if count)
    return f'{one.version or "not installed"}, {one.folder}; {brought or "nothing yet"}'
