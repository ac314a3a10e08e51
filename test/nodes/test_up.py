"""`vlm-bench up` as a person uses it: it says what is wrong, and ends at once and completely."""

import os
import random
import signal
import subprocess
import sys
import time
import uuid

import psutil
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import PolicyClient
from running_bench import VLM_BENCH, ros_environment

from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.judge import judge

pytestmark = pytest.mark.ros
ENDS_WITHIN_S = 30.0  # on any machine; a node that takes ten seconds is killed, and that is said
LOADING = 1  # of Status
RUNNING, UNOBSERVABLE = 2, 3  # of Status, Report
OK, POLICY = 1, 0  # of Result, JoinRequest
BRAKE = 'brake'
MARK = 'VLM_BENCH_TEST_MARK'


class Up:
    """A `vlm-bench up`, or its twin, in a terminal of its own; what it starts carries a mark by which it is found."""

    def __init__(self, domain, folder, *words, command='up'):
        self.domain = domain
        self._mark, self._output = uuid.uuid4().hex, folder / f'up_{uuid.uuid4().hex[:8]}.log'
        self.client = PolicyClient(domain)
        self.client.listen(names.TICK, names.STATUS, names.REPORT)
        with self._output.open('wb') as output:
            self.process = subprocess.Popen(
                [*VLM_BENCH, command, *words],
                env=ros_environment(domain) | {MARK: self._mark},
                cwd=folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self):
        return self._output.read_text(errors='replace')

    def family(self):
        """Every process with the mark."""
        found = {}
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == self._mark and process.status() != psutil.STATUS_ZOMBIE:
                    found[process.pid] = ' '.join(process.cmdline())
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def node(self, name):
        """The process id of a node."""
        return next(pid for pid, words in self.family().items() if f'__node:={name}' in words)

    def wait(self, done, what, seconds=60.0):
        def alive():
            assert self.process.poll() is None, self.output
            return done()

        try:
            self.client.wait(alive, what, seconds)
        except AssertionError as error:
            raise AssertionError(f'{error}\n{self.output}') from None

    def hold(self, ticks):
        """Begin an episode, as a participant that lets so many ticks pass, and no more."""
        self.wait(lambda: self.client.heard(names.STATUS), 'the task node')
        assert self.client.ask(names.JOIN, {'participant': BRAKE, 'role': POLICY}, again=True, seconds=60.0).result.result == OK
        # Answers are lost while the two sides of a service have not discovered each other: ask something harmless until one comes.
        self.client.ask(names.START_EPISODE, {'task': '?'}, again=True, seconds=60.0)
        token = self.client.ask(names.START_EPISODE, {}, seconds=60.0).token
        for seq in range(ticks):
            self.wait(lambda seq=seq: any((tick.token, tick.seq) == (token, seq) for tick in self.client.heard(names.TICK)), f'tick {seq}')
            self.client.say(names.ACK, {'participant': BRAKE, 'token': token, 'seq': seq})

    def send(self, number):
        """Send a signal; return the exit code and how long the end took, s."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(ENDS_WITHIN_S)
        return code, time.monotonic() - began

    def close(self):
        self.client.close()
        for pid in self.family():
            os.kill(pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def up(domains, tmp_path):
    made = []

    def start(*words, command='up'):
        made.append(Up(domains(), tmp_path, *words, command=command))
        return made[-1]

    yield start
    for one in made:
        one.close()


def assert_gone(one, seconds):
    assert not one.family(), 'nobody is left behind'
    assert 'Traceback' not in one.output, one.output
    assert 'was killed' not in one.output, one.output
    assert seconds < ENDS_WITHIN_S, one.output


def bags(folder):
    return sorted(path for path in folder.iterdir() if not path.name.startswith('.'))


def test_a_folder_that_cannot_be_written_is_said_before_any_node_starts(up, tmp_path):
    (tmp_path / 'file').write_text('')
    one = up('--record', str(tmp_path / 'file' / 'bags'))
    assert one.process.wait(30) == 2
    assert 'error: Bags cannot be recorded in' in one.output and 'Name another folder' in one.output
    assert 'starting' not in one.output and 'Traceback' not in one.output


@pytest.mark.parametrize(
    ('words', 'says'),
    [
        (('--task', 'vlmbench/pick_plaice'), 'Did you mean vlmbench/pick_place'),
        (('--set', 'policy_timeout:=5'), 'must exceed participant_timeout'),
    ],
)
def test_a_wrong_setting_is_said_before_any_node_starts(up, words, says):
    one = up(*words)
    assert one.process.wait(30) == 2
    assert says in one.output
    assert 'starting' not in one.output and 'Traceback' not in one.output


def test_a_second_bench_in_a_domain_refuses_names_the_first_and_a_domain_that_would_do(up, domains, tmp_path):
    first = up('--cameras', 'none')
    first.wait(lambda: first.client.heard(names.STATUS), 'the first')
    second = Up(first.domain, tmp_path, '--cameras', 'none', '--once')
    try:
        assert second.process.wait(30) == 2
        assert f'Another bench runs in ROS domain {first.domain}: process {first.process.pid} (' in second.output
        assert 'export ROS_DOMAIN_ID=' in second.output and 'starting' not in second.output
    finally:
        second.close()
    assert first.process.poll() is None


@pytest.mark.long
def test_a_bench_that_was_started_otherwise_is_found_by_its_topics(start_bench, domains, tmp_path):
    with start_bench(domain=domains()) as bench:
        bench.begin()
        one = Up(bench.domain, tmp_path, '--cameras', 'none', '--once')
        try:
            assert one.process.wait(2 * ENDS_WITHIN_S) == 1
            assert 'Another bench runs in this ROS domain (' in one.output and '; the bench stops.' in one.output
        finally:
            one.close()


@pytest.mark.parametrize(('number', 'said'), [(signal.SIGINT, 'starting sim_node'), (signal.SIGTERM, 'starting oracle_node')])
def test_an_interrupt_while_nodes_are_starting_ends_all(up, number, said):
    one = up('--policy', 'oracle', '--cameras', 'none')
    one.wait(lambda: said in one.output, 'a node is started')
    code, seconds = one.send(number)
    assert code == 0
    assert_gone(one, seconds)


def test_an_interrupt_in_the_middle_of_an_episode_closes_the_bag(up, tmp_path):
    one = up('--policy', 'oracle', '--cameras', 'vlmbench:front', '--record', str(tmp_path / 'bags'), '--set', 'autostart:=false')
    one.hold(ticks=30)
    code, seconds = one.send(signal.SIGINT)
    assert code == 0
    assert_gone(one, seconds)
    (path,) = bags(tmp_path / 'bags')
    assert (path / 'metadata.yaml').is_file()
    bag = open_bag(path)
    assert bag.custom['verdict'] == 'unobservable'
    seqs = [snapshot.seq for snapshot in snapshots(bag)]
    assert seqs == list(range(len(seqs))) and len(seqs) > 25
    assert not list((tmp_path / 'bags').glob('.*.part'))


@pytest.mark.parametrize(
    ('command', 'words', 'said'),
    [
        ('up', ('--policy', 'oracle', '--cameras', 'none', '--scored', '--record', 'bags'), ''),
        pytest.param('up', ('--cameras', 'none'), 'starting sim_node', marks=pytest.mark.long),
        pytest.param('demo', (), 'starting task_node', marks=pytest.mark.long),
        pytest.param('real', ('--observer', 'none'), 'starting observer_node', marks=pytest.mark.long),
        pytest.param('evaluate', ('--policy', 'ros', '--seeds', '0:1', '--out', 'r.json'), 'starting sim_node', marks=pytest.mark.long),
    ],
)
def test_whoever_started_the_nodes_and_is_killed_leaves_none_of_them(up, command, words, said):
    one = up(*words, command=command)
    one.wait(lambda: said in one.output, 'nodes are started, not all of which have asked who their parent is')
    if not said:
        one.wait(lambda: any(status.state == RUNNING for status in one.client.heard(names.STATUS)), 'the episode begins')
    one.process.kill()
    one.process.wait()
    one.client.wait(lambda: not one.family(), 'everything ends', ENDS_WITHIN_S)  # 0.5 to 4 s on a machine that has time


@pytest.mark.parametrize('name', [pytest.param('sim_node', marks=pytest.mark.slow), pytest.param('recorder_node', marks=pytest.mark.long)])
def test_a_node_that_is_killed_ends_the_bench_with_a_word_and_an_error(up, tmp_path, name):
    one = up('--cameras', 'none', '--record', str(tmp_path / 'bags'))
    one.wait(lambda: any(status.state == RUNNING for status in one.client.heard(names.STATUS)), 'the episode begins')
    one.wait(lambda: list((tmp_path / 'bags').glob('.*.part')), 'its bag begins')
    one.client.rest(4.0)  # nothing says when `vlm-bench up` itself has heard of it
    began = time.monotonic()
    os.kill(one.node(name), signal.SIGKILL)
    one.client.wait(lambda: one.client.heard(names.REPORT), 'a report')
    assert one.process.wait(ENDS_WITHIN_S) == 1
    assert_gone(one, time.monotonic() - began)
    assert f'{name} has ended with exit code -9; the bench stops.' in one.output
    report = one.client.heard(names.REPORT)[-1]
    assert (report.verdict, list(report.causes)) == (UNOBSERVABLE, [f'{name} has ended with exit code -9'])
    if name == 'recorder_node':
        (part,) = (tmp_path / 'bags').glob('.*.part')
        assert f'vlm-bench recover {part}' in one.output
    else:
        (path,) = bags(tmp_path / 'bags')
        assert open_bag(path).custom['verdict'] == 'unobservable'
        assert judge(path).agrees, 'the fault counts at the period at which it was heard'


@pytest.mark.slow  # a participant is missed after 10 s, and a judge that does nothing about it after another 10
def test_a_judge_that_hangs_ends_the_bench_with_a_word_and_an_error(up):
    one = up('--cameras', 'none', '--once')
    one.wait(lambda: any(status.state == RUNNING for status in one.client.heard(names.STATUS)), 'the episode begins')
    monitor = one.node('monitor_node')
    os.kill(monitor, signal.SIGSTOP)
    try:
        one.wait(lambda: 'the bench stops' in one.output, 'a word')
    finally:
        os.kill(monitor, signal.SIGCONT)
    assert one.process.wait(ENDS_WITHIN_S) == 1
    assert 'monitor_node silent for 10 s, and the episode has not ended for 10 s; the bench stops.' in one.output


@pytest.mark.slow  # two minutes may pass before an episode begins
@pytest.mark.timeout(240)
def test_a_bench_in_which_no_episode_begins_ends_with_a_word_and_an_error(up):
    one = up('--cameras', 'none', '--once')
    one.wait(lambda: 'starting task_node' in one.output, 'the task node is started')
    os.kill(one.node('task_node'), signal.SIGSTOP)
    one.wait(lambda: 'No episode has begun for 120 s; the bench stops.' in one.output, 'a word', 180.0)
    assert one.process.wait(ENDS_WITHIN_S) == 1


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(12))
def test_an_interrupt_at_any_moment_ends_all(up, tmp_path, seed):
    chance = random.Random(seed)
    one = up('--policy', 'oracle', '--cameras', 'vlmbench:front', '--record', str(tmp_path / 'bags'), *chance.choice([(), ('--scored',)]))
    one.wait(lambda: 'starting sim_node' in one.output, 'the first node is started')
    one.client.rest(chance.uniform(0.0, 12.0))
    if one.process.poll() is None:
        _, seconds = one.send(chance.choice([signal.SIGINT, signal.SIGTERM]))
        assert_gone(one, seconds)
    for path in bags(tmp_path / 'bags'):
        open_bag(path)
    assert not list((tmp_path / 'bags').glob('.*.part'))


SLOW = """import time
from vlm_bench_tasks.nodes import task_node
build = task_node.TaskNode._build
task_node.TaskNode._build = lambda *given, **named: (time.sleep(3.0), build(*given, **named))[1]
task_node.main()
"""


def test_a_bench_that_begins_by_itself_is_never_idle_before(domains, tmp_path):
    """However long it takes to build the episode, as on a cold disk: an idle bench looks like one that could not begin."""
    domain, log = domains(), tmp_path / 'log'
    client = PolicyClient(domain)
    client.listen(names.STATUS)
    with log.open('wb') as output:
        node = subprocess.Popen([sys.executable, '-c', SLOW], env=ros_environment(domain), stdout=output, stderr=subprocess.STDOUT)
    try:
        client.wait(lambda: client.heard(names.STATUS), 'a status', 60.0)
        assert {status.state for status in client.heard(names.STATUS)} == {LOADING}, log.read_text()
    finally:
        node.terminate()
        node.wait(10)
        client.close()
