"""Inside means contained and released; both sides of every tolerance."""

from dataclasses import replace
from math import radians

import pytest

from test.films import BLUE, CUBE, IN_TRAY, TRAY, snapshot
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_tasks.goals.placing import Inside

INSIDE = Inside(CUBE, TRAY)
START = snapshot()
# Inner width of the tray is 0.200 − 2 × 0.004 = 0.192 m along x and 0.117 m along y; the cube's half width is 0.020 m.
SORTER = Prop('sorter', 'shape_sorter', (0.24, 0.24, 0.186), BLUE, 0.8, pose=Pose((0.6, 0.0, 0.093)), noun='shape sorter')
FREE_X, FREE_Y = 0.096 - 0.020, 0.0585 - 0.020


def holds(**what) -> bool:
    return INSIDE.holds(snapshot(**what), START)


def test_a_cube_on_the_floor_of_the_tray_is_inside():
    assert holds(cube=IN_TRAY)
    assert not INSIDE.holds(START, START)


@pytest.mark.parametrize(
    ('offset', 'inside'),
    [
        ((FREE_X + 0.0019, 0, 0), True),
        ((FREE_X + 0.0021, 0, 0), False),
        ((-FREE_X - 0.0019, 0, 0), True),
        ((-FREE_X - 0.0021, 0, 0), False),
        ((0, FREE_Y + 0.0019, 0), True),
        ((0, FREE_Y + 0.0021, 0), False),
        ((0, -FREE_Y - 0.0021, 0), False),
        ((0.096, 0, 0.03), False),  # half out over the rim: overlap is not containment
        ((0, 0, 0.0259), True),  # centre at 49.9 mm, rim at 50 mm
        ((0, 0, 0.0261), False),
        ((0, 0, -0.0019), True),
        ((0, 0, -0.0021), False),  # lowest vertex 2.1 mm into the floor
    ],
)
def test_it_must_be_within_the_cavity_up_to_two_millimetres(offset, inside):
    assert holds(cube=IN_TRAY.shifted(offset)) is inside


def test_a_turned_cube_needs_more_room():
    place = IN_TRAY.shifted((FREE_X - 0.004, 0, 0))
    assert holds(cube=place)
    assert not holds(cube=Pose.from_rpy(place.position, (0, 0, radians(45))))  # half diagonal 28.3 mm


def test_a_cube_under_an_upturned_tray_is_not_inside():
    assert not holds(cube=CUBE.pose, tray=Pose.from_rpy((0.5, -0.2, 0.03), (radians(180), 0, 0)))


def test_a_cube_under_a_raised_tray_is_not_inside():
    assert not holds(cube=Pose((0.5, 0.2, 0.02)), tray=TRAY.pose.shifted((0, 0, 0.045)))


def test_a_held_or_touched_cube_is_not_yet_inside():
    assert not holds(cube=IN_TRAY, held='object_1')
    assert not holds(cube=IN_TRAY, touching=(('object_1', 'robot'),))
    assert holds(cube=IN_TRAY, held='container_1', touching=(('container_1', 'object_1'), ('container_1', 'robot')))


@pytest.mark.parametrize(('degrees', 'inside'), [(14.9, True), (15.1, False)])
def test_the_container_must_stand_upright_within_fifteen_degrees(degrees, inside):
    tray = Pose.from_rpy(TRAY.pose.position, (radians(degrees), 0, 0))
    cube = tray @ (TRAY.pose.inverse() @ IN_TRAY)
    assert holds(cube=cube, tray=tray) is inside


def test_it_follows_a_tray_that_was_moved():
    moved = Pose.from_rpy((0.3, 0.0, 0.025), (0, 0, radians(70)))
    assert holds(cube=moved @ Pose((0.076, 0.0385, -0.001)), tray=moved)
    assert not holds(cube=IN_TRAY, tray=moved)


def test_the_distance_is_how_far_it_sticks_out():
    assert INSIDE.distance(snapshot(cube=IN_TRAY), START) == 0.0
    assert INSIDE.distance(snapshot(cube=IN_TRAY.shifted((FREE_X + 0.012, 0, 0))), START) == pytest.approx(0.010)
    beside_and_above = IN_TRAY.shifted((FREE_X + 0.002 + 0.03, 0, 0.026 + 0.04))
    assert INSIDE.distance(snapshot(cube=beside_and_above), START) == pytest.approx(0.05)


@pytest.mark.parametrize(('height', 'inside'), [(-0.05, True), (0.0019, True), (0.0021, False), (0.02, False), (0.0544, False)])
def test_under_a_lid_nothing_may_stick_in_a_hole(height, inside):
    # The lid is 14.4 mm thick and the block 40 mm high: at 0 its top is level with the ceiling, at 54.4 mm it lies on the lid.
    now = replace(START, bodies={'object_1': Body(Pose((0.539, 0.058, 0.093 + 0.0786 - 0.02 + height))), 'sorter': Body(SORTER.pose)})
    assert Inside(CUBE, SORTER).holds(now, now) is inside
    assert (Inside(CUBE, SORTER).distance(now, now) == 0.0) is inside


def test_a_container_needs_a_cavity():
    with pytest.raises(SceneError, match=r"'object_1' is a cube, which has no cavity"):
        Inside(TRAY, CUBE)


def test_a_prop_missing_from_the_snapshot_is_an_error_not_a_no():
    with pytest.raises(SceneError, match=r"no prop called 'object_1'"):
        INSIDE.holds(type(START)(0, 0, {}, Pose(), 0.08, bodies={'container_1': START.body('container_1')}), START)


def test_it_speaks_and_survives_json():
    assert INSIDE.words() == 'the red object is inside the blue container'
    assert INSIDE.props() == (CUBE, TRAY)
    assert loads(dumps(INSIDE)) == INSIDE
