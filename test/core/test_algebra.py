"""Products, lengths and angles are numpy's to the last few bits, and what is handed to the robot lies on the grid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.core.algebra import GRID, arccos, dot, matmul, norm, on_grid, rounded
from vlm_bench_sim.core.command import Joints, Point
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.protocols import Grasp

numbers = st.floats(-10, 10)


@pytest.mark.parametrize(('a', 'b'), [((3, 4), (4,)), ((3,), (3, 4)), ((2, 3), (3, 4))])
def test_a_product_is_that_of_numpy(a, b):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=a), rng.normal(size=b)
    assert matmul(x, y) == pytest.approx(x @ y, abs=1e-14)
    assert matmul(x, y).shape == (x @ y).shape


@given(st.lists(numbers, min_size=3, max_size=9))
def test_a_length_and_a_scalar_product_are_those_of_numpy(values):
    assert norm(values) == pytest.approx(float(np.linalg.norm(values)), abs=1e-12)
    assert dot(values, values[::-1]) == pytest.approx(float(np.dot(values, values[::-1])), abs=1e-12)


def test_the_length_of_a_matrix_is_over_all_its_numbers():
    assert norm(np.full((2, 2), 2.0)) == 4.0


@pytest.mark.parametrize(('cosine', 'angle'), [(1.0 + 1e-12, 0.0), (-1.0 - 1e-12, np.pi), (0.0, np.pi / 2)])
def test_a_cosine_a_little_beyond_one_has_an_angle(cosine, angle):
    assert arccos(cosine) == pytest.approx(angle)


@given(numbers, st.sampled_from([-1e-13, 0.0, 1e-13]))
def test_numbers_that_two_processors_tell_apart_are_one_on_the_grid(value, off):
    middle = round(value, GRID)  # not between two steps of the grid, where any error decides
    assert on_grid(middle + off) == on_grid(middle) == on_grid(on_grid(middle))
    assert str(on_grid(-1e-9)) == '0.0'


@pytest.mark.parametrize('what', [None, 'wide', [1.0], 3, 10**400])
def test_what_is_no_float_is_left_as_it_is(what):
    assert on_grid(what) is what


def test_whatever_is_handed_to_the_robot_is_on_the_grid():
    point = Point(0, (0.12345678, np.float64(-1e-9)), (1 / 3,))
    assert point == Point(0, (0.123457, 0.0), (0.333333,))
    assert Grip(0.0123456789).opening == 0.012346
    grasp = Grasp(Pose((1 / 3, 0.0, 0.0), (0.0, 0.0, 1e-9, 1.0)), 0.04 + 1e-12, 0.5)
    assert grasp == Grasp(Pose((0.333333, 0.0, 0.0)), 0.04, 0.5)


def test_nine_places_are_kept_of_a_shape():
    assert rounded([0.1234567894, -1e-12]).tolist() == [0.123456789, 0.0]


@pytest.mark.parametrize('positions', [[0.1234567, 1.0], (0.1234567, 1.0), np.array([0.1234567, 1.0])], ids=['list', 'tuple', 'array'])
def test_positions_become_a_tuple_on_the_grid(positions):
    assert Joints(positions) == Joints((0.123457, 1.0))
    assert Point(0, positions).positions == (0.123457, 1.0)


@pytest.mark.parametrize('positions', [3.0, '1234567', None])
def test_what_is_no_sequence_of_numbers_is_left_for_its_reader(positions):
    assert Joints(positions).positions == positions
