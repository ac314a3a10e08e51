"""Over DDS the oracle pours, wipes and throws as in one process, and its bag holds the same steps: pose, hand and sentence of each."""

from contextlib import ExitStack, closing
from functools import cache

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.bags.reader import open_bag, report, state_hashes
from vlm_bench_sim.core.codec import read
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.waypoints import waypoints
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policies.waypoints import Waypoint
from vlm_bench_tasks.run import Bench

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(900)]


class Steps:
    """Keeps the steps of the expert, each with its control period."""

    def __init__(self):
        self.seen = []

    def period(self, snapshot):
        pass

    def event(self, event):
        if event.kind is EventKind.WAYPOINT:
            self.seen.append((event.seq, read(event.text, Waypoint)))


@pytest.fixture(scope='module')
def benches():
    """Benches in this process, by robot."""
    with ExitStack() as opened:

        @cache
        def made(robot):
            return opened.enter_context(closing(Bench(robot)))

        yield made


@pytest.mark.parametrize(
    ('task', 'split', 'seed'),
    [
        ('vlmbench/pick_place', 'seen', 3), ('vlmbench/wipe', 'seen', 0), ('vlmbench/pour', 'seen', 0),
        ('arnold/open_cabinet', 'test', 100_003), ('arnold/transfer_water', 'test', 100_000),
        ('clevrskills/throw', 'seen', 3), ('clevrskills/rotate_restore', 'unseen', 3),
    ],
)  # fmt: skip
def test_matter_and_the_steps_of_the_expert_are_the_same_over_ros(start_bench, domains, tmp_path, benches, task, split, seed):
    robot, steps = catalogue.task(task).robot, Steps()
    alone = benches(robot)
    run = alone.run(catalogue.build(task, split, seed), Oracle(), steps)
    with start_bench(domain=domains(), robot=robot, policy='oracle', record=str(tmp_path)) as bench:
        bench.begin(task=task, split=split, seed=seed)
        bench.report(seconds=600)
        bench.wait(lambda: [path for path in tmp_path.iterdir() if not path.name.startswith('.')], 'the bag')
        (path,) = [path for path in tmp_path.iterdir() if not path.name.startswith('.')]
        bag = open_bag(path)
        assert list(state_hashes(bag)) == list(run.hashes), bench.log('oracle_node')[-2000:]
        assert (report(bag).verdict, report(bag).seq) == (run.report.verdict.code, run.report.seq)
        assert (bench.now.beads, bench.now.dirt) == (alone.world.snapshot.beads, alone.world.snapshot.dirt)
    assert list(waypoints(path)) == steps.seen
    swings = task == 'clevrskills/throw'  # a path that leads to no pose, after one waypoint
    assert swings or (len(steps.seen) > 4 and {step.unit for _, step in steps.seen} >= {'Control'})
