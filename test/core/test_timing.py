"""Time is counted in physics steps; conversions are exact where they must be."""

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.timing import (
    CONTROL_HZ,
    PERIOD_NS,
    PERIOD_S,
    PHYSICS_HZ,
    STEPS_PER_PERIOD,
    periods_between,
    seconds_to_periods,
    steps_to_ns,
)


def test_the_quantum_is_fifty_milliseconds_of_twelve_steps():
    assert (PHYSICS_HZ, STEPS_PER_PERIOD, CONTROL_HZ, PERIOD_S, PERIOD_NS) == (240, 12, 20, 0.05, 50_000_000)


def test_period_boundaries_are_exact():
    assert [steps_to_ns(12 * n) for n in (0, 1, 2, 12_345_678)] == [0, 50_000_000, 100_000_000, 12_345_678 * 50_000_000]


def test_time_within_a_period_is_cut_off_to_whole_nanoseconds():
    assert steps_to_ns(1) == 4_166_666
    assert steps_to_ns(3) == 12_500_000


@pytest.mark.parametrize(
    ('seconds', 'periods'),
    [(0.0, 0), (-1.0, 0), (0.05, 1), (0.1, 2), (0.15, 3), (0.3, 6), (0.5, 10), (0.0501, 2), (0.01, 1), (2.5, 50), (0.1 + 0.2, 6)],
)
def test_seconds_become_the_least_number_of_periods(seconds, periods):
    """0.1 + 0.2 is a little more than 0.3 and still six periods."""
    assert seconds_to_periods(seconds) == periods


@pytest.mark.parametrize(('rate', 'periods'), [(20.0, 1), (10, 2), (20 / 3, 3), (5.0, 4), (2.5, 8), (1.0, 20), (0.5, 40)])
def test_pictures_come_every_so_many_periods(rate, periods):
    assert periods_between(rate) == periods


@pytest.mark.parametrize('rate', [15.0, 12.0, 9.0, 6.7, 3.0, 20.5, 40.0, 0.0, -10.0, float('nan'), float('inf')])
def test_a_rate_that_no_count_of_periods_gives_is_refused(rate):
    """15 a second would come every period or every other, 20 or 10 times a second."""
    with pytest.raises(ConfigError, match=rf'a rate of {rate:g} a second.* Ask for 1, 2, 4, 5, 10, 20'):
        periods_between(rate)
