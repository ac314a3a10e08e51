"""Makes `running_bench` and `policy_client` importable, and lends every test process domains of its own."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from lending import Lending

from vlm_bench_tasks.graph import environment

pytest.register_assert_rewrite('served_simulator', 'same_run')  # what they assert for tests is told as those tell it
os.environ.update(environment(os.environ))  # a client of a test is a participant like any: it shall not be taken for dead sooner

LAST_WORDS = 6  # lines


def pytest_collection_finish():
    """Say what the server of forks imports, before anybody starts it: workers of a sweep, say, which need less than nodes do."""
    import nursery  # noqa: F401


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show what the nodes of a bench said last where a test of it fails.

    Of each bench that a fixture or a function of the test holds, or that was started meanwhile: it may have ended before the test looks.
    """
    report = yield
    if report.failed:
        from running_bench import RunningBench

        values = [*item.funcargs.values(), *(value for entry in call.excinfo.traceback for value in entry.frame.f_locals.values())]
        values += [bench for bench in item.funcargs.get('running', ()) if bench.started >= call.start]
        for bench in {id(value): value for value in values if isinstance(value, RunningBench)}.values():
            said = {name: bench.log(name).strip().splitlines()[-LAST_WORDS:] for name in bench.processes}
            report.sections += [(f'last words of {name}', '\n'.join(lines)) for name, lines in said.items() if lines]
    return report


@pytest.fixture(scope='session')
def running():
    """The benches that run, each until the domain that it is in is taken back."""
    return []


@pytest.fixture(scope='session')
def lending(running):
    """Who lends domains."""
    return Lending(running)


@pytest.fixture
def domains(lending):
    """Lends domains to a test."""
    with lending() as lend:
        yield lend


@pytest.fixture(scope='module')
def module_domains(lending):
    """Lends domains to the tests of a module."""
    with lending() as lend:
        yield lend


@pytest.fixture(scope='module')
def module_domain(module_domains):
    """A domain that the tests of a module share."""
    return module_domains()


@pytest.fixture(scope='session')
def start_bench(running, tmp_path_factory):
    """Start benches in domains that were lent; one that the test has left ends when its domain is taken back."""
    from running_bench import RunningBench

    def start(*, domain, **settings):
        running.append(RunningBench(domain, tmp_path_factory.mktemp('bench'), **settings))
        return running[-1]

    return start


@pytest.fixture(scope='session')
def shared(start_bench, lending):
    """A bench without an oracle or a recorder that the tests of this process share; each test begins an episode of its own.

    It goes on while other modules run, and so its domain is nobody else's.
    """
    with lending() as lend, start_bench(domain=lend(), cameras='vlmbench:front', width=64, height=48) as bench:
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
    shared.client.rest(0.1)  # it may have ended meanwhile
    if not shared.runs:
        shared.begin()
    return shared
