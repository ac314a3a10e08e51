"""`vlm-bench real` and `vlm-bench person` as people use them: one starts everything, the other answers at a terminal."""

import asyncio
import os
import re
import signal
import subprocess
import time

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from running_bench import GRIPPER, VLM_BENCH, ros_environment
from running_real import JUDGE, LAY_TABLE, NO, YES, ScriptedPerson, finished
from test_dash import opened
from test_dash_real import asked
from test_up import Up, assert_gone

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.ros import names

pytestmark = [pytest.mark.ros, pytest.mark.slow]
RUNNING, SUCCESS, UNOBSERVABLE = 2, 1, 3
SLOWLY = ('--set', 'driver_timeout:=15.0', '--set', 'observer_timeout:=30.0')  # a busy machine lets processes stand still


@pytest.fixture
def real(domains, tmp_path):
    """Start `vlm-bench real`, and a person who answers it by a script."""
    made, people = [], []

    def start(script, *words, knows=True):
        domain = domains()
        people.append(ScriptedPerson(domain))
        people[-1].script = script
        made.append(Up(domain, tmp_path, *words, *SLOWLY, command='real'))
        made[-1].folder, made[-1].person = tmp_path, people[-1]
        if knows:
            people[-1].hold(code(made[-1]))
        return made[-1]

    yield start
    for one in (*people, *made):
        one.close()


def code(one):
    """Return the code that the command tells a person."""
    one.wait(lambda: 'for this code: ' in one.output, 'the code')
    return re.search(r'for this code: (\S+)', one.output)[1]


def wait(one, done, what, seconds=60.0):
    def turn():
        one.person.spin(0.005)
        return done()

    one.wait(turn, what, seconds)


def runs(one):
    return lambda: any(status.state == RUNNING for status in one.client.heard(names.STATUS))


def close_gripper_and_stop(one):
    one.client.send(GRIPPER, {'command': {'position': 0.0}}).result()
    one.client.ask(names.STOP_EPISODE, {}, again=True)


def test_one_command_runs_an_episode_to_a_verdict_and_a_bag(real, tmp_path):
    one = real({LAY_TABLE: (YES, ''), JUDGE: (YES, '')}, '--once', '--record', str(tmp_path / 'bags'))
    wait(one, runs(one), 'the episode begins')
    close_gripper_and_stop(one)
    end = time.monotonic() + 60
    while one.process.poll() is None and time.monotonic() < end:
        one.person.spin(0.05)
    assert one.process.poll() == 0, one.output
    (bag,) = finished(tmp_path / 'bags')
    custom = open_bag(bag).custom
    assert custom['verdict'] == 'success', custom['cause']
    assert 'sim_node' not in one.output and 'starting fake_driver_node' in one.output
    assert_gone(one, 0.0)


def test_a_refused_table_ends_the_command_with_the_reason(real):
    one = real({LAY_TABLE: (NO, 'the tray is broken')}, '--once')
    end = time.monotonic() + 60
    while one.process.poll() is None and time.monotonic() < end:
        one.person.spin(0.05)
    assert one.process.poll() == 1, one.output
    assert 'the tray is broken' in one.output
    assert_gone(one, 0.0)


def test_a_driver_that_is_killed_ends_the_bench_with_a_word_and_an_error(real):
    one = real({LAY_TABLE: (YES, '')})
    wait(one, runs(one), 'the episode begins')
    wait(one, lambda: one.client.heard(names.STATUS)[-1].seq > 0, 'time passes')
    one.client.rest(4.0)  # nothing says when `vlm-bench real` itself has heard of it
    began = time.monotonic()
    os.kill(one.node('fake_driver_node'), signal.SIGKILL)
    one.client.wait(lambda: one.client.heard(names.REPORT), 'a report')
    assert one.process.wait(30) == 1
    assert_gone(one, time.monotonic() - began)
    ended = 'fake_driver_node has ended with exit code -9'
    assert f'{ended}; the bench stops.' in one.output
    report = one.client.heard(names.REPORT)[-1]
    assert (report.verdict, list(report.causes)) == (UNOBSERVABLE, [ended])


def test_what_is_not_offered_is_said_before_any_node_starts(real):
    one = real({}, '--observer', 'persan', knows=False)
    assert one.process.wait(30) == 2
    assert 'Did you mean person?' in one.output
    assert 'starting' not in one.output and 'Traceback' not in one.output


def test_a_person_at_a_terminal_is_shown_the_picture_and_answers(real, tmp_path):
    one = real({}, '--once', knows=False)
    answers = f'wrong\n{code(one).lower()}\nyes\nno\nit lies beside it\n'
    environment = ros_environment(one.domain)
    terminal = subprocess.Popen(
        [*VLM_BENCH, 'person'], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        terminal.stdin.write(answers)
        terminal.stdin.flush()
        wait(one, runs(one), 'the episode begins')
        close_gripper_and_stop(one)
        assert one.process.wait(30) == 1, one.output
        terminal.stdin.close()
        terminal.stdin = None
    finally:
        terminal.send_signal(signal.SIGINT)
        said, _ = terminal.communicate(timeout=20)
    assert 'A code is 16 letters and digits' in said and 'Lay the table like this' in said and '.jpg' in said, said
    assert 'Is it true: ' in said, said + one.output
    assert 'Traceback' not in said
    assert terminal.returncode == 0


def test_who_does_not_know_the_code_answers_nothing(real, tmp_path):
    one = real({LAY_TABLE: (YES, ''), JUDGE: (YES, '')}, '--once', '--record', str(tmp_path / 'bags'), knows=False)
    wait(one, lambda: one.person.asked, 'a question')
    one.person.rest(3.0)
    assert not runs(one)()
    assert f'A message on {names.ANSWER.name} lacks the signature of this bench' in one.output


def test_the_window_of_the_bench_answers_at_once_and_one_beside_it_with_the_code(real):
    one = real({}, '--once', '--dash', '--set', 'dash_port:=0', knows=False)
    beside = Up(one.domain, one.folder, '--port', '0', command='dash')

    async def run():
        async with opened(one.output) as own, opened(beside.output) as other:
            laid = await asked(own, 'lay_table')
            assert laid['proven'] and await own.ask('answer', question=laid['id'], said='yes') == {}
            await own.until(lambda now: now['state'] == 'running')
            assert await own.ask('halt') == {}
            judged = await asked(other, 'judge')
            assert not judged['proven'] and 'Enter the code' in await other.ask('answer', question=judged['id'], said='no')
            assert 'A code is 16 letters' in await other.ask('prove', code='x')
            assert 'not the code of the bench' in await other.ask('prove', code='ABCD-EFGH-IJKL-MNOP')
            assert await other.ask('prove', code=code(one).lower()) == {}
            assert (await other.until(lambda now: now['question']['proven']))['question']['id'] == judged['id']
            assert await other.ask('answer', question=judged['id'], said='no') == {}

    try:
        one.wait(lambda: 'Open http' in one.output, 'the address of the window')
        beside.wait(lambda: 'Open http' in beside.output, 'the address of the other')
        asyncio.run(run())
        assert one.process.wait(30) == 1 and 'failure' in one.output, one.output
    finally:
        beside.close()
