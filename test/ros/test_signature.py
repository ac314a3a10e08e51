"""A signature fits its key, its name, its content and one message, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.ros.signature import NONE, SIZE, Signer, Verifier, bare

KEY, NAME, CONTENT = b'k' * 32, '/task/report', b'content'


def test_what_is_signed_is_genuine_once():
    signer, verifier = Signer(KEY, NAME), Verifier(KEY, NAME)
    signatures = [signer.sign(CONTENT) for _ in range(3)]
    assert len(set(signatures)) == 3
    assert [verifier.genuine(CONTENT, signature) for signature in (*signatures, *signatures)] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(
    ('key', 'name', 'content'), [(b'K' * 32, NAME, CONTENT), (KEY, '/task/repor', b't' + CONTENT), (KEY, NAME, CONTENT + b'\0')]
)
def test_another_key_name_or_content_is_not_genuine(key, name, content):
    assert not Verifier(KEY, NAME).genuine(CONTENT, Signer(key, name).sign(content))
    assert not Verifier(key, name).genuine(content, Signer(KEY, NAME).sign(CONTENT))


def test_no_signature_is_none_of_any_length():
    verifier = Verifier(KEY, NAME)
    assert not any(verifier.genuine(CONTENT, bytes(length)) for length in (0, 1, 16, SIZE, SIZE + 1))
    assert not verifier.genuine(CONTENT, Signer(KEY, NAME).sign(CONTENT)[:-1])
    assert verifier.end(b'') == verifier.end(NONE) == -1


@given(bit=st.integers(0, 8 * SIZE - 1))
def test_a_signature_with_any_bit_turned_over_is_none(bit):
    signature = bytearray(Signer(KEY, NAME).sign(CONTENT))
    signature[bit // 8] ^= 1 << bit % 8
    assert not Verifier(KEY, NAME).genuine(CONTENT, bytes(signature))


@given(st.permutations(range(12)))
def test_messages_that_overtake_one_another_count_once_each(order):
    signer, verifier = Signer(KEY, NAME), Verifier(KEY, NAME)
    signatures = [signer.sign(CONTENT) for _ in order]
    assert all(verifier.genuine(CONTENT, signatures[i]) for i in order)
    assert not any(verifier.genuine(CONTENT, signature) for signature in signatures)


def test_what_is_older_than_thousands_of_messages_counts_no_more():
    signer, verifier = Signer(KEY, NAME), Verifier(KEY, NAME)
    first, second, *_, last = [signer.sign(CONTENT) for _ in range(5000)]
    assert verifier.genuine(CONTENT, second) and verifier.genuine(CONTENT, last)
    assert not verifier.genuine(CONTENT, first)


def test_two_senders_under_one_name_do_not_hinder_each_other():
    one, other, verifier = Signer(KEY, NAME), Signer(KEY, NAME), Verifier(KEY, NAME)
    assert all(verifier.genuine(CONTENT, signer.sign(CONTENT)) for signer in (one, other, one, one, other))


@pytest.mark.parametrize('pad', [b'', b'\0', b'xy', b'xyz'])
def test_a_signature_is_found_at_the_end_of_a_message_whatever_pads_it(pad):
    signer, verifier = Signer(KEY, NAME), Verifier(KEY, NAME)
    data = CONTENT + signer.sign(CONTENT) + pad
    assert verifier.end(data) == len(CONTENT)
    assert verifier.end(data) == -1, 'once'
    assert bare(data, len(CONTENT)) == CONTENT + NONE + pad
