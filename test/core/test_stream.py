"""Set points that last a control period each: within the velocity limits, and on from where the arm was sent."""

import numpy as np
import pytest

from vlm_bench_sim.core.command import Joints
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.stream import Stream
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.profiles import robot

PANDA = robot('panda')
HOME = np.asarray(PANDA.home)
FAR = np.asarray(PANDA.velocity) * 0.05  # that a joint moves in a period at most, rad


def begin(stream, positions, measured=HOME, seq=0):
    """Let the arm be sent somewhere after a control period; return the trajectory's points."""
    chunk = stream.chunk(Joints(tuple(positions)), measured, seq=seq)
    stream.began(chunk, measured, seq=seq)
    return chunk.points


def test_what_a_period_suffices_for_takes_one():
    assert [point.time_ns for point in begin(Stream(PANDA), HOME + FAR * 0.9)] == [PERIOD_NS]


def test_what_is_farther_away_is_gone_to_at_the_limit_of_the_slowest_joint():
    points = begin(Stream(PANDA), HOME + FAR * 2.5)
    assert [point.time_ns for point in points] == [PERIOD_NS, 3 * PERIOD_NS]
    assert np.asarray(points[0].positions) == pytest.approx(HOME + FAR, abs=1e-5)


def test_the_next_set_point_goes_on_from_where_the_one_before_led_however_the_arm_trails():
    stream = Stream(PANDA)
    begin(stream, HOME + FAR * 0.9)
    assert len(begin(stream, HOME + FAR * 1.8, seq=1)) == 1


def test_periods_that_pass_meanwhile_count():
    """What was far away is reached by then, and the way back is as long."""
    stream = Stream(PANDA)
    begin(stream, HOME + 0.24)
    there = HOME + 0.24
    (first, _) = begin(stream, HOME, there, seq=5)
    assert np.max(np.abs(np.asarray(first.positions) - there) / FAR) <= 1.0 + 1e-4


def test_what_did_not_begin_counts_for_nothing():
    stream = Stream(PANDA)
    for _ in range(4):
        stream.chunk(Joints(tuple(HOME + FAR)), HOME, seq=0)
    assert len(begin(stream, HOME - FAR * 0.9)) == 1


def test_an_arm_that_could_not_follow_or_was_moved_otherwise_is_sent_on_from_where_it_is():
    stream = Stream(PANDA)
    begin(stream, HOME)
    away = HOME + 0.35
    assert len(begin(stream, away + FAR * 0.9, away, seq=1)) == 1
    stream.forget()
    assert len(begin(stream, HOME + FAR * 0.9, seq=2)) == 1


@pytest.mark.parametrize('positions', [(0.1, 0.2), (float('nan'),) * 7])
def test_what_is_no_set_point_is_refused(positions):
    with pytest.raises(CommandError):
        Stream(PANDA).chunk(Joints(positions), HOME, seq=0)
