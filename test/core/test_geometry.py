"""Poses form a group and agree with matrices; what is no pose is refused."""

from math import inf, nan, pi, sqrt

import numpy as np
import pytest
import transforms3d
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Box, Pose, vector

numbers = st.floats(-3.0, 3.0, allow_nan=False, width=32).map(float)
quaternions = st.tuples(*[st.floats(-1.0, 1.0, allow_nan=False, width=32)] * 4).filter(lambda q: sum(v * v for v in q) > 0.01)
poses = st.builds(Pose.of, st.tuples(numbers, numbers, numbers), quaternions)


def close(a: Pose, b: Pose, tolerance: float = 1e-9) -> bool:
    return bool(np.allclose(a.matrix, b.matrix, atol=tolerance))


@given(poses, poses)
def test_composition_is_that_of_the_matrices(a, b):
    assert np.allclose((a @ b).matrix, a.matrix @ b.matrix, atol=1e-9)


@given(poses, poses)
def test_composition_adds_from_left_to_right_to_the_bit(a, b):
    """State hashes are over these bits."""
    (x, y, z, w), (i, j, k, r) = a.orientation, b.orientation
    turned = transforms3d.quaternions.qmult((w, x, y, z), (r, i, j, k))
    rows = [r * x + s * y + t * z for (r, s, t), (x, y, z) in zip(a.rotation.tolist(), [b.position] * 3, strict=True)]
    moved = np.array(a.position) + np.array(rows)
    assert repr((a @ b).orientation) == repr((*turned[1:].tolist(), float(turned[0])))
    assert repr((a @ b).position) == repr(tuple(moved.tolist()))


@given(poses)
def test_the_rotation_is_that_of_transforms3d_to_the_bit(a):
    x, y, z, w = a.orientation
    assert a.rotation.tobytes() == transforms3d.quaternions.quat2mat((w, x, y, z)).tobytes()


@given(poses)
def test_a_pose_and_its_inverse_cancel(a):
    assert close(a @ a.inverse(), Pose())
    assert close(a.inverse() @ a, Pose())
    assert np.allclose(a.inverse().matrix, np.linalg.inv(a.matrix), atol=1e-9)


@given(poses, poses, poses)
def test_composition_is_associative(a, b, c):
    assert close((a @ b) @ c, a @ (b @ c))


@given(poses)
def test_the_matrix_gives_the_pose_back(a):
    again = Pose.from_matrix(a.matrix)
    assert close(a, again)
    assert abs(sum(v * v for v in again.orientation) - 1.0) < 1e-12


@given(poses)
def test_rotations_keep_lengths_and_handedness(a):
    assert np.allclose(a.rotation @ a.rotation.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(a.rotation) == pytest.approx(1.0)


@given(poses, st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=5))
def test_points_move_as_homogeneous_ones_do(a, points):
    homogeneous = np.column_stack([points, np.ones(len(points))])
    assert np.allclose(a.apply(points), (homogeneous @ a.matrix.T)[:, :3], atol=1e-9)


@given(poses, poses)
def test_the_angle_is_that_of_the_quaternions(a, b):
    dot = abs(sum(p * q for p, q in zip(a.orientation, b.orientation, strict=True)))
    assert a.angle(b) == pytest.approx(2 * np.arccos(min(1.0, dot)), abs=2e-6)
    assert a.angle(b) == pytest.approx(b.angle(a), abs=1e-9)


@given(st.floats(1e-9, 1e-3))
def test_small_angles_keep_their_precision(angle):
    assert Pose().angle(Pose.from_rpy((0, 0, 0), (0, 0, angle))) == pytest.approx(angle, rel=1e-6)


def test_quaternions_are_xyzw():
    """A quarter turn about z takes x to y."""
    quarter = Pose.of((0, 0, 0), (0, 0, sqrt(0.5), sqrt(0.5)))
    assert np.allclose(quarter.apply([(1, 0, 0)]), [(0, 1, 0)])
    assert quarter.yaw == pytest.approx(pi / 2)


def test_roll_pitch_yaw_turn_about_fixed_axes_in_that_order():
    """As in a URDF: first roll about x, then pitch about the parent's y, then yaw about the parent's z."""
    roll, pitch, yaw = 0.3, -0.7, 1.1
    c, s = np.cos, np.sin
    about_x = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
    about_y = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
    about_z = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
    assert np.allclose(Pose.from_rpy((0, 0, 0), (roll, pitch, yaw)).rotation, about_z @ about_y @ about_x)


@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers))
def test_look_at_makes_an_optical_frame(eye, target):
    """Its z points at the target, its y down, its x to the right and level."""
    forward = np.subtract(target, eye)
    distance = np.linalg.norm(forward)
    if distance < 0.1 or np.hypot(*forward[:2]) < 0.05 * distance:
        return
    frame = Pose.look_at(eye, target)
    assert np.allclose(frame.inverse().apply([target]), [(0, 0, distance)], atol=1e-6)
    assert frame.rotation[2, 0] == pytest.approx(0.0, abs=1e-6)
    assert frame.rotation[2, 1] < 0.0


def test_look_at_straight_down_takes_another_up():
    frame = Pose.look_at((0.4, 0.0, 1.0), (0.4, 0.0, 0.0), up=(1.0, 0.0, 0.0))
    assert np.allclose(frame.rotation, [[0, -1, 0], [-1, 0, 0], [0, 0, -1]], atol=1e-9)


def test_shifted_moves_along_the_parents_axes():
    pose = Pose.from_rpy((1, 2, 3), (0, 0, pi / 2))
    assert pose.shifted((0.5, 0, 0)) == Pose((1.5, 2.0, 3.0), pose.orientation)
    assert pose.distance(pose.shifted((0.3, 0.4, 0.0))) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ('position', 'orientation', 'words'),
    [
        ((nan, 0, 0), (0, 0, 0, 1), 'finite'),
        ((0, inf, 0), (0, 0, 0, 1), 'finite'),
        ((0, 0, 0), (0, 0, nan, 1), 'finite'),
        ((0, 0), (0, 0, 0, 1), '3 \\+ 4'),
        ((0, 0, 0), (0, 0, 1), '3 \\+ 4'),
        ((0, 0, 0), (0, 0, 0, 0), 'other than zero'),
        ((0, 0, 0), (1e-9, 0, 0, 0), 'other than zero'),
    ],
)
def test_what_is_no_pose_is_refused(position, orientation, words):
    with pytest.raises(CommandError, match=words):
        Pose.of(position, orientation)


def test_a_quaternion_is_normalised_and_a_unit_one_left_as_it_is():
    assert Pose.of((0, 0, 0), (0, 0, 0, 2)).orientation == (0, 0, 0, 1)
    almost = (0.1, 0.2, 0.3, sqrt(1 - 0.14))
    assert Pose.of((0, 0, 0), almost).orientation == almost


def test_a_box_lies_between_its_corners():
    box = Box((1.0, 2.0, 3.0), (0.2, 0.4, 0.6))
    assert np.allclose(box.low, (0.9, 1.8, 2.7))
    assert np.allclose(box.high, (1.1, 2.2, 3.3))


def test_a_vector_has_three_numbers():
    assert vector(np.array([1, 2, 3])) == (1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match='unpack'):
        vector((1, 2))
