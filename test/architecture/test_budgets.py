"""Sizes, types and forbidden constructs of every module of ours; and the checks themselves, tried on sources that are wrong."""

import pytest
from budgets import constructors, forbidden, lengths, untyped
from imports import ROOT, dotted, sources
from layers import PACKAGES, SIM, TASKS

SOURCES = {name: path.read_text() for name, path in sources(*PACKAGES).items()}
FOLDERS = ('launch', 'scripts', 'test', '.ci')
ELSEWHERE = {dotted(path.relative_to(ROOT)): path.read_text() for folder in FOLDERS for path in (ROOT / folder).rglob('*.py')}
CHECKS = (lengths, constructors, untyped, forbidden)


@pytest.mark.parametrize('check', CHECKS, ids=lambda check: check.__name__)
def test_every_module_keeps_the_budget(check):
    assert [fault for module, text in SOURCES.items() for fault in check(module, text)] == []


def test_scripts_and_tests_hold_no_bare_except_no_star_no_global_chance():
    """Tests may assert, run examples of the docs and read clocks; the rest holds for them too."""
    words = ('without a name', 'imports *', 'can change', 'says nothing')
    found = [fault for module, text in ELSEWHERE.items() for fault in forbidden(module, text) if any(word in fault for word in words)]
    assert found == []


def test_the_size_of_each_task_file_is_reported():
    sizes = {module: len(text.splitlines()) for module, text in SOURCES.items() if module.count('.') == 3 and '.suite.' in module}
    for module, lines in sizes.items():
        print(f'{module}: {lines} lines{"" if 20 <= lines <= 60 else "; 20 to 60 are aimed at"}')
    assert sizes


LONG = '\n'.join(f'x{i} = {i}' for i in range(301))
FUNCTION = 'def f() -> None:\n' + '\n'.join(f'    x{i} = {i}' for i in range(50))


@pytest.mark.parametrize(
    ('check', 'module', 'source'),
    [
        (lengths, f'{SIM}.core.scene', LONG),
        (lengths, f'{SIM}.nodes.sim_node', LONG[: LONG.index('x151')]),
        (lengths, f'{TASKS}.suite.vlmbench.swap', LONG[: LONG.index('x91')]),
        (lengths, f'{SIM}.core.scene', FUNCTION),
        (lengths, f'{SIM}.core.scene', f'class A:\n    async {FUNCTION}'.replace('\n    x', '\n        x')),
        (constructors, 'm', 'class A:\n    def __init__(self, a, b, c): ...'),
        (constructors, 'm', 'class A:\n    def __init__(self, a, *, b, c, d, e, f, g, h): ...'),
        (constructors, 'm', '@dataclass\nclass A:\n    a: int\n    b: int\n    c: int'),
        (untyped, 'm', 'def f(a): return a'),
        (untyped, 'm', 'def f(a: int): return a'),
        (untyped, 'm', 'class A:\n    def f(self, *rest) -> None: ...'),
        (forbidden, 'm', 'try:\n    f()\nexcept:\n    pass'),
        (forbidden, 'm', 'from numpy import *'),
        (forbidden, 'm', 'def f(a=[]): ...'),
        (forbidden, 'm', 'def f(*, a=dict()): ...'),
        (forbidden, 'm', 'g = lambda a={}: a'),
        (forbidden, 'm', 'import numpy as np\nnp.random.seed(0)'),
        (forbidden, 'm', 'import numpy as np\nx = np.random.uniform()'),
        (forbidden, 'm', 'import random\nrandom.shuffle(x)'),
        (forbidden, f'{SIM}.bullet.world', 'import time\nt = time.time()'),
        (forbidden, f'{SIM}.motion.planner', 'from time import perf_counter'),
        (forbidden, f'{TASKS}.judging.monitor', 'from datetime import datetime\nd = datetime.now()'),
        (forbidden, 'm', 'x = eval(text)'),
        (forbidden, 'm', 'exec(text)'),
        (forbidden, 'm', 'import yaml\nyaml.load(text, Loader)'),
        (forbidden, 'm', 'assert x'),
        (forbidden, f'{SIM}.motion.kinematics', 'import numpy as np\nx = np.linalg.solve(a, b)'),
        (forbidden, f'{TASKS}.skills.carry', 'import numpy as np\nx = np.linalg.norm(a)'),
        (forbidden, f'{TASKS}.goals.moving', 'x = a.dot(b)'),
        (forbidden, f'{TASKS}.goals.moving', 'x = a.rotation @ b'),
        (forbidden, f'{SIM}.core.utils', ''),
        (forbidden, f'{SIM}.nodes.manager', ''),
    ],
)
def test_a_fault_is_found(check, module, source):
    assert list(check(module, source))


@pytest.mark.parametrize(
    ('check', 'module', 'source'),
    [
        (lengths, f'{SIM}.core.scene', LONG[: LONG.index('x300')]),
        (lengths, f'{SIM}.core.scene', FUNCTION[: FUNCTION.index('    x49')]),
        (constructors, 'm', 'class A:\n    def __init__(self, a, b, *, c, d, e, f, g): ...'),
        (constructors, 'm', '@dataclass(frozen=True)\nclass A:\n    a: int\n    b: int\n    c: int'),
        (constructors, 'm', '@dataclass\nclass A:\n    a: int\n    b: int\n    _: KW_ONLY\n    c: int'),
        (untyped, 'm', 'class A:\n    def f(self, a: int, *rest: int, **more: int) -> None: ...'),
        (forbidden, 'm', 'import numpy as np\ng = np.random.default_rng(3)\nx = g.uniform()'),
        (forbidden, f'{SIM}.nodes.sim_node', 'import time\nt = time.monotonic()'),
        (forbidden, 'm', 'import yaml\nyaml.safe_load(text)'),
        (forbidden, f'{SIM}.core.picks', 'at = prop.pose @ grasp.tool'),
        (forbidden, f'{SIM}.core.track', 'import numpy as np\nx = np.linalg.norm(a, axis=1)'),
        (forbidden, f'{SIM}.render.shadow', 'import numpy as np\nx = np.linalg.inv(a)'),
        (forbidden, 'm', 'def f(a=(), b=None): ...'),
    ],
)
def test_what_is_right_is_not(check, module, source):
    assert list(check(module, source)) == []
