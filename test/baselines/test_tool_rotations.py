"""Orientations as approach and angle: there and back, and half a turn of the hand is left out."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_baselines.tool_rotations import approach_and_yaw, half_turned, orientation
from vlm_bench_sim.core.geometry import Pose

HALF_TURN = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, pi))
numbers = st.floats(-1.0, 1.0)


@given(st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_there_and_back_is_the_same_orientation_up_to_half_a_turn_of_the_hand(quaternion):
    pose = Pose.of((0.0, 0.0, 0.0), quaternion)
    approach, yaw = approach_and_yaw(pose)
    assert -pi / 2 <= yaw < pi / 2
    found = orientation(approach, yaw)
    assert min(found.angle(pose), (found @ HALF_TURN).angle(pose)) < 1e-5


def test_a_tool_that_points_down_along_the_world_has_no_angle():
    approach, yaw = approach_and_yaw(Pose.of((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)))
    assert approach.tolist() == [0.0, 0.0, -1.0]
    assert yaw == pytest.approx(0.0)


def test_half_a_turn_of_the_hand_has_the_same_angle():
    pose = orientation((0.1, 0.0, -1.0), 0.4)
    assert approach_and_yaw(pose)[1] == pytest.approx(approach_and_yaw(pose @ HALF_TURN)[1]) == pytest.approx(0.4)


@pytest.mark.parametrize(('yaw', 'found'), [(0.0, 0.0), (pi / 2, -pi / 2), (2.0, 2.0 - pi), (-2.0, pi - 2.0), (7.0, 7.0 - 2 * pi)])
def test_angles_come_into_half_a_turn(yaw, found):
    assert half_turned(yaw) == pytest.approx(found)
