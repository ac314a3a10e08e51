"""What is killed in the middle of an episode: a policy has failed, a part of the bench is no failure, and the next episode runs."""

import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import PolicyClient
from running_bench import CHUNK, FOLLOW, GRIPPER, PANDA, VLM_BENCH, ros_environment

from vlm_bench_sim.bags.reader import open_bag, report, snapshots
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue

pytestmark = pytest.mark.ros
FAILURE, UNOBSERVABLE, ABORTED = 2, 3, 6  # of Report, Report, GoalStatus
FAULT = 3  # of Event
CHUNK_PERIODS = 40  # a chunk of a bag spans two seconds at most
HOLD = {'joint_names': list(PANDA.joints), 'points': [{'positions': list(PANDA.home), 'time_from_start': {'sec': 60}}]}
POLICY = """
import rclpy
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import names

rclpy.init()
node = BenchNode('doomed_policy', {})
participant = Participant(node, 'doomed_policy', bench=False)
node.subscribe(names.TICK, lambda tick: participant.ack(tick.token, tick.seq, wants=1))
while True:
    node.spin_once(0.1)
    participant.keep_joined()
    if participant.joined:
        print('joined', flush=True)
"""


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('bags')


@pytest.fixture(scope='module')
def recorded(start_bench, module_domain, folder):
    """A bench with a recorder, in which faults are noticed soon."""
    with start_bench(domain=module_domain, record=str(folder), participant_timeout=5.0, policy_timeout=6.0) as bench:
        yield bench


def finished(folder):
    return {path for path in folder.iterdir() if not path.name.startswith('.')}


def test_a_goal_before_the_first_episode_is_rejected_and_counted_in_its_report(recorded):
    bench = recorded
    bench.wait(lambda: bench.client.nodes[0].count_publishers(names.REPORT.name), 'the monitor')
    assert not bench.client.send(GRIPPER, {'command': {'position': 0.0}}).accepted
    assert 'no episode is running' in bench.log('sim_node')
    bench.begin()
    assert bench.now.opening > 0.07, 'nothing has moved'
    assert bench.stop_episode().violations == 1


def test_a_policy_that_is_killed_has_failed_and_the_next_episode_runs(recorded, folder):
    bench = recorded
    bench.wait(lambda: not list(folder.glob('.*.part')), 'the bags of the tests before')
    before = finished(folder)
    policy = subprocess.Popen([sys.executable, '-c', POLICY], env=ros_environment(bench.domain), stdout=subprocess.PIPE, text=True)
    try:
        assert policy.stdout.readline() == 'joined\n'
        bench.begin()
        bench.wait(lambda: len(bench.ticks) > 10, 'the policy lets time pass')
    finally:
        policy.kill()
        policy.communicate()
    said = bench.report()
    assert said.verdict == FAILURE
    assert list(said.causes) == ['policy_timeout', 'the policy was silent for 6 s']
    bench.check()
    bench.begin()
    bench.pass_time()
    assert len(bench.ticks) > 10, 'nobody waits for the dead'
    assert list(bench.stop_episode().causes) == ['stopped']
    bench.wait(lambda: len(finished(folder) - before) == 2, 'both bags')
    assert {open_bag(path).custom['cause'] for path in finished(folder) - before} == {'; '.join(said.causes), 'stopped'}


def test_a_policy_that_says_again_and_again_that_it_is_done_and_lets_no_time_pass_has_failed(recorded):
    bench = recorded
    bench.begin()
    idle = PolicyClient(bench.domain, name='idle_policy', beside=bench.client)
    try:
        idle.join()
        assert idle.send(GRIPPER, {'command': {'position': 0.02}}).accepted  # and it acknowledges nothing, so that the world waits for it
        bench.client.insist(lambda: bench.client.ask(names.STOP_EPISODE, {}), lambda: not bench.runs, 'a report')
    finally:
        idle.close()
    said = bench.report()
    assert (said.verdict, said.causes[0]) == (FAILURE, 'policy_timeout')


def test_a_policy_that_moved_and_was_never_heard_of_again_has_failed(recorded):
    recorded.begin()
    recorded.pass_time()
    said = recorded.report()
    assert (said.verdict, said.causes[0]) == (FAILURE, 'policy_timeout')
    assert said.seq == recorded.ticks[-1].seq


def test_an_episode_of_which_the_judge_sees_nothing_is_unobservable(recorded):
    """Neither its first world state nor an event can come to count then."""
    other = PolicyClient(recorded.domain, name='another_task_node', beside=recorded.client)  # what it said is latched, and goes with it
    try:
        other.say(names.EPISODE_TRUTH, {'token': 'unseen', 'episode': dumps(catalogue.build('vlmbench/pick_place', 'seen', 0))})
        said = recorded.report('unseen')
    finally:
        other.close()
    assert (said.verdict, list(said.causes)) == (UNOBSERVABLE, ['no world state of the episode arrived within 6 s'])


def test_a_fault_that_is_told_before_the_description_of_its_episode_counts(recorded):
    other = PolicyClient(recorded.domain, name='another_task_node', beside=recorded.client)
    try:
        other.say(names.EVENTS, {'token': 'early', 'seq': 0, 'kind': FAULT, 'source': 'somebody', 'text': 'it was on fire'})
        other.say(names.EPISODE_TRUTH, {'token': 'early', 'episode': dumps(catalogue.build('vlmbench/pick_place', 'seen', 0))})
        state = {field: getattr(recorded.states[0], field) for field in recorded.states[0].get_fields_and_field_types()}
        other.say(names.WORLD_STATE, state | {'token': 'early'})
        said = recorded.report('early')
    finally:
        other.close()
    assert (said.verdict, list(said.causes), said.seq) == (UNOBSERVABLE, ['it was on fire'], 0)


def test_a_recorder_that_is_killed_makes_the_episode_unobservable_and_leaves_a_bag_that_can_be_recovered(recorded, folder):
    bench = recorded
    bench.wait(lambda: not list(folder.glob('.*.part')), 'the bags of the tests before')
    before = finished(folder)
    bench.begin()
    bench.client.insist(lambda: bench.client.say(CHUNK, HOLD), lambda: len(bench.ticks) > 100, 'five seconds of the episode')
    bench.kill('recorder_node')
    said = bench.report()
    assert said.verdict == UNOBSERVABLE
    assert list(said.causes) == ['recorder_node silent for 5 s']
    assert finished(folder) == before, 'half a bag is no bag'
    (part,) = folder.glob('.*.part')
    rescued = subprocess.run([*VLM_BENCH, 'recover', str(part)], check=False, capture_output=True, text=True, timeout=60)
    assert rescued.returncode == 0, rescued.stderr
    (path,) = finished(folder) - before
    bag = open_bag(path)
    assert bag.custom['verdict'] == 'unobservable'
    seqs = [snapshot.seq for snapshot in snapshots(bag)]
    assert seqs == list(range(len(seqs)))
    assert len(seqs) > 100 - CHUNK_PERIODS
    bench.start('recorder_node')
    bench.begin()
    bench.stop_episode()
    bench.wait(lambda: len(finished(folder)) == len(before) + 2, 'a recorder that was started again records')
    (path,) = finished(folder) - before - {path}
    assert report(open_bag(path)).token == bench.token


@pytest.mark.slow  # it takes DDS some twenty seconds to give a process up
def test_a_simulator_that_is_gone_is_no_failure_of_the_policy(start_bench, domains):
    with start_bench(domain=domains(), policy_timeout=30.0, participant_timeout=10.0) as bench:
        bench.begin()
        bench.kill('sim_node')
        said = bench.report(seconds=60)
    assert (said.verdict, list(said.causes)) == (UNOBSERVABLE, ['the simulator is gone'])


def test_a_simulator_that_is_asked_to_end_answers_the_goal_that_runs(start_bench, domains):
    with start_bench(domain=domains()) as bench:
        bench.begin()
        goal = bench.client.send(FOLLOW, {'trajectory': HOLD})
        assert goal.accepted
        bench.processes['sim_node'].terminate()
        answer = goal.result()
        assert (answer.status, answer.result.error_string) == (ABORTED, 'The simulator shuts down.')
        assert bench.processes['sim_node'].wait(30) == 0
        assert 'Failed' not in bench.log('sim_node')
