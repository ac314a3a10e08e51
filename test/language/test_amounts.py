"""Words for amounts, lengths and angles: each means exactly one number, and numbers without words are refused."""

import pytest

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks.language.amounts import amounts, angles, lengths, spelled, words

PERCENT = [i / 100 for i in range(101)]


@pytest.mark.parametrize(
    ('say', 'numbers'),
    [
        (words, [i / 100 for i in range(101)]),
        (amounts, [i / 100 for i in range(1, 101)]),
        (lengths, [i / 100 for i in range(1, 101)]),
        (angles, list(range(181))),
    ],
    ids=['shares', 'amounts', 'lengths', 'angles'],
)
def test_every_word_means_one_number(say, numbers):
    meant = [(word, number) for number in numbers for word in say(number)]
    assert len(dict(meant)) == len(meant) and all(len(say(number)) >= 2 for number in numbers)


@pytest.mark.parametrize(
    ('found', 'said'),
    [
        (words(0.5), ('half', 'two quarters', '50 percent', 'fifty percent')),
        (words(0.43), ('43 percent', 'forty-three percent')),
        (words(0.0), ('0 percent', 'zero percent')),
        (amounts(1.0), ('all', '100 percent', 'one hundred percent')),
        (lengths(0.4), ('40 cm', '40 centimeters', 'forty centimeters')),
        (lengths(0.01), ('1 cm', 'one centimeter')),
        (angles(135), ('135 degrees', '135°', 'one hundred and thirty-five degrees')),
        (angles(1.0), ('1 degree', '1°', 'one degree')),
    ],
)
def test_what_a_number_is_called(found, said):
    assert found == said


def test_numbers_are_spelled_out():
    assert [spelled(n) for n in (0, 11, 20, 21, 99, 100, 101, 180)] == [
        'zero', 'eleven', 'twenty', 'twenty-one', 'ninety-nine', 'one hundred', 'one hundred and one', 'one hundred and eighty',
    ]  # fmt: skip
    with pytest.raises(TaskError, match='found 200'):
        spelled(200)


@pytest.mark.parametrize(
    ('say', 'number', 'why'),
    [
        (words, 1.1, 'from 0 to 100 to have words; found 110 %'),
        (words, 0.333, 'found 33.3 %'),
        (words, float('nan'), 'found nan'),
        (words, -0.1, 'found -10 %'),
        (amounts, 0.0, 'None of something is no amount'),
        (lengths, 0.0, '0 cm has no words'),
        (lengths, 0.405, 'found 40.5'),
        (lengths, float('inf'), 'found inf'),
        (angles, 181, 'from 0 to 180 to have words; found 181'),
        (angles, 45.5, 'found 45.5'),
    ],
)
def test_numbers_without_words_are_refused(say, number, why):
    with pytest.raises(TaskError, match=why):
        say(number)
