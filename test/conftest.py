"""Who runs what: every other process begins with the tests that start nodes, which mostly wait; the others have the processor then.

Properties are tried on the same examples every time, and a busy machine fails none of them.
"""

import os
from zlib import crc32

import pytest
from hypothesis import settings

NODES = 'test/nodes/'

os.environ.pop('VLM_BENCH_PATH', None)  # extensions of whoever runs the tests are none of theirs

settings.register_profile('same_everywhere', derandomize=True, deadline=None, database=None)
settings.load_profile('same_everywhere')


def pytest_addoption(parser):
    parser.addoption('--every', type=int, default=1, metavar='K', help='run one in K tests: always the same ones')


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what is not asked for, and put the tests of nodes first: together they take longest."""
    left = [item for item in items if crc32(item.nodeid.encode()) % config.getoption('every')]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in {*left}]
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
