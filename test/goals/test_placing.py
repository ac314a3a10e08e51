"""On, Within, At and what stands in a container, on both sides of every tolerance."""

from dataclasses import replace
from math import pi, radians

import pytest

from test.films import BLUE, CUBE, RED, snapshot
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Body, Snapshot, pair
from vlm_bench_tasks.goals.placing import At, Inside, On, Within

BASE = replace(CUBE, name='base', color=BLUE, size=(0.06, 0.06, 0.05), pose=Pose((0.4, 0.1, 0.025)))
ZONE = Prop('zone', 'zone', (0.12, 0.12, 0.002), BLUE, 0.0, pose=Pose((0.4, 0.1, 0.001)), ghost=True, noun='zone')
BASKET = Prop('basket', 'basket', (0.091, 0.153, 0.091), BLUE, 0.4, pose=Pose((0.4, -0.2, 0.0455)), noun='container')
PENCIL = Prop('pencil', 'pencil', (0.0175, 0.328, 0.015), RED, 0.07, pose=Pose((0.5, 0.2, 0.0075)), noun='pencil')
ON, WITHIN, STANDING = On(CUBE, BASE), Within(CUBE, ZONE), Inside(PENCIL, BASKET)
TOP = Pose((0.4, 0.1, 0.07))  # the base is 50 mm high and the cube's half 20 mm
AT = At(CUBE, TOP, near=0.03, turn=radians(10.0))
UPRIGHT = Pose.from_rpy((0.4, -0.2, 0.17), (pi / 2, 0.0, 0.0))


def film(props, poses=None, *, touching=(), held='') -> Snapshot:
    """One frame of props at their poses, or at others by name."""
    where = {prop.name: Body((poses or {}).get(prop.name, prop.pose)) for prop in props}
    return replace(snapshot(), bodies=where, touching=tuple(pair(*two) for two in touching), held=held)


def stacked(pose: Pose = TOP, *, touching=(('object_1', 'base'),), held='', base: Pose = BASE.pose) -> bool:
    now = film((CUBE, BASE), {'object_1': pose, 'base': base}, touching=touching, held=held)
    return ON.holds(now, now)


@pytest.mark.parametrize(
    ('offset', 'on'),
    [
        ((0, 0, 0), True),
        ((0, 0, 0.0049), True),
        ((0, 0, 0.0051), False),
        ((0, 0, -0.0049), True),
        ((0, 0, -0.0051), False),
        ((0.0299, 0, 0), True),  # the base's half width is 30 mm
        ((0.0301, 0, 0), False),
        ((0, -0.0299, 0), True),
        ((0, -0.0301, 0), False),
    ],
)
def test_on_is_level_with_the_top_and_over_it(offset, on):
    assert stacked(TOP.shifted(offset)) is on


PLATE = Prop('plate', 'plate', (0.258, 0.258, 0.024), BLUE, 0.13, pose=Pose((0.4, 0.1, 0.012)), noun='base')


@pytest.mark.parametrize(
    ('low', 'aside', 'on'),
    [
        (0.0289, 0.0, True),  # above the rim, which is 24 mm high
        (0.0291, 0.0, False),
        (0.0021, 0.0, True),  # in the floor, which is 4 mm thick
        (0.0019, 0.0, False),
        (0.0, 0.12, False),  # on the table, with its middle below the rim
        (0.01, 0.12, True),  # leans on the floor and the rim
        (0.01, 0.135, False),
    ],
)
def test_on_a_plate_is_between_its_floor_and_its_rim_or_on_the_rim(low, aside, on):
    at = Pose((0.4 + aside, 0.1, low + CUBE.size[2] / 2))
    now = film((CUBE, PLATE), {'object_1': at}, touching=(('object_1', 'plate'),))
    assert On(CUBE, PLATE).holds(now, now) is on


def test_what_is_held_touched_apart_or_of_another_color_is_not_on():
    assert not stacked(held='object_1')
    assert not stacked(touching=(('object_1', 'base'), ('object_1', 'robot')))
    assert not stacked(touching=())
    other = replace(CUBE, name='object_2', color=BLUE)
    wrong = film((CUBE, BASE, other), {'object_2': TOP}, touching=(('object_2', 'base'),))
    assert not ON.holds(wrong, wrong)


def test_what_leans_against_the_base_or_lies_beside_it_is_not_on():
    leaning = Pose.from_rpy((0.44, 0.1, 0.045), (0.0, radians(40.0), 0.0))
    assert not stacked(leaning)
    assert not stacked(Pose((0.45, 0.1, 0.02)))


def test_a_base_that_has_tipped_counts_with_its_new_top():
    tipped = Pose.from_rpy((0.4, 0.1, 0.03), (pi / 2, 0.0, 0.0))
    assert stacked(TOP.shifted((0, 0, 0.01)), base=tipped)
    assert not stacked(TOP, base=tipped)


@pytest.mark.parametrize(('x', 'within'), [(0.4, True), (0.4599, True), (0.4601, False), (0.52, False)])
def test_within_asks_for_half_of_the_outline(x, within):
    now = film((CUBE, ZONE), {'object_1': Pose((x, 0.1, 0.022))})
    assert WITHIN.holds(now, now) is within
    assert (WITHIN.distance(now, now) == 0.0) is within


@pytest.mark.parametrize(('height', 'within'), [(0.299, True), (0.301, False)])
def test_within_ends_above_a_zone(height, within):
    now = film((CUBE, ZONE), {'object_1': Pose((0.4, 0.1, 0.002 + height + 0.02))})
    assert WITHIN.holds(now, now) is within


@pytest.mark.parametrize(
    ('offset', 'yaw', 'at'),
    [
        ((0.0299, 0, 0), 0.0, True),
        ((0.0301, 0, 0), 0.0, False),
        ((0, 0, 0.0301), 0.0, False),
        ((0, 0, 0), 9.9, True),
        ((0, 0, 0), 10.1, False),
        ((0, 0, 0), 90.0 - 9.9, True),  # a quarter turn of a cube nobody can see
        ((0, 0, 0), 45.0, False),
    ],
)
def test_at_knows_distance_angle_and_symmetry(offset, yaw, at):
    now = film((CUBE,), {'object_1': TOP.shifted(offset) @ Pose.from_rpy((0, 0, 0), (0, 0, radians(yaw)))})
    assert AT.holds(now, now) is at
    assert not AT.holds(replace(now, held='object_1'), now)


def standing(pencil: Pose, *, held='', basket: Pose = BASKET.pose) -> bool:
    now = film((PENCIL, BASKET), {'pencil': pencil, 'basket': basket}, held=held)
    return STANDING.holds(now, now)


def test_a_pencil_that_stands_in_a_basket_is_inside_it():
    assert standing(UPRIGHT)
    assert standing(Pose.from_rpy((0.4, -0.2, 0.16), (pi / 2 - radians(20.0), 0.0, 0.0)))


@pytest.mark.parametrize(('height', 'inside'), [(0.005, True), (0.0470, True), (0.0480, False), (0.10, False)])
def test_its_end_must_be_half_way_down(height, inside):
    # The cavity's floor is at 4 mm and its rim at 91 mm: half way is at 47.5 mm, and the pencil's half length is 164 mm.
    assert standing(UPRIGHT.shifted((0.0, 0.0, height + 0.164 - UPRIGHT.position[2]))) is inside


def test_a_pencil_held_half_out_or_in_a_tipped_basket_is_not_inside():
    assert not standing(UPRIGHT, held='pencil')
    assert not standing(PENCIL.pose)
    across = Pose((0.4, -0.2, 0.0985))
    assert not standing(across)  # over the rim
    assert not standing(Pose.from_rpy((0.46, -0.2, 0.10), (pi / 2, 0.0, 0.0)))  # beside it, end on the table
    tipped = Pose.from_rpy((0.4, -0.2, 0.0455), (radians(16.0), 0.0, 0.0))
    assert not standing(tipped @ (BASKET.pose.inverse() @ UPRIGHT), basket=tipped)


@pytest.mark.parametrize('goal', [ON, WITHIN, AT, STANDING])
def test_words_and_json(goal):
    assert goal.words().startswith('the red ')
    assert loads(dumps(goal)) == goal
