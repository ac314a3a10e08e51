"""The trace says which skill called which, when each began and how it ended; what never moves anything leaves none."""

from dataclasses import replace

import pytest

from test.films import CUBE, Flag, snapshot
from test.plays import bench, episode
from vlm_bench_sim.core.codec import loads
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.snapshot import pair
from vlm_bench_tasks.goals.logic import Not, any_of, then
from vlm_bench_tasks.goals.units import numbered_leaves
from vlm_bench_tasks.skills import SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.trace import Trace, traced


class Bell(Flag):
    """A flag of our own: `blank` fails before it commands anything, `broken` after it."""


@skill_for.register
def _ring(goal: Bell, now, context):
    if goal.name == 'blank':
        raise SkillFailed('It cannot be rung.')
    now = yield from _struck(CUBE, context)
    if goal.name == 'broken':
        raise SkillFailed('It gave no sound.')
    return now


@traced
def _struck(prop, context):
    return (yield Wait(len(prop.name)))


A, B, BLANK, BROKEN = Bell('a'), Bell('b'), Bell('blank'), Bell('broken')


def told(plan, *, most: int = 9):
    """The notes of each command of a plan, each of which rings the next bell, and those after the last; given up after `most` commands."""
    context = SkillContext(bench().profile, episode().scene, bench().planner, snapshot())
    trace, steps, found = context.trace, skill_for(plan, snapshot(), context), []
    try:
        next(steps)
        for rung in range(1, most + 1):
            found.append([*trace.ended(), *trace.begun(numbered_leaves(plan))])
            steps.send(replace(snapshot(), touching=tuple(pair(name, 'table') for name in 'ab'[:rung])))
        found.append([*trace.ended(), *trace.begun(numbered_leaves(plan))])
        steps.close()
    except (StopIteration, SkillFailed):
        pass
    return [[loads(text) for _, text in notes] for notes in (*found, trace.ended())]


def begun(notes):
    return [(one.number, one.parent, one.skill, one.words, one.leaf) for one in notes if hasattr(one, 'skill')]


def ended(notes):
    return [(one.number, one.outcome) for one in notes if hasattr(one, 'outcome')]


def test_a_skill_is_the_child_of_the_one_that_called_it_and_serves_its_leaf():
    first, second, last = told(then(A, Not(B), B))
    assert begun(first) == [
        (0, -1, 'in_turn', then(A, Not(B), B).words(), -1),
        (1, 0, 'ring', A.words(), 0),
        (2, 1, 'struck', 'the red object', 0),
    ]
    assert ended(first) == [] and ended(second) == [(2, 'done'), (1, 'done')]
    assert begun(second) == [(3, 0, 'ring', B.words(), 2), (4, 3, 'struck', 'the red object', 2)]
    assert ended(last) == [(4, 'done'), (3, 'done'), (0, 'done')] and begun(last) == []


def test_a_skill_that_commands_nothing_leaves_no_trace():
    first, last = told(any_of(BLANK, A))
    assert [name for _, _, name, *_ in begun(first)] == ['either', 'ring', 'struck']
    assert begun(first)[1][3] == A.words()
    assert ended(last) == [(2, 'done'), (1, 'done'), (0, 'done')]


def test_a_skill_that_fails_on_the_way_says_so():
    first, last = told(BROKEN)
    assert begun(first)[0][2:] == ('ring', BROKEN.words(), 0)
    assert ended(last) == [(1, 'done'), (0, 'failed')]


def test_skills_that_are_given_up_end_from_the_inside_out():
    first, last = told(A, most=0)
    assert len(begun(first)) == 2
    assert ended(last) == [(1, 'given_up'), (0, 'given_up')]


def test_what_is_told_is_told_once():
    trace = Trace()
    steps = trace.follow('wave', iter_of(Wait(1.0)), 'to the audience')
    next(steps)
    assert [kind for kind, _ in trace.begun(())] == [EventKind.SKILL_BEGUN]
    assert trace.begun(()) == () == trace.ended() and trace.serves is None
    with pytest.raises(StopIteration):
        steps.send(snapshot())
    assert [kind for kind, _ in trace.ended()] == [EventKind.SKILL_ENDED]
    assert trace.ended() == ()


def iter_of(command):
    return (yield command)


def test_the_first_prop_among_the_arguments_is_named_wherever_it_stands():
    context = SkillContext(bench().profile, episode().scene, bench().planner)
    steps = _struck(prop=replace(CUBE, noun='bell'), context=context)
    next(steps)
    assert begun([loads(text) for _, text in context.trace.begun(())]) == [(0, -1, 'struck', 'the red bell', -1)]
