"""The rules of the loop by themselves: whose turn it is, what a bad answer costs, and that silence costs as much."""

import pytest

from vlm_bench_tasks.agents.roles import DONE, Problem, StepFault, StepReport
from vlm_bench_tasks.agents.turns import Awaited, Dialogue, Turns

SEEN, STEP = StepReport('I see a red block on the table.'), 'pick up the red block and place it in the center'
LOST = Problem(StepFault.LOST, 'It fell.')


def begun(steps: int = 20) -> Turns:
    turns = Turns(Dialogue(), steps)
    turns.hear(SEEN)
    return turns


def test_first_somebody_looks_then_planner_actor_and_reporter_take_turns():
    turns = Turns(Dialogue())
    assert (turns.awaits, turns.number, turns.say(STEP)) == (Awaited.REPORT, 0, '')
    turns.hear(SEEN)
    assert (turns.awaits, turns.number) == (Awaited.STEP, 0)
    assert turns.say(STEP) == STEP
    assert (turns.awaits, turns.say('another'), turns.course.turns) == (Awaited.DEED, '', [])
    turns.did(LOST)
    assert (turns.awaits, turns.number) == (Awaited.REPORT, 1)
    turns.hear(StepReport('I see nothing.', 'The step has failed.'))
    assert (turns.awaits, turns.number, len(turns.reports)) == (Awaited.STEP, 1, 2)
    (turn,) = turns.course.turns
    assert (turn.step, turn.report, turn.problems) == (STEP, turns.reports[1], (LOST,))


@pytest.mark.parametrize('answer', ['', ' \n', Problem(StepFault.NONSENSE, 'What?')])
def test_an_answer_that_is_none_costs_a_turn_in_which_nobody_looks(answer):
    turns = begun()
    assert turns.say(answer) == ''
    assert turns.awaits is Awaited.REPORT
    assert turns.unheard.observation == '' and turns.unheard.action
    turns.did(LOST)
    assert turns.awaits is Awaited.REPORT, 'nothing was to be done'
    turns.hear(turns.unheard)
    assert sum(turns.course.problems.values()) == 1
    assert turns.course.turns[0].step == ''


def test_silence_of_the_planner_and_of_the_reporter_costs_what_a_bad_answer_does():
    turns = begun(steps=2)
    turns.late(3.0)
    assert '3 s' in turns.unheard.action
    turns.late(3.0)
    assert turns.course.problems == {StepFault.TIMEOUT: 2}, 'of one turn: neither has answered'
    assert turns.reports[-1] == StepReport()
    turns.say(STEP)
    turns.late(3.0)
    assert turns.awaits is Awaited.DEED, 'a deed ends by itself'
    turns.did(None)
    turns.late(3.0)
    assert (turns.awaits, len(turns.course.turns), turns.course.done) == (Awaited.NOTHING, 2, False)
    assert turns.course.problems == {StepFault.TIMEOUT: 3}


def test_the_steps_are_used_up_by_bad_answers_as_by_good_ones():
    turns = begun(steps=3)
    for answer in ('', STEP, Problem(StepFault.TIMEOUT, 'Late.'), STEP):
        turns.say(answer)
        turns.did(None)
        turns.hear(SEEN)
    assert (len(turns.course.turns), turns.awaits, turns.say(DONE), turns.course.done) == (3, Awaited.NOTHING, '', False)


def test_who_is_done_is_asked_no_more():
    turns = begun()
    assert turns.say(DONE) == DONE
    turns.hear(SEEN)
    turns.late(1.0)
    assert (turns.course.done, turns.awaits, turns.course.turns) == (True, Awaited.NOTHING, [])


def test_a_step_that_had_begun_when_the_episode_ended_counts():
    turns = begun()
    turns.end()
    assert turns.course.turns == [], 'nobody had begun anything'
    for ended in (False, True):
        turns = begun()
        turns.say(STEP)
        if ended:
            turns.did(LOST)
        turns.end()
        assert turns.awaits is Awaited.NOTHING
        assert [(turn.step, turn.problems) for turn in turns.course.turns] == [(STEP, (LOST,) if ended else ())]
