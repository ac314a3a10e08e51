"""Truth tables: each word of now over every frame of two flags, and each word of time over short films."""

import pytest

from test.films import Flag, flags
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import All, Any, AtEnd, Held, Never, Not, Once, Then, all_of, any_of, then
from vlm_bench_tasks.judging.watch import watch

A, B = Flag('a'), Flag('b')
FRAMES = ('', 'a', 'b', 'ab')

NOW: dict[type[Goal], list[tuple[Goal, str]]] = {
    All: [(all_of(A, B), 'nnny'), (all_of(A), 'nyny'), (all_of(A, Not(B)), 'nynn')],
    Any: [(any_of(A, B), 'nyyy'), (any_of(B), 'nnyy'), (any_of(A, Not(B)), 'yyny')],
    Not: [(Not(A), 'ynyn'), (Not(all_of(A, B)), 'yyyn'), (Not(any_of(A, B)), 'ynnn'), (Not(Not(A)), 'nyny')],
}
"""By word: goals, and whether each holds in each of `FRAMES`, y or n."""

OVER_TIME: dict[type[Goal], list[tuple[Goal, tuple[str, ...], str]]] = {
    Then: [
        (then(A, B), ('', 'a', 'b'), 'nny'),
        (then(A, B), ('', 'b', 'a'), 'nnn'),
        (then(A, B), ('', 'a', 'ab'), 'nny'),
        (then(A, B), ('', 'ab', 'a'), 'nnn'),
        (then(A, B), ('', 'a', 'b', ''), 'nnyn'),
        (then(A, B), ('', 'a', '', 'b'), 'nnny'),
        (then(A, B, A), ('', 'a', 'b', 'a'), 'nnny'),
        (then(A, Once(B)), ('', 'a', '/b', ''), 'nnyy'),
        (then(Never(B), A), ('', 'b', 'a'), 'nny'),  # the gate is behind it
    ],
    Once: [
        (Once(A), ('', 'a', ''), 'nyy'),
        (Once(A), ('', '/a', ''), 'nyy'),
        (Once(A), ('', 'b', '/b'), 'nnn'),
        (Once(all_of(A, B)), ('', 'a', 'b'), 'nnn'),
        (Once(all_of(A, B)), ('', 'ab', 'b'), 'nyy'),
    ],
    Never: [
        (Never(A), ('', 'b', ''), 'yyy'),
        (Never(A), ('', 'a', ''), 'ynn'),
        (Never(A), ('', '/a', ''), 'ynn'),
        (Never(any_of(A, B)), ('', '/b', ''), 'ynn'),
    ],
    Held: [
        (Held(A, 0.1), ('', 'a', 'a', 'a'), 'nnny'),
        (Held(A, 0.1), ('', 'a', 'a', '', 'a', 'a', 'a'), 'nnnnnny'),
        (Held(A, 0.1), ('a', 'a', 'a', ''), 'nnyn'),
        (Held(A, 0.0), ('', 'a'), 'ny'),
        (Held(all_of(A, B), 0.05), ('', 'a', 'ab', 'ab', 'b'), 'nnnyn'),
    ],
    AtEnd: [  # only the monitor knows when the end is
        (AtEnd(A), ('', 'a', ''), 'nyn'),
        (AtEnd(Held(A, 0.1)), ('', 'a', 'a', 'a', ''), 'nnnyn'),
    ],
}
"""By word: goals, the frames of a film, and whether each holds after each of them."""


def told(goal: Goal, frames: tuple[str, ...]) -> str:
    """Whether the goal holds after each frame of a film, y or n."""
    film = flags(*frames)
    watching = watch(goal, film[0])
    said = ''
    for now in film:
        watching.see(now)
        said += 'y' if watching.holds else 'n'
    return said


@pytest.mark.parametrize(
    ('goal', 'table'), [row for rows in NOW.values() for row in rows], ids=lambda one: getattr(one, 'words', lambda: '')()
)
def test_words_of_now(goal, table):
    for frame, holds in zip(FRAMES, table, strict=True):
        (now,) = flags(frame)
        assert goal.holds(now, now) is (holds == 'y'), frame
        assert told(goal, (frame,)) == holds, frame


@pytest.mark.parametrize(('goal', 'frames', 'table'), [row for rows in OVER_TIME.values() for row in rows])
def test_words_of_time(goal, frames, table):
    assert told(goal, frames) == table


def test_every_word_has_its_tables():
    found = {kind for base in Goal.__subclasses__() for kind in (base, *base.__subclasses__())}
    words = {kind for kind in found if kind.__module__ == 'vlm_bench_tasks.goals.logic' and not kind.__name__.startswith('_')}
    assert words == {*NOW, *OVER_TIME}
