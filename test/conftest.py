"""Who runs what: one process has the tests that start nodes, so that no two benches compete, and the others share the rest by file."""

from pathlib import Path

import pytest

NODES = Path(__file__).parent / 'nodes'


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put the tests of nodes first, which take longest, into one group of xdist, and every other file into a group of its own."""
    items.sort(key=lambda item: NODES not in item.path.parents)
    for item in items:
        name = 'nodes' if NODES in item.path.parents else str(item.path)
        item.add_marker(pytest.mark.xdist_group(name))
