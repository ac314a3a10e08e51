"""POSIX extended regular expressions: the standard's meaning, and no pattern that takes for ever."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.ros.posix import PatternError, search


@pytest.mark.parametrize(
    ('pattern', 'matches', 'misses'),
    [
        ('cube', ['cube', 'red_cube_2'], ['cub', 'Cube']),
        ('^cube$', ['cube'], ['cube_1', 'a_cube']),
        ('^(cube|star)_[0-9]+$', ['cube_1', 'star_42'], ['cube_', 'moon_1', 'cube_1a']),
        ('^[[:alpha:]_]+$', ['a_B'], ['a1', '']),
        ('^[^[:digit:]]*$', ['abc', ''], ['a1']),
        ('^a.c$', ['abc', 'a.c'], ['ac', 'abbc']),
        (r'^a\.c$', ['a.c'], ['abc']),
        ('^x{2}$', ['xx'], ['x', 'xxx']),
        ('^x{2,}$', ['xx', 'xxxx'], ['x']),
        ('^x{1,2}y?$', ['x', 'xxy'], ['xxx', 'y']),
        ('^[]a-]+$', [']', 'a-]'], ['b']),
        ('^(a|b*)c', ['c', 'bbc', 'ac'], ['dc']),
        ('', ['', 'anything'], []),
    ],
)
def test_it_means_what_the_standard_says(pattern, matches, misses):
    fits = search(pattern)
    assert [text for text in matches if not fits(text)] == []
    assert [text for text in misses if fits(text)] == []


ATOMS = st.sampled_from(['a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(ab)', '(a|)'])
SUFFIX = st.sampled_from(['', '*', '+', '?', '{2}', '{0,2}', '{1,}'])
PARTS = st.lists(st.tuples(ATOMS, SUFFIX).map(''.join), max_size=5).map(''.join)


@given(st.lists(PARTS, min_size=1, max_size=3).map('|'.join), st.booleans(), st.text('abc', max_size=8))
def test_where_python_and_the_standard_agree_it_agrees(pattern, anchored, text):
    pattern = f'^({pattern})$' if anchored else pattern
    assert search(pattern)(text) == bool(re.search(pattern, text))


@pytest.mark.parametrize(
    'pattern', ['(', ')', 'a)', '(a', '[a', '[[:what:]]', '[[.a.]]', '*a', 'a{', 'a{x}', 'a{3,1}', 'a{999}', '[z-a]', '\\']
)
def test_a_malformed_pattern_is_refused_in_words(pattern):
    with pytest.raises(PatternError, match=r'\w+ \w+'):
        search(pattern)


@pytest.mark.parametrize('pattern', ['x' * 201, '(' * 6 + 'a' + ')' * 6, '[ -\U0010ffff]'])
def test_a_pattern_beyond_all_bounds_is_refused(pattern):
    with pytest.raises(PatternError):
        search(pattern)


@pytest.mark.parametrize(
    'pattern', ['^(a+)+$', '^(a|a)*$', '^(((((a?){255}){255}){255}){255})$', '^((((a*)*)*)*)*$', '^(((a{0,255}){0,255}){0,255})b$']
)
def test_no_pattern_takes_for_ever(pattern):
    """Each of these takes longer than the universe is old where every way to match is tried."""
    began = time.process_time()
    search(pattern)('a' * 63 + '!')
    assert time.process_time() - began < 0.5
