"""The observer over DDS: a driver's joint states and a tracker's poses become world states."""

import time
from itertools import dropwhile
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from running_bench import PANDA
from running_driver import RunningDriver

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.observer_node import _when
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.graph import NodeSpec

pytestmark = pytest.mark.ros
FAULT = 3
OBSERVER = NodeSpec(
    'observer_node', 'vlm_bench_sim.nodes.observer_node', {'robot': 'panda', 'participants': ['test_policy'], 'patience': 3.0}
)


@pytest.fixture(scope='module')
def bench(module_domain, tmp_path_factory):
    with RunningDriver(module_domain, tmp_path_factory.mktemp('observer'), others=(OBSERVER,)) as running:
        running.client.listen(names.WORLD_STATE, names.EVENTS)
        yield running
    running.stop()


def say_laid(bench, token):
    bench.client.say(names.SCENE, {'token': token, 'scene': codec.dumps(Scene(())), 'robot': 'panda'})


def lay(bench, token):
    say_laid(bench, token)
    bench.wait(lambda: states(bench, token), 'the first world state')


def states(bench, token):
    return [state for state in bench.client.heard(names.WORLD_STATE) if state.token == token]


def silent(bench, token):
    """Whether no world state comes for half a second."""
    told = len(states(bench, token))
    bench.client.rest(0.5)
    return len(states(bench, token)) == told


def track(bench, x, name='star', frame='world'):
    pose = fields.transform(frame, name, Pose((x, 0.2, 0.02)), time.time_ns())
    bench.client.say(names.TRACKED, fields.tf_message([pose]))


def test_periods_are_counted_from_the_laying_of_the_table_until_the_report(bench):
    bench.client.rest(0.3)
    assert not bench.client.heard(names.WORLD_STATE), 'before that nobody observes'
    say_laid(bench, 'first')
    assert silent(bench, 'first'), 'who is to hear every period has not joined'
    bench.wait(lambda: 'has waited 3 s for test_policy to join' in bench.log('observer_node'), 'it says whom it waits for')
    bench.client.join()
    bench.wait(lambda: states(bench, 'first'), 'the first world state')
    bench.wait(lambda: len(states(bench, 'first')) >= 30, 'a second and a half')
    film = [fields.read_snapshot(state) for state in states(bench, 'first')]
    assert [(now.seq, now.step) for now in film] == [(i, 12 * i) for i in range(len(film))]
    assert not film[0].contacts
    assert film[0].tool.position == pytest.approx(Kinematics(PANDA).tool_pose(PANDA.home).position, abs=1e-6)
    assert film[0].opening == pytest.approx(PANDA.gripper.max_opening)
    assert states(bench, 'first')[0].state_hash == state_hash(film[0])
    bench.client.say(names.REPORT, {'token': 'first', 'verdict': 1})
    bench.wait(lambda: silent(bench, 'first'), 'an end')


def test_what_a_tracker_sees_is_there_with_its_velocity_and_what_it_loses_is_not(bench):
    lay(bench, 'second')
    began = time.monotonic()
    track(bench, 0.4)  # the first says finds its subscriber

    def moving():
        seen = (body for state in states(bench, 'second') for body in state.bodies)
        return list(dropwhile(lambda body: not body.twist.linear.x, seen))  # of its first pose alone no velocity follows

    def followed():
        track(bench, 0.4 + 0.1 * (time.monotonic() - began))
        bench.client.rest(0.04)
        return len(moving()) >= 20

    bench.wait(followed, 'twenty periods in which it moves')
    assert {body.name for state in states(bench, 'second') for body in state.bodies} == {'star'}
    speeds = sorted(body.twist.linear.x for body in moving())
    assert speeds[len(speeds) // 2] == pytest.approx(0.1, abs=0.02), 'in the middle: a busy machine lets poses come late'
    bench.wait(lambda: not fields.read_snapshot(states(bench, 'second')[-1]).bodies, 'the lost prop to be missed')
    track(bench, 0.4, name='moon', frame='camera')
    bench.wait(lambda: "A pose in 'camera' was ignored" in bench.log('observer_node'), 'a line in the log')
    assert 'moon' not in fields.read_snapshot(states(bench, 'second')[-1]).bodies


def test_a_driver_that_falls_silent_is_a_fault_with_its_cause(bench):
    lay(bench, 'third')
    bench.kill('fake_driver_node')
    bench.wait(lambda: bench.client.heard(names.EVENTS), 'an event')
    event = bench.client.heard(names.EVENTS)[-1]
    assert (event.token, event.kind, event.text) == ('third', FAULT, 'the driver is silent: no joint states for 3 s')
    bench.wait(lambda: states(bench, 'third')[-1].seq >= event.seq, 'the world state of the event')
    assert silent(bench, 'third')
    assert states(bench, 'third')[-1].seq == event.seq, 'it tells nothing that it does not see'


def test_a_driver_that_is_first_heard_after_the_table_is_laid_is_waited_for_but_no_longer_than_a_silent_one(bench):
    """The driver was killed before; the client takes its place."""

    def faults(token):
        return [event.text for event in bench.client.heard(names.EVENTS) if event.token == token]

    say_laid(bench, 'fourth')
    assert silent(bench, 'fourth') and not faults('fourth')
    bench.wait(lambda: faults('fourth'), 'an end')
    assert faults('fourth') == ['the driver is silent: no joint states for 3 s']
    assert not states(bench, 'fourth')
    say_laid(bench, 'fifth')
    bench.client.say(names.JOINT_STATES, {'name': list(PANDA.joints), 'position': list(PANDA.home)})
    assert silent(bench, 'fifth'), 'the fingers are not told: what they hold is not known'
    bench.client.say(names.JOINT_STATES, {'name': list(PANDA.gripper.joints), 'position': [0.04, 0.04]})
    bench.wait(lambda: states(bench, 'fifth'), 'the first world state')


def test_a_stamp_ahead_of_the_clock_is_that_of_now_or_nothing_would_be_newer():
    def when(ns):
        return _when(SimpleNamespace(stamp=SimpleNamespace(sec=ns // 10**9, nanosec=ns % 10**9)))

    before = time.time_ns()
    assert when(before) == before
    assert before <= when(0) <= time.time_ns()
    assert before <= when(before + 3600 * 10**9) <= time.time_ns()
