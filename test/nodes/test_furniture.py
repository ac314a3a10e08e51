"""Furniture over DDS: the oracle opens the same drawers and doors, period by period and bit by bit, as in one process."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope='module')
def alone():
    made = Bench()
    yield made
    made.close()


@pytest.mark.parametrize(('task', 'seed'), [('vlmbench/drawer', 3), pytest.param('vlmbench/door', 1, marks=pytest.mark.slow)])
def test_furniture_opens_over_ros_as_it_does_in_one_process(start_bench, domains, alone, task, seed):
    run = alone.run(catalogue.build(task, 'seen', seed), Oracle())
    with start_bench(domain=domains(), policy='oracle') as bench:
        bench.begin(task=task, seed=seed)
        report = bench.report(seconds=240)
        last = bench.now
        hashes = {state.seq: state.state_hash for state in bench.states}  # a client that gets no time may lose some, but not the last
        assert hashes.items() <= dict(enumerate(run.hashes)).items(), bench.log('oracle_node')[-2000:]
        assert (report.verdict, report.seq) == (run.report.verdict.code, run.report.seq), (report.causes, bench.log('oracle_node')[-2000:])
        assert (last.seq, last.mechanisms) == (report.seq, alone.world.snapshot.mechanisms)
