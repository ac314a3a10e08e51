"""The soak itself: what grows is found, and what was broken off goes on."""

import os

import numpy as np
import pytest

from test.soak._growth import growths, told
from test.soak._kept import Kept, Sample
from test.soak._picture import draw
from test.soak._usage import usage

RNG = np.random.default_rng(0)
COUNT = 400


def life(memory, descriptors=lambda i: 39, count=COUNT):
    return [Sample(0, i, 'success', (), 1.0, {'node': {'memory': memory(i), 'descriptors': descriptors(i)}}) for i in range(count)]


def noise(_):
    return 100.0 + RNG.normal(0.0, 2.0)


def test_a_slow_leak_is_found_under_noise():
    found = list(growths(life(lambda i: noise(i) + 0.05 * i)))
    assert [(growth.who, growth.what, growth.episodes) for growth in found] == [('node', 'memory', COUNT)]
    assert found[0].amount == pytest.approx(20.0, abs=3.0)
    assert str(found[0]).startswith('node: memory grew by ')


def test_a_descriptor_in_a_hundred_episodes_is_found():
    assert [growth.what for growth in growths(life(noise, lambda i: 39 + i // 100))] == ['descriptors']


def test_what_fills_at_first_or_leaps_once_is_no_growth():
    assert not list(growths(life(lambda i: noise(i) + 200.0 * (1 - np.exp(-i / 4)))))
    assert not list(growths(life(lambda i: noise(i) + 50.0 * (i > 350), lambda i: 39 + (i == 200))))


FILLING = (451.0, 458.0, 480.1, 461.8, 481.1, 461.8, 481.2, 461.9, 481.3, 487.1, *[490.7] * 10)
"""Memory of a simulator node in its first twenty episodes, MB."""
LEAPING = (456.6, 463.7, 485.9, 491.2, 492.2, 494.3, *[494.4] * 2, *[494.6] * 2, *[494.7] * 2, *[495.4] * 2, 498.3, *[501.4] * 5)
"""The same on another day."""
SAGGING = (
    464.2, 466.8, 490.5, 497.0, 499.2, 502.2, *[503.2] * 4, *[506.2] * 3, 486.7, 498.0, 501.1, *[504.2] * 9, 486.9, 498.2,
    *[501.2] * 3, *[503.5] * 3, 487.0, *[498.2] * 3, *[501.3] * 3, 503.5, *[506.6] * 4,
)  # fmt: skip
"""On a third day, and for longer: it gives some back now and then, and fills again."""

LATE = (449.1, 456.0, 470.3, *[482.6] * 9, 486.1, 493.3, 496.9, 500.1, *[503.2] * 4)
"""What the worst of chances makes of twenty: it sags until the first half is over."""


@pytest.mark.parametrize('held', [FILLING, LEAPING, LATE], ids=['fills', 'leaps', 'late'])
def test_in_a_short_life_what_fills_or_leaps_once_is_no_growth_and_a_leak_is(held):
    assert not list(growths(life(lambda i: held[i], count=len(held))))
    assert [growth.what for growth in growths(life(lambda i: held[i] + 3.0 * i, count=len(held)))] == ['memory']


@pytest.mark.parametrize('first', range(6))
@pytest.mark.parametrize('count', [14, 17, 20, 30, 39])
def test_what_is_given_back_and_filled_again_is_no_growth_and_a_leak_is(first, count):
    assert not list(growths(life(lambda i: SAGGING[first + i], count=count)))
    found = [growth.what for growth in growths(life(lambda i: SAGGING[first + i] + 3.0 * i, count=count))]
    assert found == ['memory'] or count <= 20


def test_of_few_episodes_nothing_is_said():
    short = life(lambda i: 100.0 * i, count=12)
    assert not told(short)
    assert not list(growths(short))


def test_a_soak_that_was_broken_off_goes_on_with_another_bench(tmp_path):
    path = tmp_path / 'soak.jsonl'
    first = Kept(path)
    for sample in life(noise, count=3):
        first.add(sample)
    with path.open('a') as file:
        file.write('{"life": 0, "numb')  # killed while it wrote
    again = Kept(path)
    assert (again.samples, again.life) == (first.samples, 1)
    again.add(Sample(1, 3, 'unobservable', ('no bag was recorded',), 1.0, {'node': {'memory': 1.0}}))
    assert [len(each) for each in Kept(path).lives()] == [3, 1, 0]
    assert [sample.number for sample in Kept(path).lost()] == [3]


def test_it_is_drawn(tmp_path):
    kept = Kept(tmp_path / 'soak.jsonl')
    for sample in life(noise, count=30):
        kept.add(sample)
    draw(kept, 'soak', tmp_path / 'soak.png')
    assert (tmp_path / 'soak.png').read_bytes().startswith(b'\x89PNG')


def test_what_this_process_holds_is_seen():
    before = usage(os.getpid())
    held = bytearray(50_000_000), [open(os.devnull) for _ in range(7)]  # noqa: SIM115
    after = usage(os.getpid())
    assert after['memory'] - before['memory'] == pytest.approx(50.0, abs=5.0)
    assert after['descriptors'] - before['descriptors'] == 7
    for file in held[1]:
        file.close()
