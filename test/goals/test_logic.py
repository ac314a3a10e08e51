"""Logic words: what two snapshots can say, and what the watches remember."""

import pytest

from test.films import CUBE, TRAY, Flag, flags
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks.goals.logic import All, AtEnd, Held, Never, Not, Once, Then, all_of, any_of, then
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.judging.watch import watch

A, B, C = Flag('a'), Flag('b'), Flag('c')


def seen(goal, *frames):
    """The watch after the film."""
    film = flags(*frames)
    watching = watch(goal, film[0])
    for now in film:
        watching.see(now)
    return watching


@pytest.mark.parametrize(
    ('goal', 'frame', 'holds'),
    [
        (all_of(A, B), 'ab', True),
        (all_of(A, B), 'a', False),
        (any_of(A, B), 'b', True),
        (any_of(A, B), 'c', False),
        (Not(A), 'b', True),
        (Not(A), 'a', False),
        (all_of(A, Not(any_of(B, C))), 'a', True),
        (all_of(A, Not(any_of(B, C))), 'ac', False),
    ],
)
def test_words_of_now(goal, frame, holds):
    (now,) = flags(frame)
    assert goal.holds(now, now) is holds
    assert seen(goal, '', frame).holds is holds


def test_then_wants_the_order():
    assert seen(then(A, B), '', 'a', 'b').holds
    assert not seen(then(A, B), '', 'b', 'a').holds
    assert not seen(then(A, B), '', 'ab').holds, 'the second must come at a later snapshot'
    assert seen(then(A, B), '', 'ab', 'b').holds


def test_the_last_of_then_must_still_hold_but_counts_as_reached():
    dropped = seen(then(A, B), '', 'a', 'b', '')
    assert not dropped.holds
    assert (dropped.made, dropped.total) == (2, 2)
    assert seen(then(A, Once(B)), '', 'a', 'b', '').holds


def test_carrying_is_not_throwing():
    throw = then(Not(A), Once(B))  # a: in contact with anything, b: hits the target
    assert not seen(throw, 'a', 'ab', 'a').holds
    assert seen(throw, 'a', '', '/b', 'a').holds


def test_once_remembers_even_what_lay_between_two_snapshots():
    assert seen(Once(A), '', 'a', '').holds
    assert seen(Once(A), '', '/a', '').holds
    assert not seen(Once(A), '', 'b', '').holds


def test_never_is_broken_for_good_even_between_two_snapshots():
    assert seen(Never(A), '', 'b').holds
    for film in (('', 'a', ''), ('', '/a', '')):
        broken = seen(Never(A), *film)
        assert not broken.holds
        assert broken.broken == 'never a is on'


def test_never_inside_then_watches_only_while_its_element_is_active():
    goal = then(A, all_of(B, Never(C)))
    assert seen(goal, '', 'c', 'a', 'b').holds
    assert seen(goal, '', 'a', 'c', 'b').broken == 'never c is on'


def test_any_is_broken_only_when_every_branch_is():
    goal = any_of(all_of(A, Never(C)), B)
    assert not seen(goal, '', 'c').broken
    assert seen(goal, '', 'c', 'b').holds
    assert seen(any_of(Never(A), Never(B)), 'ab').broken


def test_held_counts_only_an_unbroken_span():
    goal = Held(A, 0.1)  # two control periods of 50 ms
    assert not seen(goal, '', 'a', 'a').holds
    assert seen(goal, '', 'a', 'a').pending
    assert seen(goal, '', 'a', 'a', 'a').holds
    assert not seen(goal, '', 'a', 'a', '', 'a', 'a').holds


def test_progress_counts_achievements_only():
    goal = all_of(A, B, Not(C), Never(Flag('d')))
    assert (seen(goal, '').made, seen(goal, '').total) == (0, 2)
    assert seen(goal, '', 'a').made == 1
    assert seen(goal, 'a').total == 1, 'what was true at the start weighs nothing'
    assert seen(goal, 'a', 'ab').made == 1
    assert seen(then(A, B, C), '', 'a', '', 'b', '').made == 2, 'elements of Then are latched'
    assert seen(then(Not(A), B), 'a').total == 1
    assert seen(any_of(A, B), '', 'ab').made == 1


def test_rewards_grow_with_what_is_reached():
    goal = all_of(A, B)
    begun = seen(A, '').reward
    rewards = [seen(goal, '', frame).reward for frame in ('', 'a', 'ab')]
    assert 0.0 < begun < 0.1 and rewards == pytest.approx([begun / 2, (1 + begun) / 2, 1.0])
    chain = [seen(then(A, B), *film).reward for film in (('',), ('', 'a'), ('', 'a', 'b'))]
    assert chain[0] < chain[1] < chain[2] == 1.0


@pytest.mark.parametrize('word', [Not, Once, Never, lambda goal: Held(goal, 1.0)])
def test_words_around_one_goal_refuse_words_of_time(word):
    with pytest.raises(TaskError, match=r"cannot contain 'a is on and once b is on', which depends on time"):
        word(all_of(A, Once(B)))


@pytest.mark.parametrize('inside', [AtEnd, Not, Once, Never, lambda goal: Held(goal, 1.0), lambda goal: all_of(B, goal), any_of, then])
def test_only_a_whole_goal_is_judged_at_the_end(inside):
    with pytest.raises(TaskError, match="cannot contain 'at the end, a is on'"):
        inside(AtEnd(A))


def test_many_needs_at_least_one():
    with pytest.raises(TaskError, match=r'Then was given no goals'):
        Then(())


def test_goals_speak():
    goal = all_of(then(A, B), Never(C), Held(Not(A), 2.0), any_of(A, Once(B)))
    assert goal.words() == '(a is on, then b is on) and never c is on and not (a is on) for 2 s and (a is on or once b is on)'
    assert AtEnd(all_of(A, B)).words() == 'at the end, a is on and b is on'


def test_goals_name_their_leaves_and_props_once():
    inside = Inside(CUBE, TRAY)
    goal = all_of(inside, Never(Not(inside)))
    assert goal.leaves() == (inside, inside)
    assert goal.props() == (CUBE, TRAY)


def test_every_logic_word_survives_json():
    inside = Inside(CUBE, TRAY)
    goal = All((inside, any_of(Not(inside), inside), then(Once(inside), Held(inside, 2.0)), Never(Not(inside))))
    assert loads(dumps(goal)) == goal
    assert loads(dumps(AtEnd(goal))) == AtEnd(goal)


def test_two_snapshots_answer_for_words_of_time_what_they_can():
    start, now = flags('', 'a/b')
    assert Once(B).holds(now, start)
    assert not Never(B).holds(now, start)
    assert Held(A, 9.0).holds(now, start)
    assert AtEnd(A).holds(now, start)
    assert then(B, A).holds(now, start)
    assert Once(all_of(A, B)).holds(now, start)
    assert not Once(any_of(C, Not(A))).holds(now, start)


def test_a_reward_is_one_only_where_the_goal_holds():
    """Whatever is done, a gate that is violated and a time that is not over leave a tenth of an achievement out."""
    assert seen(all_of(A, Not(B)), '', 'ab').reward == pytest.approx(0.9)
    assert seen(all_of(A, B, Not(C)), '', 'abc').reward == pytest.approx(0.95)
    assert seen(Held(A, 1.0), '', 'a').reward == pytest.approx(0.9)
    assert seen(all_of(A, Never(B)), '', 'a').reward == 1.0


def test_what_was_true_at_the_start_and_is_lost_leaves_no_full_reward():
    assert seen(all_of(A, B), 'a', 'b').reward == pytest.approx(0.9)
