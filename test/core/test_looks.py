"""Looks that words name: colors, materials, and patterns of two colors, each also dark."""

import pytest

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.looks import DARKER, MATERIALS, PATTERN_NOUNS, PATTERNS, Color, glass, read_look

COLORS = {'red': (1.0, 0.0, 0.0), 'blue': (0.0, 0.0, 1.0)}


@pytest.mark.parametrize('words', ['red', 'dark blue', *MATERIALS, *(f'dark red and blue {noun}' for noun in PATTERN_NOUNS.values())])
def test_what_words_name_is_called_by_them(words):
    assert read_look(words, COLORS).words == words


@pytest.mark.parametrize('words', ['red paisley', 'dark blue paisley', 'red and blue paisley'])
def test_paisley_of_one_color_is_called_by_it(words):
    look = read_look(words, COLORS)
    assert look.words == words and not look.plain
    assert look.describe('cup') == f'cup with {words}'


def test_the_drops_of_paisley_stand_out_from_a_bright_and_from_a_dark_ground():
    colors = {'yellow': (1.0, 1.0, 0.0), 'black': (0.2, 0.2, 0.2)}
    bright, dark = (read_look(f'{name} paisley', colors).texture.color.rgb for name in colors)
    assert max(bright) < 0.2 and min(dark) > 0.9


def test_every_pattern_has_a_noun_of_its_own():
    assert set(PATTERN_NOUNS) == set(PATTERNS) and len(set(PATTERN_NOUNS.values())) == len(PATTERNS)


def test_dark_is_the_first_color_alone():
    bright, dark = (read_look(words, COLORS) for words in ('red and blue checks', 'dark red and blue checks'))
    assert dark.color.rgb == (DARKER, 0.0, 0.0) and dark.texture.color.rgb == (0.0, 0.0, 1.0)
    assert bright.texture.pattern == dark.texture.pattern == 'checker'


@pytest.mark.parametrize(
    ('words', 'what'),
    [('rde', "unknown color 'rde'"), ('red and bleu stripes', "unknown color 'bleu'"), ('red and blue strips', "unknown pattern 'strips'")],
)
def test_what_names_no_look_is_refused(words, what):
    with pytest.raises(SceneError, match=what):
        read_look(words, COLORS)


@pytest.mark.parametrize(
    ('look', 'said'),
    [
        (read_look('red', COLORS), 'red cup'),
        (glass(Color('red', COLORS['red'])), 'red cup'),
        (read_look('wooden', COLORS), 'wooden cup'),
        (read_look('tiger-striped', COLORS), 'tiger-striped cup'),
        (read_look('dark red and blue stripes', COLORS), 'cup with dark red and blue stripes'),
    ],
    ids=['plain', 'glass', 'material', 'tiger', 'pattern'],
)
def test_a_thing_is_described_by_all_of_its_look(look, said):
    assert look.describe('cup') == said
