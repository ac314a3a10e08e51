"""Playing, paused, stopped, and the steps between: without ROS."""

import pytest

from vlm_bench_sim.nodes.lockstep.stepping import Run, Stepping
from vlm_bench_sim.ros.simulation import INCORRECT_STATE, OK, OPERATION_FAILED, Refused, State, Transition


@pytest.fixture
def paused():
    stepping = Stepping()
    stepping.state = State.PAUSED
    return stepping


def code(stepping, asked):
    try:
        return stepping.check_transition(asked)
    except Refused as error:
        return error.code


def test_it_begins_by_playing():
    stepping = Stepping()
    assert (stepping.state, stepping.paused, stepping.due) == (State.PLAYING, False, False)


@pytest.mark.parametrize(
    ('now', 'codes'),
    [
        (State.PLAYING, [State.STOPPED, Transition.ALREADY_IN_TARGET_STATE, State.PAUSED]),
        (State.PAUSED, [State.STOPPED, State.PLAYING, Transition.ALREADY_IN_TARGET_STATE]),
        (State.STOPPED, [Transition.ALREADY_IN_TARGET_STATE, State.PLAYING, Transition.INCORRECT_TRANSITION]),
    ],
)
def test_which_state_follows_which(now, codes):
    stepping = Stepping()
    stepping.state = now
    assert [code(stepping, asked) for asked in range(7)] == [*codes, 0, 0, 0, 0]


def test_nothing_changes_while_steps_are_made(paused):
    paused.begin(Run(2))
    assert code(paused, State.PLAYING) == code(paused, State.STOPPED) == Transition.STATE_TRANSITION_ERROR
    paused.made()
    paused.made()
    assert code(paused, State.PLAYING) == State.PLAYING


@pytest.mark.parametrize('state', [State.PLAYING, State.STOPPED])
def test_steps_are_made_only_while_paused(state):
    stepping, run = Stepping(), Run(1)
    stepping.state = state
    stepping.begin(run)
    assert run.outcome.result()[0] == INCORRECT_STATE
    assert not stepping.due


def test_a_run_makes_its_steps_and_tells_of_each(paused):
    heard = []
    run = Run(3, told=heard.append)
    paused.begin(run)
    for _ in range(3):
        assert paused.due
        paused.made()
    assert not paused.due
    assert heard == [1, 2, 3]
    assert run.outcome.result() == (OK, '')


def test_no_steps_are_done_at_once(paused):
    run = Run(0)
    paused.begin(run)
    assert (run.outcome.result(), paused.due) == ((OK, ''), False)


def test_a_second_run_waits_for_no_one(paused):
    first, second = Run(2), Run(2)
    paused.begin(first)
    paused.begin(second)
    assert second.outcome.result()[0] == INCORRECT_STATE
    assert not first.outcome.done()


def test_what_is_canceled_says_how_far_it_came(paused):
    run = Run(10)
    paused.begin(run)
    paused.made()
    paused.cancel('Canceled.', Run(1))
    assert paused.due
    paused.cancel('Canceled.', run)
    assert run.outcome.result() == (OPERATION_FAILED, 'Canceled. 1 of 10 steps were simulated.')
    paused.made()
    paused.cancel('Again.')
    assert run.completed == 1
