"""Who runs what: every other process begins with the tests that start nodes, which mostly wait; the others have the processor then.

Properties are tried on the same examples every time, and a busy machine fails none of them.
"""

import os

import pytest
from hypothesis import settings

NODES = 'test/nodes/'

os.environ.pop('VLM_BENCH_PATH', None)  # extensions of whoever runs the tests are none of theirs

settings.register_profile('same_everywhere', derandomize=True, deadline=None, database=None)
settings.load_profile('same_everywhere')


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put the tests of nodes first: together they take longest."""
    items.sort(key=lambda item: not item.nodeid.startswith(NODES))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give tests to processes by file; of those of nodes, one file at a time to every other process while there are any others left."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return nodeid.partition('::')[0]

        def _assign_work_unit(self, node):
            nodes = int(node.gateway.id.removeprefix('gw')) % 2 == 0
            wanted = next((file for file in self.workqueue if file.startswith(NODES) == nodes), next(iter(self.workqueue)))
            self.workqueue.move_to_end(wanted, last=False)
            super()._assign_work_unit(node)

    return ByFile(config, log)
