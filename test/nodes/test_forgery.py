"""Nobody but the nodes of a bench speaks in its name: what a policy forges, in the domain of policies or in both, changes no verdict."""

import subprocess
from functools import partial
from itertools import product

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from forger import FORGED, Forger, success
from running_bench import PANDA, VLM_BENCH, ros_environment
from test_up import Up, assert_gone

from vlm_bench_sim.bags.reader import episode_truth, open_bag, snapshots
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.demonstration import Order, demonstrate
from vlm_bench_tasks.dataset.generation import generation
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.evaluation.report import EvaluationReport

pytestmark = [pytest.mark.ros, pytest.mark.timeout(400)]
TASK, AXIS, SEED = 'vlmbench/pick_place', 'color', 3
OK, REFUSED = 1, 3  # of Result
POLICY, BENCH, LEAVE = 0, 1, 2  # of JoinRequest
RUNNING = 2  # of Status
STOP, FAULT, ASSISTANCE = 1, 3, 5  # of Event
STILL_RAD = 1e-3
BOTH = pytest.param(True, id='in both domains', marks=pytest.mark.long)
DOMAINS = pytest.mark.parametrize('both', [pytest.param(False, id='in the domain of policies'), BOTH])


def bags(folder):
    return sorted(path for path in folder.iterdir() if not path.name.startswith('.')) if folder.is_dir() else []


class Scored:
    """A scored bench with a recorder, as `vlm-bench up` starts it, and a policy in both domains that forges."""

    def __init__(self, domain, folder):
        self.folder = folder / 'bags'
        self.up = Up(domain, folder, '--scored', '--cameras', 'none', '--record', str(self.folder), '--set', 'autostart:=false')
        self.forger = Forger(domain, scored=True)
        self.forger.listen(names.EPISODE, names.STATUS, names.TICK, names.REPORT)
        self.up.wait(lambda: self.up.client.heard(names.STATUS), 'the task node')
        self.up.client.ask(names.START_EPISODE, {'task': '?'}, again=True, seconds=60.0)

    def begin(self, **asked):
        """Begin an episode, as a policy may."""
        answer = self.up.client.ask(names.START_EPISODE, {'task': TASK, 'axis': AXIS, 'seed': SEED} | asked, seconds=60.0)
        assert answer.result.result == OK, answer.result.error_message
        self.forger.wait(lambda: any(told.token == answer.token for told in self.forger.heard(names.EPISODE)), 'the policy hears of it')
        self.forger.wait(lambda: any(tick.token == answer.token for tick in self.forger.heard(names.TICK)), 'its first tick')
        return answer.token

    def runs(self, token):
        """Tell whether the episode can still be stopped, as only one that runs can."""
        answer = self.up.client.ask(names.STOP_EPISODE, {})
        return answer.result.result == OK

    def bag(self, token):
        """Wait for the bag of the episode."""
        found = []

        def look():
            found[:] = [bag for bag in map(open_bag, bags(self.folder)) if bag.custom['token'] == token]
            return found

        self.up.wait(look, f'the bag of {token}')
        return found[0]

    def failed(self, token):
        """End the episode, and fail unless it is a failure, live and by its bag, of a world in which nothing moved."""
        assert self.runs(token), 'it has ended'
        bag = self.bag(token)
        assert (bag.custom['verdict'], bag.custom['cause'], bag.custom['signed']) == ('failure', 'stopped', 'yes')
        again = judge(bag.path)
        assert again.agrees, again
        assert episode_truth(bag).seed == SEED
        states = list(snapshots(bag))
        assert [state.seq for state in states] == list(range(len(states)))
        moved = max(abs(state.joints[name].position - states[0].joints[name].position) for state in states for name in PANDA.joints)
        assert moved < STILL_RAD
        assert 'Traceback' not in self.up.output
        return bag

    def close(self):
        self.forger.close()
        self.up.close()


@pytest.fixture(scope='module')
def bench(module_domains, tmp_path_factory):
    one = Scored(module_domains(), tmp_path_factory.mktemp('forged'))
    yield one
    one.close()


@pytest.fixture(scope='module')
def solved(tmp_path_factory):
    """A bag in which the expert solves the episode that the forger shall not solve."""
    folder = tmp_path_factory.mktemp('solved')
    asked = generation([TASK], str(SEED), axis=AXIS, cameras='none')
    return open_bag(folder / demonstrate(Order(asked.trials()[0], asked, folder)).row.bag)


def test_a_forged_report_is_nobodys_verdict(bench):
    token = bench.begin()
    bench.forger.aim(names.REPORT)
    bench.forger.forge(names.REPORT, **success(token))
    bench.failed(token)
    assert f'A message on {names.REPORT.name} lacks the signature of this bench' in bench.up.output


@pytest.mark.long
@pytest.mark.parametrize('row', [names.EPISODE, names.INSTRUCTION, names.STATUS], ids=lambda row: row.name)
def test_what_is_said_of_an_episode_is_heard_from_the_task_node_alone(bench, row):
    token = bench.begin()
    bench.forger.aim(row)
    own = {'state': 3} if row is names.STATUS else {'text': FORGED} if row is names.INSTRUCTION else {'task': FORGED, 'robot': FORGED}
    bench.forger.forge(row, token=token, **own)
    bag = bench.failed(token)
    assert FORGED not in bag.custom.values()
    assert all(getattr(told, 'text', '') != FORGED for _, _, told in bag.messages(row.name))


@pytest.mark.long
def test_a_forged_tick_or_an_old_one_said_again_is_no_tick(bench):
    token = bench.begin()
    bench.forger.aim(names.TICK)
    bench.forger.forge(names.TICK, token=token, seq=1000, step=12_000)
    bench.forger.replay(names.TICK)
    bag = bench.failed(token)
    ticks = [tick.seq for _, _, tick in bag.messages(names.TICK.name)]
    assert ticks == list(range(len(ticks)))


@pytest.mark.long
def test_nobody_acknowledges_for_a_node_of_the_bench(bench):
    token = bench.begin()
    bench.forger.aim(names.ACK)
    for name in ('monitor_node', 'recorder_node', 'arm_node'):
        bench.forger.forge(names.ACK, participant=name, token=token, seq=0, periods_wanted=10)
    bench.failed(token)


@pytest.mark.long
def test_nobody_joins_or_leaves_as_a_node_of_the_bench(bench):
    token = bench.begin()
    for name, role in product(('monitor_node', 'recorder_node', 'arm_node'), (POLICY, BENCH, LEAVE)):
        answer = bench.forger.ask(names.JOIN, {'participant': name, 'role': role}, again=True)
        assert answer.result.result == REFUSED and 'is a node of the bench' in answer.result.error_message
    bench.failed(token)


@pytest.mark.long
def test_who_joins_as_a_part_of_the_bench_is_a_policy(bench):
    token = bench.begin()
    assert bench.forger.ask(names.JOIN, {'participant': 'a_policy', 'role': BENCH}, again=True).result.result == OK
    assert bench.forger.ask(names.JOIN, {'participant': 'a_policy', 'role': LEAVE}, again=True).result.result == OK
    bench.failed(token)


@pytest.mark.long
def test_a_clock_joints_frames_and_a_log_of_a_policy_decide_nothing(bench):
    token = bench.begin()
    bench.forger.aim(names.JOINT_STATES, names.TF, names.CLOCK)
    late = {'sec': 2_000_000_000, 'nanosec': 0}
    bench.forger.forge(names.CLOCK, clock=late)
    bench.forger.forge(names.JOINT_STATES, header={'stamp': late}, name=['panda_joint1'], position=[1.0])
    bench.forger.forge(names.TF, transforms=[{'header': {'stamp': late, 'frame_id': 'world'}, 'child_frame_id': 'panda_hand'}])
    bag = bench.failed(token)
    assert all(stamp < 1_999_999_999_000_000_000 for _, stamp, _ in bag.messages(names.WORLD_STATE.name, names.REPORT.name))


@pytest.mark.long
def test_scenes_and_looks_are_changed_for_the_bench_alone_and_props_are_moved_for_nobody(bench):
    token = bench.begin()
    for row, asked in ((names.LOAD_SCENE, {'token': FORGED, 'scene': '{}'}), (names.SET_LOOK, {'name': 'object_0'})):
        answer = bench.forger.ask(row, asked, again=True)
        assert answer.result.result == REFUSED and 'Only nodes of this bench' in answer.result.error_message
    served = [name for name, _ in bench.forger.nodes[-1].get_service_names_and_types()]
    assert not {row.name for row in names.SIMULATION} & set(served), 'nobody moves a prop in a scored bench'
    bench.failed(token)


def test_states_of_an_episode_that_was_solved_elsewhere_solve_nothing(bench, solved):
    token = bench.begin()
    rows = names.WORLD_STATE, names.COMMANDED, names.APPLIED
    bench.forger.aim(*rows)
    told = 0
    for row in rows:
        for raw in solved.raw(row.name):
            bench.forger.retell(row, raw.data, token)
            told += 1
    assert told > 100
    bench.failed(token)


@pytest.mark.long
@pytest.mark.parametrize('kind', [FAULT, STOP, ASSISTANCE])
def test_an_event_that_the_bench_has_not_told_has_not_happened(bench, kind):
    token = bench.begin()
    bench.forger.aim(names.EVENTS)
    bench.forger.forge(names.EVENTS, token=token, seq=0, kind=kind, source='sim_node', text=FORGED)
    bag = bench.failed(token)
    assert FORGED not in ' '.join(bag.custom.values())


@pytest.mark.long
@pytest.mark.parametrize('row', [names.EPISODE_TRUTH, names.SCENE, names.RUNNING_REPORT], ids=lambda row: row.name)
def test_another_truth_is_none(bench, row):
    token = bench.begin()
    bench.forger.aim(row)
    own = {
        names.EPISODE_TRUTH: {'token': token, 'task': FORGED, 'episode': FORGED, 'judged_by': 'nobody'},
        names.SCENE: {'token': token, 'scene': FORGED, 'renderer': FORGED},
        names.RUNNING_REPORT: success(token),
    }
    bench.forger.forge(row, **own[row])
    bag = bench.failed(token)
    assert FORGED not in bag.custom.values()


@pytest.mark.long
@DOMAINS
def test_up_once_believes_no_forged_report(domains, tmp_path, both):
    domain = domains()
    one = Up(domain, tmp_path, '--once', '--scored', '--cameras', 'none', '--record', str(tmp_path / 'bags'))
    forger = Forger(domain, scored=both)
    try:
        forger.listen(names.EPISODE)
        one.wait(lambda: forger.spin() or forger.heard(names.EPISODE), 'the episode')
        token = forger.heard(names.EPISODE)[-1].token
        forger.aim(names.REPORT)
        forger.forge(names.REPORT, **success(token))
        forger.ask(names.STOP_EPISODE, {}, again=True)
        assert one.process.wait(60) == 1, one.output
        assert_gone(one, 0.0)
        (path,) = bags(tmp_path / 'bags')
        assert open_bag(path).custom['verdict'] != 'success'
    finally:
        forger.close()
        one.close()


@pytest.mark.long
@DOMAINS
def test_evaluate_counts_no_forged_report(domains, tmp_path, both):
    domain, report = domains(), tmp_path / 'report.json'
    words = ['--policy', 'ros', '--tasks', TASK, '--axis', AXIS, '--seeds', '0:2', '--answer-timeout', '10', '--out', str(report)]
    process = subprocess.Popen([*VLM_BENCH, 'evaluate', *words], env=ros_environment(domain))
    forger = Forger(domain, scored=both)
    try:
        forger.listen(names.EPISODE)
        forger.aim(names.REPORT)
        told = set()

        def lie():
            for episode in forger.heard(names.EPISODE):
                if episode.token not in told:
                    told.add(episode.token)
                    forger.forge(names.REPORT, **success(episode.token))
            return process.poll() is not None

        forger.wait(partial(lie), 'the evaluation', 240.0)
        assert process.returncode == 0 and len(told) == 2
    finally:
        forger.close()
        process.kill()
        process.wait()
    assert EvaluationReport.load(report).overall.causes == {'policy_timeout': 2}
