"""Makes `running_bench` and `policy_client` importable, and lends every test process domains of its own."""

import fcntl
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from vlm_bench_sim.nodes import shared_memory

sys.path.insert(0, str(Path(__file__).parent))

DOMAINS = range(10, 100, 2)
PATIENCE_S = 60.0
LAST_WORDS = 6  # lines


@contextmanager
def _lending():
    """Hand out even ROS domains that no other test process on this machine uses; the odd one above belongs to it.

    The one that has rested longest comes first: for some twenty seconds DDS takes a process that was killed for alive.
    """
    taken = []

    def lend():
        shared_memory.clean()
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for path in sorted(map(_lock, DOMAINS), key=lambda path: path.stat().st_mtime):
                lock = path.open('a')
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    lock.close()
                else:
                    taken.append((path, lock))
                    domain = int(path.name.rpartition('_')[2])
                    for one in (domain, domain + 1):
                        shared_memory.clean_domain(one)
                    return domain
            time.sleep(1.0)
        pytest.fail(f'Every ROS domain of {list(DOMAINS)} is in use by another test process.')

    yield lend
    for path, lock in taken:
        path.touch()
        lock.close()


def _lock(domain):
    path = Path(tempfile.gettempdir()) / f'vlm_bench_test_domain_{domain}'
    if not path.exists():
        path.touch()
        os.utime(path, (0, 0))
    return path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Show what the nodes of a bench said last where a test of it fails."""
    report = yield
    if report.failed:
        for bench in {id(value): value for value in item.funcargs.values() if hasattr(value, 'processes')}.values():
            said = {name: bench.log(name).strip().splitlines()[-LAST_WORDS:] for name in bench.processes}
            report.sections += [(f'last words of {name}', '\n'.join(lines)) for name, lines in said.items() if lines]
    return report


@pytest.fixture
def domains():
    """Lends domains to a test."""
    with _lending() as lend:
        yield lend


@pytest.fixture(scope='module')
def module_domains():
    """Lends domains to the tests of a module."""
    with _lending() as lend:
        yield lend


@pytest.fixture(scope='module')
def module_domain(module_domains):
    """A domain that the tests of a module share."""
    return module_domains()


@pytest.fixture(scope='session')
def start_bench(tmp_path_factory):
    """Start benches, one at a time in a domain, and end what the test has left."""
    from running_bench import RunningBench

    made = []

    def start(*, domain, **settings):
        made.append(RunningBench(domain, tmp_path_factory.mktemp('bench'), **settings))
        return made[-1]

    yield start
    for bench in made:
        bench.stop()


@pytest.fixture(scope='session')
def shared(start_bench):
    """A bench without an oracle or a recorder that the tests of this process share; each test begins an episode of its own.

    It goes on while other modules run, and so its domain is nobody else's.
    """
    with _lending() as lend, start_bench(domain=lend(), cameras='vlmbench:front', width=64, height=48) as bench:
        yield bench


@pytest.fixture
def bench(shared):
    """The shared bench in a fresh episode; nothing moves, and everything that the test hears is of this test."""
    shared.check()
    shared.forget()
    shared.begin()
    return shared


@pytest.fixture
def calm(shared):
    """The shared bench in an episode that may have begun before, for a test that moves nothing."""
    shared.check()
    if not shared.runs:
        shared.begin()
    return shared
