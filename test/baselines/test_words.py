"""Words as tokens."""

from vlm_bench_baselines.words import PADDING, UNKNOWN, Vocabulary, padded, pictured, split


def test_words_are_lower_case_and_without_punctuation():
    assert split('Put the red Block on it: now!') == ['put', 'the', 'red', 'block', 'on', 'it', 'now']


def test_each_word_has_its_token_and_others_have_the_unknown_one():
    known = Vocabulary.of(['the red block', 'the blue block'])
    assert known.words == ('block', 'blue', 'red', 'the')
    assert len({*known.tokens('the red blue block')}) == 4
    assert known.tokens('the green block')[1] == UNKNOWN
    assert known.size == 6


def test_a_sentence_without_words_is_one_unknown_word():
    assert Vocabulary.of(['a']).tokens('?!') == [UNKNOWN]


def test_rows_are_filled_up_to_the_longest():
    assert padded([[2], [3, 4]]) == [[2, PADDING], [3, 4]]


def test_a_marker_of_a_picture_is_found_among_the_words():
    assert pictured('Place <image 2> 3 times on the <image 1>.') == [(2, 2), (1, 8)]
    assert split('Place <image 2> 3 times on the <image 1>.')[2] == '2' and pictured('Take the image 1.') == []
