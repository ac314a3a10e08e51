"""A gripper's profile makes the commands with which it opens, takes hold and lets go."""

import pytest

from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.profiles import robot

PARALLEL, SUCTION = robot('panda').gripper, robot('ur5e').gripper


def test_fingers_open_and_close_all_the_way_and_make_ready_as_wide_as_a_grasp_needs():
    assert PARALLEL.open() == Grip(PARALLEL.max_opening)
    assert PARALLEL.close() == PARALLEL.fist() == Grip(0.0)
    assert PARALLEL.ready(0.03) == Grip(0.03)


def test_fingers_that_let_go_open_a_little_only_and_never_too_far():
    assert PARALLEL.release(0.03) == Grip(0.05)
    assert PARALLEL.release(PARALLEL.max_opening - 0.001) == PARALLEL.open()


def test_cups_suck_or_let_go_whatever_the_opening():
    assert SUCTION.close() == Seal(on=True)
    assert SUCTION.open() == SUCTION.fist() == SUCTION.ready(0.03) == SUCTION.release(0.03) == Seal(on=False)
    assert SUCTION.suction
    assert not PARALLEL.suction


@pytest.mark.parametrize(('gripper', 'opening', 'gone'), [(PARALLEL, 0.0795, True), (PARALLEL, 0.03, False), (SUCTION, 0.0, True)])
def test_a_gripper_that_stands_open_has_let_go_by_itself(gripper, opening, gone):
    assert gripper.has_let_go(opening) is gone


def test_each_finger_travels_its_share_of_the_opening():
    assert PARALLEL.travel(0.08) == pytest.approx(0.04)
    assert SUCTION.travel(0.08) == 0.0


def test_a_vacuum_sensor_tells_whether_cups_hold_something():
    assert SUCTION.sealed(SUCTION.sensed('target_1')) is True
    assert SUCTION.sealed(SUCTION.sensed('')) is False
    assert SUCTION.sealed({}) is None
    assert PARALLEL.sensed('target_1') == {} and PARALLEL.sealed({}) is None
