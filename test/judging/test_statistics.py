"""What two policies' scores on the same episodes say of their difference."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.judging.statistics import Pairs, rank_agreement, trend

COUNTS = st.integers(0, 60)


@pytest.mark.parametrize(
    ('pairs', 'low', 'high'),
    [
        # Newcombe 1998, Statistics in Medicine 17, 2635: method 10, less and more being exchanged
        (Pairs(36, 12, 2, 0), -0.3404, -0.0569),
        (Pairs(20, 12, 2, 16), -0.3292, -0.0562),
        (Pairs(0, 0, 0, 0), -1.0, 1.0),
    ],
)
def test_the_interval_of_a_difference_is_the_published_one(pairs, low, high):
    assert pairs.interval == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(('first', 'second'), [(0, 0), (0, 5), (3, 3), (2, 12), (9, 1)])
def test_the_test_is_exact(first, second):
    uneven = first + second
    ways = [comb(uneven, k) for k in range(uneven + 1)]
    expected = sum(way for way in ways if way <= ways[first]) / 2**uneven
    assert Pairs(7, first, second, 4).p_value == pytest.approx(expected)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_interval_holds_the_difference_and_turns_round_with_it(both, first, second, neither):
    pairs, turned = Pairs(both, first, second, neither), Pairs(both, second, first, neither)
    low, high = pairs.interval
    assert -1.0 <= low <= pairs.difference + 1e-12
    assert pairs.difference - 1e-12 <= high <= 1.0
    assert turned.difference == pytest.approx(-pairs.difference)
    assert turned.interval == pytest.approx((-high, -low))
    assert turned.p_value == pytest.approx(pairs.p_value)


def test_pairs_are_counted_from_none():
    with pytest.raises(VlmBenchError, match='must not be negative'):
        Pairs(1, -1, 0, 0)


@pytest.mark.parametrize(
    ('values', 'known'),
    [
        ((0.1, 0.2, 0.9), 1.0),
        ((3.0, 2.0, 1.0), -1.0),
        ((0.0, 0.0, 1.0, 1.0), 0.894),  # 2 / sqrt(5), ties at their mean rank
        ((0.1, 0.9, 0.5, 1.0), 0.8),
        ((0.5, 0.5), None),
        ((0.5,), None),
        ((), None),
    ],
)
def test_a_trend_is_spearmans(values, known):
    assert trend(values) == known


def test_two_benches_agree_in_order_as_far_as_kendalls_tau_says():
    """Of ten pairs of cells nine stand in the same order and one in the other: tau is 0.8."""
    rates = [(0, 1), (3, 0), (5, 6), (8, 8), (10, 10)]
    cells = [Pairs(min(a, b), a - min(a, b), b - min(a, b), 10 - max(a, b)) for a, b in rates]
    found = rank_agreement(cells)
    assert found.tau == 0.8 and -1.0 <= found.low < 0.8 < found.high <= 1.0
    assert found == rank_agreement(cells)
    more = rank_agreement([Pairs(*(100 * n for n in (one.both, one.first_only, one.second_only, one.neither))) for one in cells])
    assert more.tau == 0.8 and more.high - more.low < found.high - found.low
    turned = rank_agreement([Pairs(0, one.both + one.first_only, 10 - one.both - one.first_only, 0) for one in cells])
    assert (turned.tau, turned.low, turned.high) == (-1.0, -1.0, -1.0)


@pytest.mark.parametrize('cells', [[], [Pairs(3, 1, 0, 1)], [Pairs(5, 0, 0, 0), Pairs(3, 0, 2, 0)], [Pairs(0, 0, 0, 0), Pairs(1, 2, 3, 4)]])
def test_where_there_is_no_order_there_is_no_agreement(cells):
    assert rank_agreement(cells) is None
