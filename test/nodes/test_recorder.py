"""The recorder over real DDS: another process, as in a bench."""

import signal
import subprocess
import sys
import time

import pytest

from vlm_bench_sim.bags.reader import episode_truth, open_bag, snapshots, state_hashes
from vlm_bench_sim.bags.recover import recover
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import fields, names

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from nursery import Forked  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from running_bench import ros_environment  # noqa: E402

from vlm_bench_sim.nodes.base.qos import qos  # noqa: E402
from vlm_bench_sim.ros.convert import interface, message  # noqa: E402
from vlm_bench_tasks.graph import NodeSpec  # noqa: E402
from vlm_bench_tasks.launching.processes import command  # noqa: E402

pytestmark = pytest.mark.ros
FAULT = 3


def snapshot(seq):
    return Snapshot(
        seq,
        12 * seq,
        {'panda_joint1': JointState(seq / 3)},
        Pose((0.1, 0.2, seq / 7)),
        0.08,
        bodies={'star': Body(Pose((seq / 9, 0.0, 0.0)))},
    )


class Bench:
    """What the recorder hears, and what it says; the private names on a domain of their own where the bench is scored."""

    def __init__(self, domain, *, scored=False):
        self.acks, self.faults, self.joined, self.offset = set(), [], [], 0
        self.contexts = [Context() for _ in range(2 if scored else 1)]
        for i, context in enumerate(self.contexts):
            rclpy.init(context=context, domain_id=domain + i)
        self.nodes = [rclpy.create_node(f'bench{i}', context=c) for i, c in enumerate(self.contexts)]
        self.executors = [SingleThreadedExecutor(context=c) for c in self.contexts]
        for executor, node in zip(self.executors, self.nodes, strict=True):
            executor.add_node(node)
        self.publishers = {}
        self.serve()
        self.subscribe(names.EVENTS, lambda m: self.faults.append(m) if m.kind == FAULT else None)
        # The last of them: who acknowledges to us knows of the others.
        self.subscribe(names.ACK, lambda m: self.acks.add((m.participant, m.token, m.seq)))
        for row in (names.EPISODE_TRUTH, names.WORLD_STATE, names.TICK, names.JOINT_STATES, names.REPORT, names.ROBOT_DESCRIPTION):
            self.publish(row)
        self.send(names.ROBOT_DESCRIPTION, {'data': '<robot/>'})

    def node(self, row):
        return self.nodes[-1 if row.private else 0]

    def publish(self, row):
        self.publishers[row.name] = self.node(row).create_publisher(interface(row.type), row.name, qos(row))

    def subscribe(self, row, callback):
        self.node(row).create_subscription(interface(row.type), row.name, callback, qos(row))

    def serve(self):
        self.service = self.nodes[0].create_service(interface(names.JOIN.type), names.JOIN.name, self.join)

    def join(self, request, response):
        self.joined.append((request.participant, request.role))
        response.result.result = 1
        return response

    def send(self, row, given):
        self.publishers[row.name].publish(message(row.type, given))

    def wait(self, done, what, seconds=60.0):
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f'{what}: not within {seconds} s'
            for executor in self.executors:
                executor.spin_once(timeout_sec=0.02)

    def period(self, token, seq):
        ns = self.offset + PERIOD_NS * (seq + 1)
        self.send(names.JOINT_STATES, fields.joint_state(snapshot(seq).joints, ns))
        self.send(names.WORLD_STATE, fields.world_state(snapshot(seq), ns=ns, token=token, state_hash=f'{seq}'))
        self.send(names.TICK, {'header': fields.header(ns), 'token': token, 'seq': seq})

    def begin(self, token):
        """As the task node does: the world is loaded before the episode is told."""
        self.wait(lambda: self.joined, 'the recorder joins')
        self.wait(self.matched, 'the recorder subscribes')
        self.period(token, 0)
        self.send(names.EPISODE_TRUTH, {'token': token, 'task': 'vlmbench/pick_place', 'split': 'seen', 'seed': 5})
        self.wait(lambda: ('recorder_node', token, 0) in self.acks, 'the first tick is acknowledged')

    def matched(self):
        return all(p.get_subscription_count() for p in self.publishers.values())

    def run(self, token, periods, first=1):
        for seq in range(first, periods):
            self.period(token, seq)
            self.wait(lambda seq=seq: ('recorder_node', token, seq) in self.acks, f'tick {seq} is acknowledged')

    def report(self, token, verdict, seq):
        ns = self.offset + PERIOD_NS * (seq + 1)
        self.send(names.REPORT, {'header': fields.header(ns), 'token': token, 'verdict': verdict, 'seq': seq})
        self.offset = ns

    def close(self):
        for executor, node, context in zip(self.executors, self.nodes, self.contexts, strict=True):
            executor.shutdown()
            node.destroy_node()
            context.try_shutdown()


@pytest.fixture
def started(domains):
    """Start benches and recorders; none of them is left behind."""
    made, domain = [], domains()

    def start(folder, *, scored=False, file_limit=0):
        env = ros_environment(domain)
        if file_limit:
            env['FASTDDS_DEFAULT_PROFILES_FILE'] = ''  # ours asks for more shared memory than a file may hold then
        limit = f'import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({file_limit},) * 2); ' if file_limit else ''
        code = limit + 'from vlm_bench_sim.nodes.recorder_node import main; main()'
        options = ['-p', f'folder:={folder}', '-p', f'scored:={str(scored).lower()}', '-p', 'cameras:=none']
        command = [sys.executable, '-c', code, '--ros-args', *options]
        made.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        made.append(Bench(domain, scored=scored))
        return made[-2], made[-1]

    yield start
    for one in made:
        if isinstance(one, Bench):
            one.close()
        else:
            if one.poll() is None:
                one.kill()
            one.communicate()


def bags(folder):
    return sorted(p for p in folder.iterdir() if not p.name.startswith('.'))


@pytest.mark.parametrize('scored', [pytest.param(False, marks=pytest.mark.long), True])
def test_two_episodes_become_two_bags(started, tmp_path, scored):
    recorder, bench = started(tmp_path / 'bags', scored=scored)
    for token, verdict in (('aaaaaaaa1', 1), ('bbbbbbbb2', 2)):
        bench.begin(token)
        bench.run(token, 20)
        bench.report(token, verdict, 19)
    bench.wait(lambda: len(bags(tmp_path / 'bags')) == 2, 'both bags appear')
    assert set(bench.joined) == {('recorder_node', 1)}
    first, second = (open_bag(path) for path in bags(tmp_path / 'bags'))
    assert [bag.custom['verdict'] for bag in (first, second)] == ['success', 'failure']
    for bag in (first, second):
        assert list(snapshots(bag)) == [snapshot(seq) for seq in range(20)]
        assert state_hashes(bag) == tuple(str(seq) for seq in range(20))
        assert bag.topics['/joint_states'].count == 20 and bag.topics['/robot_description'].count == 1
        assert bag.topics['/truth/world_state'].qos[0]['reliability'] == 'reliable'
        for _, stamp, state in bag.messages('/truth/world_state'):
            assert stamp == fields.read_stamp(state.header.stamp)
    assert episode_truth(second).token == 'bbbbbbbb2'
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait(timeout=30) == 0


def test_it_joins_the_simulator_that_comes_after_the_first(started, tmp_path):
    _, bench = started(tmp_path)
    bench.begin('t')
    bench.nodes[0].destroy_service(bench.service)
    bench.publish(names.TICK)

    def heard_of_both():
        """The recorder hears a tick of the new publisher, and so it knows, too, that the service is gone."""
        bench.period('t', 1)
        end = time.monotonic() + 0.2
        bench.wait(lambda: ('recorder_node', 't', 1) in bench.acks or time.monotonic() > end, 'a while')
        return ('recorder_node', 't', 1) in bench.acks

    bench.wait(heard_of_both, 'the recorder knows that the simulator is gone')
    for heard in (bench.acks, bench.joined):
        heard.clear()
    bench.wait(lambda: ('recorder_node', 't', 1) in bench.acks, 'it goes on')
    bench.serve()
    bench.wait(lambda: bench.joined, 'it joins again')


@pytest.mark.parametrize('sent', [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_an_interrupt_in_the_middle_closes_the_bag(started, tmp_path, sent):
    recorder, bench = started(tmp_path)
    bench.begin('t')
    bench.run('t', 10)
    recorder.send_signal(sent)
    output, _ = recorder.communicate(timeout=30)
    assert recorder.returncode == 0, output
    bag = open_bag(bags(tmp_path)[0])
    assert bag.custom['verdict'] == 'unobservable' and 'stopped before the report' in bag.custom['cause']
    assert list(snapshots(bag)) == [snapshot(seq) for seq in range(10)]


def test_a_killed_recorder_leaves_what_can_be_recovered(started, tmp_path):
    recorder, bench = started(tmp_path)
    bench.begin('t')
    bench.run('t', 100)
    recorder.kill()
    recorder.wait()
    assert bags(tmp_path) == []
    saved = recover(next(tmp_path.glob('.*.part')))
    found = list(snapshots(open_bag(saved.path)))
    assert found == [snapshot(seq) for seq in range(len(found))]
    assert len(found) >= 100 - 42  # a chunk spans at most two seconds
    assert open_bag(saved.path).custom['verdict'] == 'unobservable'


def test_a_disk_that_takes_no_more_is_a_fault_and_no_bag(started, tmp_path):
    _, bench = started(tmp_path, file_limit=20_000)
    bench.begin('t')
    bench.run('t', 60)  # every tick is still acknowledged, so the bench can end the episode
    bench.send(names.REPORT, {'token': 't', 'verdict': 1})
    bench.wait(lambda: bench.faults, 'the fault is told')
    assert bench.faults[0].token == 't' and 'File too large' in bench.faults[0].text and bench.faults[0].source == 'recorder_node'
    assert bags(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_refused_at_the_start(started, tmp_path):
    (tmp_path / 'file').write_text('')
    recorder, _ = started(tmp_path / 'file' / 'bags')
    output, _ = recorder.communicate(timeout=60)
    assert recorder.returncode == 1
    assert 'error: Bags cannot be recorded in' in output and 'Name another folder' in output


def test_one_that_comes_while_the_world_pauses_holds_nobody_up(bench, tmp_path):
    bench.client.listen(names.ACK)
    bench.pass_time(0.04)  # what is now was told before the recorder came
    spec = NodeSpec('recorder_node', 'vlm_bench_sim.nodes.recorder_node', {'folder': str(tmp_path / 'bags'), 'cameras': 'none'})
    late = Forked(command(spec), env=ros_environment(bench.domain), output=tmp_path / 'late.log')
    try:
        bench.wait(lambda: 'recorder_node' in {ack.participant for ack in bench.client.heard(names.ACK)}, 'the recorder takes part')
        bench.pass_time(0.08)
    finally:
        late.terminate()
        late.wait(30)
    (bag,) = map(open_bag, bags(tmp_path / 'bags'))
    assert bag.custom['cause'] == 'the recorder was stopped before the report came'
    bench.pass_time(0.04)
