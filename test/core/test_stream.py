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


def test_what_a_period_suffices_for_takes_one():
    chunk = Stream(PANDA).chunk(Joints(tuple(HOME + FAR * 0.9)), HOME)
    assert [point.time_ns for point in chunk.points] == [PERIOD_NS]


def test_what_is_farther_away_is_gone_to_at_the_limit_of_the_slowest_joint():
    chunk = Stream(PANDA).chunk(Joints(tuple(HOME + FAR * 2.5)), HOME)
    assert [point.time_ns for point in chunk.points] == [PERIOD_NS, 3 * PERIOD_NS]
    assert np.asarray(chunk.points[0].positions) == pytest.approx(HOME + FAR, abs=1e-5)


def test_the_next_set_point_goes_on_from_where_the_one_before_led_however_the_arm_trails():
    stream = Stream(PANDA)
    stream.chunk(Joints(tuple(HOME + FAR * 0.9)), HOME)
    chunk = stream.chunk(Joints(tuple(HOME + FAR * 1.8)), HOME)
    assert [point.time_ns for point in chunk.points] == [PERIOD_NS]


def test_an_arm_that_could_not_follow_or_was_moved_otherwise_is_sent_on_from_where_it_is():
    stream = Stream(PANDA)
    stream.chunk(Joints(tuple(HOME)), HOME)
    away = HOME + 0.3
    assert len(stream.chunk(Joints(tuple(HOME + 0.3 + FAR * 0.9)), away).points) == 1
    stream.forget()
    assert len(stream.chunk(Joints(tuple(HOME + FAR * 0.9)), HOME).points) == 1


@pytest.mark.parametrize('positions', [(0.1, 0.2), (float('nan'),) * 7])
def test_what_is_no_set_point_is_refused(positions):
    with pytest.raises(CommandError):
        Stream(PANDA).chunk(Joints(positions), HOME)
