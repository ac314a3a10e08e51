"""A bench in another engine over DDS does, bit by bit, what it does in one process, and its bag says in which engine that was."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('mujoco')

from running_bench import OK
from same_run import assert_same

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.engine import MUJOCO, recorded
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

pytestmark = [pytest.mark.ros, pytest.mark.long]
TASK, SEED = 'clevrskills/touch', 170000


@pytest.fixture(scope='module')
def alone():
    """The run in this process."""
    bench = Bench(catalogue.task(TASK).robot, engine=MUJOCO)
    run = bench.run(catalogue.build(TASK, 'seen', SEED), policy('oracle'))
    bench.close()
    return run


def test_an_episode_in_mujoco_is_the_same_over_ros_and_in_process(start_bench, domains, tmp_path, alone):
    with start_bench(domain=domains(), policy='oracle', engine=MUJOCO, task=TASK, seed=SEED, record=str(tmp_path)) as bench:
        response = bench.ask_to_begin(task='vlmbench/pour')
        assert response.result.result != OK
        assert 'vlmbench/pour needs beads, which the engine mujoco does not have' in response.result.error_message
        bench.begin(task=TASK, seed=SEED)
        said = bench.report(seconds=120)
        bench.wait(lambda: [path for path in tmp_path.iterdir() if not path.name.startswith('.')], 'the bag')
    bag = open_bag(next(tmp_path.iterdir()))
    assert_same(bag, alone)
    assert recorded(said.versions) == recorded(bag.custom['versions'].split()) == MUJOCO
    assert [message.engine for _, _, message in bag.messages(names.SCENE.name)] == [MUJOCO]
    assert replay(bag.path).same
