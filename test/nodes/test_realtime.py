"""Realtime over DDS: the simulator keeps the wall clock and waits for nobody; a gap in what the judge saw is told as such."""

import os
import signal
import time
from itertools import pairwise

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('simulation_interfaces')

from policy_client import PolicyClient
from running_bench import CHUNK, FOLLOW, PANDA

from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.dataset.judge import judge

pytestmark = pytest.mark.ros
SUCCEEDED, ABORTED = 4, 6
SUCCESS, UNOBSERVABLE = 1, 3
PLAYING, PAUSED = 1, 2  # of simulation_interfaces
AWAY = tuple(q + d for q, d in zip(PANDA.home, (0.3, 0, 0, 0, 0, 0, 0.2), strict=True))
REST = [0.0] * 7
LATE = {'arm_node': 'A command is', 'sim_node': 'would be over by now'}  # what each says of a message that comes too late


@pytest.fixture(scope='module')
def real(start_bench, module_domain):
    """A bench that keeps the wall clock."""
    with start_bench(domain=module_domain, mode='realtime') as bench:
        bench.client.listen(names.LAG, names.COMMANDED)
        yield bench


@pytest.fixture
def bench(real):
    """It in a fresh episode."""
    real.check()
    real.forget()
    real.begin()
    return real


@pytest.fixture
def hasty(real):
    """A policy that hears so little that it is never late; it is there before an episode begins, of which nobody hears meanwhile."""
    client = PolicyClient(real.domain, name='hasty_policy')
    client.listen(names.JOINT_STATES)
    said = len(real.log('arm_node'))
    client.say(names.DELTA_TWIST, {})  # the first one waits until somebody listens
    real.wait(lambda: 'command' in real.log('arm_node')[said:], 'the arm node to drop it')  # else it would halt the arm later on
    yield client
    client.close()


def point(seconds, positions, velocities=()):
    return {'time_from_start': fields.stamp(round(seconds * 1e9)), 'positions': list(positions), 'velocities': list(velocities)}


def goal(*points):
    return {'trajectory': {'joint_names': list(PANDA.joints), 'points': list(points)}}


def clocks(bench):
    return [fields.read_stamp(clock.clock) for clock in bench.client.heard(names.CLOCK)]


def stopwatch(bench):
    """Return what tells how much has passed since now on the wall clock and on the simulated clock as last heard of, s."""
    began, at = time.monotonic(), clocks(bench)[-1]
    return lambda: (time.monotonic() - began, (clocks(bench)[-1] - at) * 1e-9)


def lags(bench):
    return [lag.data for lag in bench.client.heard(names.LAG)]


@pytest.mark.long
def test_the_expert_solves_an_episode_in_realtime_too(start_bench, domains, tmp_path):
    """It thinks while time passes, on a world that has stood still meanwhile. It comes first: no other bench keeps the wall clock yet."""
    with start_bench(domain=domains(), policy='oracle', mode='realtime', record=str(tmp_path)) as bench:
        bench.begin(seed=2)
        report = bench.report(seconds=120)
        assert report.verdict == SUCCESS, report.causes
        bench.wait(lambda: [path for path in tmp_path.iterdir() if not path.name.startswith('.')], 'the bag')
    (path,) = tmp_path.iterdir()
    assert judge(path).agrees


def test_simulated_time_keeps_the_wall_clock_though_nobody_needs_it_and_what_is_missing_is_told(bench):
    bench.wait(lambda: lags(bench) and clocks(bench), 'the clock and the lag are told')
    passed, behind = stopwatch(bench), lags(bench)[-1]

    def kept():
        """Return whether more than 5 s have passed alike; after 20 s measure anew: a busy machine may have told the beginning late."""
        nonlocal passed, behind
        wall, simulated = passed()
        missing = lags(bench)[-1] - behind  # nothing, where the machine has room
        alike = wall > 5.0 and simulated == pytest.approx(wall - missing, rel=0.02)
        if wall > 20.0 and not alike:
            passed, behind = stopwatch(bench), lags(bench)[-1]
        return alike

    bench.wait(kept, 'the simulated clock to keep the wall clock', 100.0)
    _, simulated = passed()
    bench.wait(lambda: len(bench.ticks) >= simulated / PERIOD_S, 'a tick for every period of it')
    ticks = [tick.seq for tick in bench.ticks]
    assert ticks == list(range(len(ticks))), 'and it loses no period'
    bench.wait(lambda: len(lags(bench)) >= len(ticks) - 1, 'the lag, which is told once a period')


def test_a_trajectory_takes_as_long_as_it_says(bench):
    answer = bench.client.send(FOLLOW, goal(point(1.0, AWAY, REST))).result()
    assert (answer.status, answer.result.error_code) == (SUCCEEDED, 0)
    bench.wait(lambda: bench.now.arm(PANDA.joints) == pytest.approx(AWAY, abs=PANDA.goal_tolerance), 'the world state of the end')
    way = {seen.seq: fields.read_snapshot(seen).arm(PANDA.joints) for seen in bench.states}
    left = min(seq for seq, arm in way.items() if arm != pytest.approx(PANDA.home, abs=1e-3))
    there = min(seq for seq, arm in way.items() if arm == pytest.approx(AWAY, abs=PANDA.goal_tolerance))
    assert 0.8 < (there - left) * PERIOD_S < 1.5, 'on the simulated clock, whatever the machine has room for'


def test_a_second_goal_and_a_cancel_are_answered_as_ever(bench):
    first = bench.client.send(FOLLOW, goal(point(20.0, AWAY)))
    second = bench.client.send(FOLLOW, goal(point(20.0, PANDA.home)))
    assert first.result().status == ABORTED
    assert len(second.cancel().goals_canceling) == 1
    assert second.result().status == 5


def test_a_chunk_on_the_topic_moves_the_arm(bench):
    bench.client.say(CHUNK, goal(point(0.4, PANDA.home), point(0.8, AWAY))['trajectory'])
    bench.wait(lambda: bench.now.arm(PANDA.joints) == pytest.approx(AWAY, abs=PANDA.goal_tolerance), 'the arm arrives')


def test_a_reset_never_turns_the_clock_back_and_the_next_episode_begins_at_0(bench):
    running = bench.client.send(FOLLOW, goal(point(20.0, AWAY)))
    bench.wait(lambda: len(bench.ticks) > 5, 'time passes')
    bench.begin()
    assert running.result().status == ABORTED
    bench.wait(lambda: len(bench.ticks) > 5, 'time passes')
    told = clocks(bench)
    assert told == sorted(told) and len(set(told)) == len(told)
    assert bench.ticks[0].seq == 0
    stamps = [fields.read_stamp(tick.header.stamp) for tick in bench.ticks]
    assert {b - a for a, b in pairwise(stamps)} == {PERIOD_NS}


def test_time_goes_on_after_the_end_and_the_robot_does_not_listen(bench):
    running = bench.client.send(FOLLOW, goal(point(50.0, AWAY)))
    bench.stop_episode()
    assert running.result().status == ABORTED, 'the simulator has heard of the end, too'
    heard = len(clocks(bench))
    bench.wait(lambda: len(clocks(bench)) > heard + 10, 'time passes')
    assert not bench.client.send(FOLLOW, goal(point(1.0, AWAY, REST))).accepted
    bench.begin()
    assert bench.stop_episode().violations == 1


def steer(bench, hasty, speed):
    """Send 25 twists along y (m/s), each stamped anew; return the period of the last, or None where not each came in time for its own."""
    said, stamps = {name: len(bench.log(name)) for name in LATE}, []

    def taken():
        return sum(command.action != '' for command in bench.client.heard(names.COMMANDED))

    def late():
        return any(words in bench.log(name)[said[name] :] for name, words in LATE.items())

    before = taken()
    for _ in range(25):
        told = len(hasty.heard(names.JOINT_STATES))
        hasty.wait(lambda told=told: len(hasty.heard(names.JOINT_STATES)) > told, 'a period')
        while len(hasty.heard(names.JOINT_STATES)) > told:  # on a busy machine several have come
            told = len(hasty.heard(names.JOINT_STATES))
            hasty.spin(0.002)
        stamps.append(fields.read_stamp(hasty.heard(names.JOINT_STATES)[-1].header.stamp))
        content = {'header': fields.header(stamps[-1], 'world'), 'twist': {'linear': fields.vector((0.0, speed, 0.0))}}
        hasty.say(names.DELTA_TWIST, content)
        bench.client.spin(0.0)  # a hundred ticks are kept for it
    bench.wait(lambda: taken() >= before + 25 or late(), 'the simulator to hear of each')
    bench.wait(lambda: fields.read_stamp(bench.ticks[-1].header.stamp) >= stamps[-1], 'the tick of the last one')
    newest = bench.ticks[-1]
    last = newest.seq - (fields.read_stamp(newest.header.stamp) - stamps[-1]) // PERIOD_NS
    bench.wait(lambda: bench.ticks[-1].seq > last + 20 and bench.now.seq > last + 20, 'a second of silence')
    return None if late() or max(b - a for a, b in pairwise(stamps)) > 2 * PERIOD_NS else last


def test_a_twist_keeps_the_arm_going_for_0_1_s_and_then_it_brakes(hasty, bench):
    for way in (1, -1) * 6:  # on a busy machine a message may come too late for what it shall show
        last = steer(bench, hasty, 0.06 * way)
        if last is not None:
            break
        bench.begin()  # twelve times may take longer than an episode lasts
    assert last is not None, 'of twelve times each message came in time in none'
    tools = {state.seq: state.tool for state in map(fields.read_snapshot, bench.states)}
    speed = way * (tools[last - 2].position[1] - tools[last - 14].position[1]) / (12 * PERIOD_S)
    assert 0.04 < speed < 0.07, 'messages and periods do not keep step, and so it is followed on average'
    assert way * (tools[last + 2].position[1] - tools[last].position[1]) > 0.001, 'it goes on'
    assert tools[last + 20].distance(tools[last + 12]) < 1e-3, 'and stops'


def test_a_simulator_that_is_held_up_says_how_far_it_is_behind_and_catches_up(bench):
    bench.wait(lambda: len(lags(bench)) > 5, 'the lag is told')
    process = bench.processes['sim_node']
    for _ in range(10):  # the largest lag is told first, and ten are kept for a client that gets no time
        heard = len(lags(bench))
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.7)
        os.kill(process.pid, signal.SIGCONT)
        bench.wait(lambda heard=heard: len(lags(bench)) > heard + 20, 'time goes on')
        if max(lags(bench)) > 0.5:
            break
    assert max(lags(bench)) > 0.5, 'it says how far it is behind'
    bench.wait(lambda: lags(bench)[-1] < max(lags(bench)) / 2, 'it catches up', 60.0)
    ticks = [tick.seq for tick in bench.ticks]
    assert ticks == list(range(len(ticks)))


def test_time_stands_still_while_somebody_pauses_and_what_passed_is_not_caught_up_with(bench):
    def become(state):
        assert bench.client.ask(names.SET_SIMULATION_STATE, {'state': {'state': state}}).result.result == 1

    become(PAUSED)
    assert bench.still(1.0)
    before = bench.ticks[-1].seq
    assert bench.client.ask(names.STEP_SIMULATION, {'steps': 3}).result.result == 1
    bench.wait(lambda: bench.ticks[-1].seq >= before + 3, 'three steps')
    bench.wait(lambda: clocks(bench)[-1] >= fields.read_stamp(bench.ticks[-1].header.stamp), 'the clock of the last one')
    alive = time.monotonic()
    bench.settle()  # the simulator answers, and so it can be behind by nothing that was before
    assert bench.ticks[-1].seq == before + 3
    heard, passed = len(lags(bench)), stopwatch(bench)
    become(PLAYING)
    bench.wait(lambda: len(lags(bench)) > heard, 'time goes on')
    assert lags(bench)[heard] < time.monotonic() - alive, 'the pause is nothing that time is behind by'
    bench.wait(lambda: passed()[0] > 1.0 and passed()[1] > 0.0, 'a second')
    wall, simulated = passed()
    assert 0.0 < simulated < wall + 0.2, 'nothing is made up for'


@pytest.mark.long
def test_a_judge_that_missed_a_period_calls_the_episode_unobservable(bench):
    """It comes last: DDS gives up who has been stopped for long, and does not always take it back."""
    bench.wait(lambda: len(bench.ticks) > 3, 'time passes')
    process = bench.processes['monitor_node']
    os.kill(process.pid, signal.SIGSTOP)
    at = bench.ticks[-1].seq
    bench.wait(lambda: bench.ticks[-1].seq > at + 2 * names.WORLD_STATE.depth, 'more periods than its queue holds', 40.0)
    os.kill(process.pid, signal.SIGCONT)
    report = bench.report()
    assert report.verdict == UNOBSERVABLE
    assert 'was expected and' in report.causes[0]
