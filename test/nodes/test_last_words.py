"""Where a test of a bench fails, it shows why: what the report says, and what the nodes said last."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy')

from running_bench import RunningBench
from same_run import assert_same

from test.small_bag import recorded
from vlm_bench_sim.bags.reader import open_bag, state_hashes

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('late', [False, True], ids=['of this test', 'of an earlier one'])
def test_a_bench_that_a_function_of_the_test_has_ended_is_shown(request, tmp_path, late):
    bench = object.__new__(RunningBench)
    bench.processes, bench._folder, bench.started = {'arm_node': None}, tmp_path, time.time()
    (tmp_path / 'arm_node.log').write_text('it was on fire\n')
    conftest = request.config.pluginmanager.get_plugin(str(Path(__file__).with_name('conftest.py')))
    item = SimpleNamespace(funcargs={'running': [bench]})
    call = SimpleNamespace(excinfo=SimpleNamespace(traceback=[]), start=bench.started + (1.0 if late else -1.0))
    hook = conftest.pytest_runtest_makereport(item, call)
    next(hook)
    with pytest.raises(StopIteration) as end:
        hook.send(SimpleNamespace(failed=True, sections=[]))
    assert end.value.value.sections == ([] if late else [('last words of arm_node', 'it was on fire')])


def test_the_causes_of_a_report_are_shown_before_states_that_differ(tmp_path):
    bag = open_bag(recorded(tmp_path))
    hashes = state_hashes(bag)
    report = SimpleNamespace(verdict=SimpleNamespace(code=2), causes=('stopped',))
    assert_same(bag, SimpleNamespace(report=report, hashes=hashes))
    with pytest.raises(AssertionError, match=r'over ROS, at period \d+: stopped'):
        assert_same(bag, SimpleNamespace(report=SimpleNamespace(verdict=report.verdict, causes=('time_limit',)), hashes=()))
    with pytest.raises(AssertionError, match='the numbers of states'):
        assert_same(bag, SimpleNamespace(report=report, hashes=(*hashes[:3], '', *hashes[4:])))
