"""Logic words are made true by the skills of their parts, in an order that gets there from any state."""

from dataclasses import replace

import pytest

from test.films import CUBE, Flag, flags, snapshot
from test.plays import bench, episode
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.snapshot import pair
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.goals.logic import AtEnd, Held, Never, Not, Once, all_of, any_of, then
from vlm_bench_tasks.skills import SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.progress import Progress


class Lamp(Flag):
    """A flag of our own, so that other tests still find that nobody can raise a Flag."""


class Loaded(Lamp):
    """A lamp that hangs on the one cube there is."""

    def props(self):
        return (CUBE,)


A, B, C, DUD, HOPELESS = Lamp('a'), Lamp('b'), Lamp('c'), Lamp('dud'), Lamp('hopeless')
OPENINGS = {'a': 0.01, 'b': 0.02, 'c': 0.03, 'dud': 0.04}


@skill_for.register
def _light(goal: Lamp, now, skill_context):
    """One command a lamp: its opening says which."""
    if goal.name not in OPENINGS:
        raise SkillFailed(f'{goal.name} cannot be.')
    return (yield Grip(OPENINGS[goal.name]))


def played(goal, on: str = '', undo: str = '', said: list | None = None, progress: Progress | None = None) -> list:
    """The commands, where each lights its lamp and the first 'c' strikes those of `undo`. A dud stays dark. `said` gets them."""
    lit, said = set(on), [] if said is None else said

    def seen():
        return replace(snapshot(), touching=tuple(pair(flag, 'table') for flag in lit))

    skill = skill_for(goal, seen(), SkillContext(bench().profile, episode().scene, bench().planner, seen(), progress or Progress()))
    try:
        command = next(skill)
        while True:
            said.append(command)
            if isinstance(command, Grip):
                flag = {opening: name for name, opening in OPENINGS.items()}[command.opening]
                lit = lit - (set(undo) if flag == 'c' else set()) | {flag} - {'dud'}
                undo = '' if flag == 'c' else undo
            command = skill.send(seen())
    except StopIteration:
        return said


def grips(flags: str) -> list:
    return [Grip(OPENINGS[flag]) for flag in flags]


@pytest.mark.parametrize(
    ('goal', 'on', 'done'),
    [
        (all_of(A, B, C), '', 'abc'),
        (all_of(A, B, C), 'b', 'ac'),
        (all_of(A, B), 'ab', ''),
        (all_of(A, Not(B), Never(C)), '', 'a'),
        (any_of(A, B), '', 'a'),
        (any_of(HOPELESS, B), '', 'b'),
        (then(A, B, C), '', 'abc'),
        (then(A, B, C), 'a', 'bc'),
        (then(A, B, C), 'b', 'ac'),
        (then(Not(A), B), 'a', 'b'),
        (Once(A), '', 'a'),
        (then(all_of(A, B), C), 'a', 'bc'),
    ],
    ids=str,
)
def test_the_parts_that_are_missing_are_made_true_in_turn(goal, on, done):
    assert played(goal, on) == grips(done)


def test_a_plan_whose_end_is_true_at_the_start_goes_there_and_back():
    """Make it so and restore it: the end counts only after what comes before it."""
    assert played(then(C, A), 'a', undo='a') == grips('ca')


def test_a_plan_that_is_begun_again_goes_on_from_the_part_that_was_due():
    progress, plan = Progress(), then(A, B, C, A)
    assert played(plan, progress=progress, undo='a') == grips('abca')
    assert progress.leaves(plan) == ((3, A),)
    assert played(plan, 'b', progress=progress) == grips('a'), 'the last part is made true again, the others are behind it'
    assert played(plan, 'a', progress=progress) == []


def test_what_is_seen_to_be_true_in_passing_is_behind_the_plan():
    order = then(Once(A), B, Held(C, 1.0), A)
    progress, film = Progress(), flags('', 'b', '/a', '', 'bc', 'c')
    for now, due in zip(film, (0, 0, 1, 1, 2, 2), strict=True):
        progress.see(AtEnd(all_of(order, Not(A))), now, film[0])
        assert progress.due(order) == due, now.seq
    assert progress.latch(order, 2)
    assert not progress.latch(order, 3), 'the last part never is'
    assert progress.latched == 3


def test_what_comes_true_before_its_turn_is_not_behind_the_plan():
    inner = then(B, C)
    outer, progress, film = then(A, inner), Progress(), flags('', 'b', 'a', 'b')
    for now, due in zip(film, ((0, 0), (0, 0), (1, 0), (1, 1)), strict=True):
        progress.see(outer, now, film[0])
        assert (progress.due(outer), progress.due(inner)) == due, now.seq


def test_what_happened_once_is_done_though_it_no_longer_shows():
    progress, plan, film = Progress(), all_of(Once(A), Not(B)), flags('', '/a', '', 'b')
    done = []
    for now in film:
        progress.see(plan, now, film[0])
        done.append(progress.done(plan, now, film[0]))
    assert done == [False, True, True, False]
    assert not progress.done(then(C, A), film[1], film[0]), 'its first part is still due'


def test_what_was_carried_out_and_does_not_hold_is_no_part_done():
    progress, plan = Progress(), then(DUD, B)
    with pytest.raises(SkillFailed, match='carried out and does not hold'):
        played(plan, progress=progress)
    assert progress.due(plan) == 0


def test_what_a_later_part_undoes_is_made_true_again():
    assert played(all_of(A, B, C), undo='a') == grips('abca')


def test_a_part_that_fails_waits_until_the_others_are_done():
    """And where they move the same thing, they do not go first: one may stand on the other."""
    with pytest.raises(SkillFailed, match='hopeless cannot be'):
        played(all_of(HOPELESS, A, B))
    said = []
    with pytest.raises(SkillFailed, match='hopeless cannot be'):
        played(all_of(HOPELESS, A, B), said=said)
    assert said == [Wait(PERIOD_S), *grips('ab')]
    said = []
    with pytest.raises(SkillFailed, match='hopeless cannot be'):
        played(all_of(Loaded('hopeless'), Loaded('a')), said=said)
    assert said == []


def test_what_shall_last_is_waited_for():
    assert played(Held(A, 2.0)) == played(AtEnd(Held(A, 2.0))) == [*grips('a'), Wait(2.0)]


def test_what_nobody_can_do_says_why():
    with pytest.raises(SkillFailed, match='hopeless cannot be'):
        played(any_of(HOPELESS, HOPELESS))
    with pytest.raises(SkillFailed, match='No skill makes Not true'):
        played(Not(A))


def test_what_happened_once_is_not_done_again():
    assert len(played(all_of(Once(DUD), A))) == 2
