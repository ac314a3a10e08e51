"""The oracle over DDS does, period by period and bit by bit, what it does in one process; scored or not, with cameras or without."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from nursery import Forked
from policy_client import PolicyClient
from rcl_interfaces.msg import Log, ParameterEvent
from running_bench import ros_environment
from test_pick_place import held, let_pass

from vlm_bench_sim.bags.reader import open_bag, report, snapshots, state_hashes
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.graph import NodeSpec
from vlm_bench_tasks.launching.processes import command
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

pytestmark = pytest.mark.ros
SEED = 3
CAMERAS = {'cameras': 'vlmbench:front,wrist', 'width': 64, 'height': 48}
PRIVATE = [row for row in names.FIXED if row.private]


@pytest.fixture(scope='module')
def alone():
    """The run in this process, without ROS and without pictures."""
    bench = Bench()
    yield bench.run(catalogue.build('vlmbench/pick_place', 'seen', SEED), Oracle())
    bench.close()


def episode(bench, folder):
    """Run an episode to its report and return its bag, open."""
    before = set(folder.iterdir())
    bench.forget()
    bench.begin(seed=SEED)
    bench.report(seconds=90)

    def new():
        return [path for path in folder.iterdir() if path not in before and not path.name.startswith('.')]

    bench.wait(new, 'the bag')
    return open_bag(new()[0])


def assert_equal(bag, alone):
    said = report(bag)
    assert (said.verdict, list(said.causes)) == (alone.report.verdict.code, list(alone.report.causes)) == (1, [])
    assert list(state_hashes(bag)) == list(alone.hashes)
    assert replay(bag.path).same
    assert (said.seq, said.progress, said.reward) == (alone.report.seq, alone.report.progress, alone.report.reward)
    assert said.score == alone.report.score == 100.0
    assert list(said.assistance) == list(alone.report.assistance) == ['truth']
    assert said.violations == 0


def assert_seen(bag, alone):
    assert bag.topics['/cameras/wrist/color/image_raw/compressed'].count > len(alone.hashes) // 2


@pytest.mark.slow  # the scored bench stands for it
def test_the_same_hashes_come_twice_with_cameras_that_are_watched(start_bench, domains, tmp_path, alone):
    with start_bench(domain=domains(), policy='oracle', record=str(tmp_path), **CAMERAS) as bench:
        for _ in range(2):
            bag = episode(bench, tmp_path)
            assert_equal(bag, alone)
            assert_seen(bag, alone)
            assert report(bag).isolation == 'names'


def test_a_scored_bench_shows_a_policy_nothing_private_and_works_as_ever_twice(start_bench, domains, tmp_path, alone):
    domain = domains()
    spy = PolicyClient(domain, name='spy')
    logs, parameters = [], []
    spy.nodes[0].create_subscription(Log, '/rosout', logs.append, 100)
    spy.nodes[0].create_subscription(ParameterEvent, '/parameter_events', parameters.append, 1000)
    with start_bench(domain=domain, policy='oracle', scored=True, seed=SEED, record=str(tmp_path), **CAMERAS) as bench:
        assert_equal(episode(bench, tmp_path), alone)
        bag = episode(bench, tmp_path)
        spy.wait(lambda: set(bench.specs) <= set(spy.nodes[0].get_node_names()), 'every public node')
        spy.wait(lambda: any(log.name == 'task_node' for log in logs), 'what the task node says')
        spy.rest(0.5)
        seen = {name for name, _ in spy.nodes[0].get_topic_names_and_types() + spy.nodes[0].get_service_names_and_types()}
        nodes = [name for name in spy.nodes[0].get_node_names() if name in bench.specs]
        below = {name for name, _ in bench.client.nodes[1].get_topic_names_and_types()}
    spy.close()
    assert {names.TICK.name, names.INSTRUCTION.name, names.JOIN.name} <= seen
    assert not [name for name in seen if name.startswith(('/truth', '/vlm_bench_sim')) or '_parameter' in name]
    assert not seen & {row.name for row in PRIVATE}
    assert {names.WORLD_STATE.name, names.EPISODE_TRUTH.name} <= below and names.TICK.name not in below
    assert sorted(nodes) == sorted(bench.specs), 'the nodes of the second domain would be here twice'
    assert 'seed' not in {value.name for event in parameters for value in event.new_parameters}
    assert logs and not [log.msg for log in logs if 'seed' in log.msg], 'the seed is the answer'
    assert_equal(bag, alone)
    assert_seen(bag, alone)
    assert report(bag).isolation == 'domain'
    seqs = [snapshot.seq for snapshot in snapshots(bag)]
    assert seqs == list(range(len(alone.hashes)))
    assert {names.WORLD_STATE.name, names.EPISODE_TRUTH.name, names.SCENE.name, names.TICK.name, names.JOINT_STATES.name} <= set(bag.topics)


def test_an_expert_that_comes_while_the_world_pauses_begins_all_the_same(bench, tmp_path):
    spec = NodeSpec('oracle_node', 'vlm_bench_tasks.nodes.oracle_node', {})
    with held(bench):
        late = Forked(command(spec), env=ros_environment(bench.domain), output=tmp_path / 'late.log')
        try:
            let_pass(bench, 3)
        finally:
            late.terminate()
            late.wait(10)
    assert bench.stop_episode().causes == ['stopped']  # and not that the judge took a period twice
