"""A shape says which of its turns nobody can see."""

from dataclasses import replace
from math import pi, radians

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import CLEAR, Texture
from vlm_bench_sim.core.objects.stock import COLORS, block
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.symmetry import ANY, Symmetry, symmetry

HERE = Pose.from_rpy((0.4, 0.1, 0.02), (0.0, 0.0, 0.3))
ORDERS = {
    'cube': (4, 4, 4), 'cylinder': (2, 2, ANY), 'ball': (ANY, ANY, ANY), 'bowl': (1, 1, ANY), 'star': (1, 2, 5), 'pentagon': (1, 2, 5),
    'triangular_prism': (1, 2, 3), 'cross': (2, 2, 4), 'letter_t': (1, 2, 1), 'moon': (2, 1, 1), 'mug1': (1, 1, 1), 'tray': (1, 1, 2),
    'zone': (2, 2, 4), 'tuna_can': (2, 2, ANY), 'soup_can': (2, 2, ANY), 'die': (1, 1, 1), 'rubiks_cube': (4, 4, 4), 'apple': (1, 1, 1),
}  # fmt: skip


def turned(pose: Pose, *rpy: float) -> Pose:
    return pose @ Pose.from_rpy((0.0, 0.0, 0.0), rpy)


@pytest.mark.parametrize(('kind', 'orders'), ORDERS.items(), ids=list(ORDERS))
def test_orders_are_those_of_the_shape(kind, orders):
    assert symmetry(kind, usual_size(kind)).orders == orders


def test_sides_of_different_lengths_leave_half_turns():
    assert symmetry('cube', (0.05, 0.05, 0.25)).orders == (2, 2, 4)
    assert symmetry('cube', (0.04, 0.05, 0.06)).orders == (2, 2, 2)
    assert symmetry('cylinder', (0.05, 0.08, 0.04)).orders == (2, 2, 2)


@pytest.mark.parametrize(('kind', 'order'), [('cube', 4), ('star', 5), ('triangular_prism', 3), ('letter_t', 1)])
def test_only_what_is_left_of_a_turn_counts(kind, order):
    same = symmetry(kind, usual_size(kind))
    for k in range(order):
        assert same.turned(HERE, turned(HERE, 0.0, 0.0, 2 * pi * k / order + 0.1)) == pytest.approx(0.1)
    half = pi / order
    assert same.turned(HERE, turned(HERE, 0.0, 0.0, half)) == pytest.approx(half)


def test_a_cube_may_lie_on_any_side_and_a_cylinder_roll_and_stand_on_its_head_but_not_lean():
    cube, cylinder = (symmetry(kind, (0.04, 0.04, 0.04)) for kind in ('cube', 'cylinder'))
    assert cube.turned(HERE, turned(HERE, pi / 2, pi / 2, pi)) == pytest.approx(0.0, abs=1e-7)
    assert cylinder.turned(HERE, turned(HERE, pi, 0.0, 1.234)) == pytest.approx(0.0, abs=1e-7)
    assert cylinder.turned(HERE, turned(HERE, 0.2, 0.0, 0.0)) == pytest.approx(0.2)
    assert symmetry('ball', (0.05,) * 3).turned(HERE, turned(HERE, 1.0, 2.0, 3.0)) == 0.0


def test_a_symmetric_turn_leaves_the_centre_in_place_where_it_moves_the_frame():
    same = symmetry('triangular_prism', usual_size('triangular_prism'))
    about = Pose(same.centre) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, radians(120))) @ Pose(same.centre).inverse()
    there = HERE @ about
    assert HERE.distance(there) > 0.01
    assert same.apart(HERE, there) == pytest.approx(0.0, abs=1e-9)
    assert same.turned(HERE, there) == pytest.approx(0.0, abs=1e-7)
    assert same.apart(HERE, HERE.shifted((0.03, 0.0, 0.0))) == pytest.approx(0.03)


def test_a_prop_knows_its_own_and_none_is_the_default():
    assert block('a', COLORS['red']).symmetry.orders == (4, 4, 4)
    assert Symmetry().turned(HERE, turned(HERE, 0.0, 0.0, pi)) == pytest.approx(pi)


def test_a_pattern_shows_every_turn_but_those_of_a_round_body():
    plain = block('a', COLORS['red'])
    striped = replace(plain, texture=Texture('stripe', COLORS['blue'], 0.02))
    quarter = turned(HERE, 0.0, 0.0, pi / 2)
    assert plain.symmetry.turned(HERE, quarter) == pytest.approx(0.0, abs=1e-6)
    assert striped.symmetry.turned(HERE, quarter) == pytest.approx(pi / 2)
    can = replace(striped, kind='cylinder')
    assert can.symmetry.orders == (1, 1, ANY)
    assert can.symmetry.turned(HERE, turned(HERE, 0.0, 0.0, 1.0)) == pytest.approx(0.0, abs=1e-6)
    assert replace(plain, texture=Texture(CLEAR, COLORS['red'])).symmetry == plain.symmetry
