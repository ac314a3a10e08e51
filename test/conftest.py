"""Who runs what: one process has the tests that start nodes, so that few benches compete, and the others share the rest by file."""

import pytest

NODES = 'test/nodes/'


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put the tests of nodes first: together they take longest."""
    items.sort(key=lambda item: not item.nodeid.startswith(NODES))


def pytest_sessionfinish(session, exitstatus):
    """Leave word, for `.ci/again.py`, of how the run ended."""
    cache = getattr(session.config, 'cache', None)
    if cache and not hasattr(session.config, 'workerinput'):
        cache.set('vlm_bench/exitstatus', int(exitstatus))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give tests to processes by file, and those of nodes as if they were one file."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return NODES if nodeid.startswith(NODES) else nodeid.partition('::')[0]

    return ByFile(config, log)
