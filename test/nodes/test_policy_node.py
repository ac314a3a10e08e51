"""A Policy plays over DDS as it does in one process, period by period and bit by bit, and its failures are failures and nothing else."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from nursery import Forked
from running_bench import ros_environment
from same_run import assert_same

from vlm_bench_sim.bags.reader import events, open_bag, snapshots
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.aids import HAND
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.aids import aided
from vlm_bench_tasks.evaluation.guard import guarded
from vlm_bench_tasks.evaluation.lending import lent
from vlm_bench_tasks.graph import NodeSpec
from vlm_bench_tasks.launching.processes import command
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

pytestmark = pytest.mark.ros
FAILURE, SEED = 2, 3
VARIED, FAILS, MALFORMED, SLOW, GUIDED, STREAMING = (
    f'test.nodes.various_policies:{name}' for name in ('Varied', 'Fails', 'Malformed', 'Slow', 'Guided', 'Streaming')
)
TOGETHER = ('grasp_snapping', 'gripper_state', 'oracle_stop', 'subgoals')
CAMERAS = {'cameras': 'vlmbench:front,wrist', 'width': 64, 'height': 48}


def alone(name, arguments=(), assist=()):
    """The run in this process."""
    bench = Bench('panda', CAMERAS['cameras'], width=CAMERAS['width'], height=CAMERAS['height'])
    episode = catalogue.build('vlmbench/pick_place', 'seen', SEED)
    helped = aided(guarded(policy(name, arguments), nullcontext), assist, bench, episode)
    run = bench.run(episode, helped, helped, assisted=helped.assisted)
    bench.close()
    return run


@pytest.mark.parametrize('aids', [(), pytest.param(('segmentation',), marks=pytest.mark.long)], ids=['alone', 'aided'])
def test_every_kind_of_command_comes_to_the_same_states_as_in_one_process(start_bench, domains, tmp_path, aids):
    given = {'policy': VARIED, 'policy_args': 'higher=0.04', 'scored': True, 'assist': ','.join(aids), **CAMERAS}
    with start_bench(domain=domains(), record=str(tmp_path), **given) as bench:
        bench.begin(seed=SEED)
        report = bench.report(seconds=90)
        bench.wait(lambda: any(not path.name.startswith('.') for path in tmp_path.iterdir()), 'the bag')
        (public,) = bench.client.nodes[:1]
        heard = {topic for topic, _ in public.get_subscriber_names_and_types_by_node('policy_node', '/')}
        told = {topic for topic, _ in public.get_publisher_names_and_types_by_node('sim_node', '/')}
    run, bag = (
        alone(VARIED, (('higher', '0.04'),), aids),
        open_bag(next(path for path in tmp_path.iterdir() if not path.name.startswith('.'))),
    )
    assert_same(bag, run)
    assert (report.verdict, list(report.causes)) == (FAILURE, list(run.report.causes))
    assert (list(report.assistance), report.violations, report.isolation) == (list(aids), 0, 'domain')
    private = [row.camera('front').name for row in (names.SEGMENTATION, names.LABELS)]
    assert [topic in told for topic in private] == [bool(aids)] * 2 and names.COLOR.camera('front').name in told
    assert all(bag.topics[topic].count for topic in private), 'a bag holds them either way'
    assert names.INSTRUCTION.name in heard and not any(topic.startswith('/truth') for topic in heard)


class Noting(Oracle):
    """The expert, who notes its tool poses."""

    def reset(self, context):
        super().reset(context)
        self.poses = []

    def act(self, observation):
        command = super().act(observation)
        self.poses += [command] if isinstance(command, ToolPose) else []
        return command


@pytest.mark.parametrize(
    'aids',
    [
        pytest.param(('grasp_snapping', 'gripper_state', 'oracle_stop', 'subgoals'), marks=pytest.mark.long),
        pytest.param(('given_grasp',), marks=pytest.mark.long),
        *(pytest.param((aid,), marks=pytest.mark.slow) for aid in ('grasp_snapping', 'gripper_state', 'oracle_stop', 'subgoals')),
    ],
    ids=' '.join,
)
def test_aids_help_a_node_as_they_help_in_one_process(start_bench, domains, tmp_path, aids):
    bench, noting = Bench('panda'), Noting()
    bench.run(catalogue.build('vlmbench/pick_place', 'seen', SEED), noting)
    bench.close()
    (tmp_path / 'poses.json').write_text(codec.dumps(tuple(noting.poses)))
    arguments = ('poses', str(tmp_path / 'poses.json'))
    run = alone(GUIDED, (arguments,), aids)
    assert len(aids) == 1 or run.report.verdict is Verdict.SUCCESS, 'together they make up for what it does wrong'
    given = {'policy': GUIDED, 'policy_args': '='.join(arguments), 'assist': ','.join(aids)}
    report, bag = recorded(start_bench, domains(), tmp_path / 'bags', given)
    assert_same(bag, run)
    assert (report.verdict, list(report.causes)) == (run.report.verdict.code, list(run.report.causes))
    assert list(report.assistance) == list(aids)
    told = catalogue.build('vlmbench/pick_place', 'seen', SEED).instruction.text
    assert bag.custom['instruction'] == told


def recorded(start_bench, domain, folder, given):
    """The report and the bag of one episode over ROS."""
    with start_bench(domain=domain, record=str(folder), scored=True, cameras='none', **given) as running:
        running.begin(seed=SEED)
        report = running.report(seconds=120)
        running.check()
        running.wait(lambda: any(not path.name.startswith('.') for path in folder.iterdir()), 'the bag')
    return report, open_bag(next(path for path in folder.iterdir() if not path.name.startswith('.')))


@pytest.mark.long
def test_a_node_that_moves_the_arm_although_it_must_stop_is_stopped(start_bench, domains, tmp_path):
    report, bag = recorded(
        start_bench, domains(), tmp_path / 'bags', {'policy': 'oracle', 'assist': 'oracle_stop'}
    )  # the expert reads no instruction
    assert [event.source for event in events(bag) if event.kind == EventKind.STOP] == ['aid_node']
    assert report.verdict == Verdict.SUCCESS.code


@pytest.mark.long
def test_a_stream_that_closes_near_a_grasp_is_helped_alike(start_bench, domains, tmp_path):
    bench, noting = Bench('panda'), Noting()
    episode = catalogue.build('vlmbench/pick_place', 'seen', SEED)
    bench.run(episode, noting)
    bench.close()
    closing = next(i for i, after in enumerate(lent('panda', episode, [HAND]).hands) if any(grip.opening < 0.07 for grip in after))
    target = noting.poses[closing]
    (tmp_path / 'poses.json').write_text(codec.dumps((replace(target, pose=target.pose @ Pose((0.0, 0.0, -0.04)), straight=False),)))
    arguments = ('poses', str(tmp_path / 'poses.json'))
    run = alone(STREAMING, (arguments,), ('grasp_snapping',))
    given = {'policy': STREAMING, 'policy_args': '='.join(arguments), 'assist': 'grasp_snapping'}
    report, bag = recorded(start_bench, domains(), tmp_path / 'bags', given)
    assert_same(bag, run)
    assert list(report.causes) == list(run.report.causes)
    assert any(snapshot.held for snapshot in snapshots(bag)), 'it was put onto the grasp'


def test_one_that_comes_after_an_episode_does_not_play_it(bench, tmp_path):
    bench.stop_episode()
    spec = NodeSpec('policy_node', 'vlm_bench_tasks.nodes.policy_node', {'policy': VARIED, 'cameras': 'none'})
    late = Forked(command(spec), env=ros_environment(bench.domain), output=tmp_path / 'late.log')
    try:
        bench.wait(lambda: 'policy_node' in bench.client.nodes[0].get_node_names(), 'the policy')
        bench.client.rest(3.0)
        bench.forget()
        bench.begin()
        bench.wait(lambda: len(bench.ticks) > 1, 'it plays this one')
    finally:
        late.terminate()
        late.wait(10)
    bench.client.ask(names.STOP_EPISODE, {})  # it may have played to its end meanwhile
    assert bench.report().violations == 0


def test_one_for_another_robot_says_so(bench, tmp_path):
    spec = NodeSpec('policy_node', 'vlm_bench_tasks.nodes.policy_node', {'policy': VARIED, 'cameras': 'none', 'robot': 'ur5e'})
    log = tmp_path / 'other.log'
    other = Forked(command(spec), env=ros_environment(bench.domain), output=log)
    said = "The episode is played by 'panda', and this node is for 'ur5e'. Start it with the parameter robot of the episode."
    try:
        bench.wait(lambda: log.exists() and said in log.read_text(), 'what it says')
    finally:
        other.terminate()
        other.wait(10)


@pytest.mark.long
def test_what_the_robot_can_never_do_comes_to_nothing_as_in_one_process(start_bench, domains, tmp_path):
    with start_bench(domain=domains(), policy=MALFORMED, record=str(tmp_path), **CAMERAS) as bench:
        bench.begin(seed=SEED)
        report = bench.report(seconds=60)
        bench.wait(lambda: any(not path.name.startswith('.') for path in tmp_path.iterdir()), 'the bag')
        assert 'failed' not in bench.log('policy_node')
    run, bag = alone(MALFORMED), open_bag(next(path for path in tmp_path.iterdir() if not path.name.startswith('.')))
    assert_same(bag, run)
    assert list(report.causes) == list(run.report.causes) == ['stopped']


@pytest.mark.long
def test_an_episode_that_begins_while_the_policy_still_thinks_about_the_last_waits_for_it(start_bench, domains):
    with start_bench(domain=domains(), policy=SLOW, cameras='none') as bench:
        bench.begin(seed=SEED)
        bench.wait(lambda: 'thinking' in bench.log('policy_node'), 'the policy to think')
        bench.begin(seed=SEED + 1)
        report = bench.report(seconds=60)
        assert (report.verdict, list(report.causes)) == (FAILURE, ['stopped'])
        assert report.sim_seconds == pytest.approx(0.1 + 2.5, abs=0.06)
        assert 'two at once' not in bench.log('policy_node')


def test_who_raises_has_failed_with_the_cause_of_an_evaluation_and_the_next_episode_begins_afresh(start_bench, domains):
    with start_bench(domain=domains(), policy=FAILS, cameras='none') as bench:
        run = alone(FAILS)
        for seed in (SEED, SEED + 1):
            bench.begin(seed=seed)
            report = bench.report(seconds=60)
            assert (report.verdict, list(report.causes)) == (FAILURE, list(run.report.causes))
            assert report.causes[0].startswith("policy_raised: KeyError: 'weights' (") and 'various_policies.py, line ' in report.causes[0]
            assert report.sim_seconds == run.report.sim_seconds == pytest.approx(0.1, abs=0.06)
            assert bench.log('policy_node').count('Traceback (most recent call last):') == seed - SEED + 1
            bench.forget()
