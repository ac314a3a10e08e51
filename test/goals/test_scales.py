"""Goals for a balance: what a plate carries, and when the beam is level."""

from dataclasses import replace
from math import radians

import pytest

from test.films import CUBE, snapshot
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.balance import ARM, BEAM, DROP, LEFT, PIVOT, RIGHT, TRAVEL, balance
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Body, JointState, Snapshot, pair
from vlm_bench_tasks.goals.scales import Carried, Level, carried_by

SCALE = balance('scale', Pose((0.5, 0.0, 0.0)))
LOWER, UPPER = replace(CUBE, name='lower'), replace(CUBE, name='upper')
HALF = CUBE.size[2] / 2
TOP = PIVOT - DROP
ON_LEFT = (pair('lower', 'scale/left_plate'),)
STACKED = (*ON_LEFT, pair('lower', 'upper'))
START = snapshot()


def at(beam: float = 0.0, speed: float = 0.0, *, x: float = 0.5, low: float = TOP, **more) -> Snapshot:
    """Two cubes on top of one another over the left plate."""
    poses = {'lower': Pose((x, ARM, low + HALF)), 'upper': Pose((x, ARM, low + 3 * HALF))}
    joints = {SCALE.full(BEAM): JointState(beam, speed), SCALE.full(LEFT): JointState(-beam), SCALE.full(RIGHT): JointState(-beam)}
    return replace(snapshot(), bodies={name: Body(pose) for name, pose in poses.items()}, mechanisms=joints, **more)


def carried(prop=LOWER, *links: str) -> Carried:
    return Carried(prop, SCALE, links or (LEFT, RIGHT))


def test_what_lies_on_a_plate_is_carried_and_so_is_what_lies_on_that():
    for prop in (LOWER, UPPER):
        assert carried(prop).holds(at(touching=STACKED), START)
        assert carried(prop).distance(at(touching=STACKED), START) == 0.0


def test_the_other_plate_does_not_carry_it():
    assert not carried(LOWER, RIGHT).holds(at(touching=STACKED), START)
    assert carried(LOWER, RIGHT).distance(at(touching=STACKED), START) == pytest.approx(2 * ARM - 0.05)


@pytest.mark.parametrize(
    ('what', 'now'),
    [
        ('nothing touches', at()),
        ('only the table carries it', at(touching=(pair('lower', TABLE),))),
        ('held', at(touching=STACKED, held='lower')),
        ('touched by the hand', at(touching=(*STACKED, pair('lower', ROBOT)))),
        ('beyond the edge', at(x=0.56, touching=STACKED)),
        ('beside the plate, lower', at(low=TOP - 0.006, touching=STACKED)),
    ],
)
def test_it_is_not_carried(what, now):
    assert not carried().holds(now, START), what


def test_what_lies_on_a_held_thing_is_not_carried():
    assert not carried(UPPER).holds(at(touching=STACKED, held='lower'), START)


def test_a_chain_of_contacts_does_not_lead_over_the_robot_or_the_table():
    over = (pair('scale/left_plate', ROBOT), pair('lower', ROBOT), pair('scale/left_plate', TABLE), pair('upper', TABLE))
    assert carried_by(SCALE, LEFT, at(touching=over)) == set()
    assert carried_by(SCALE, LEFT, at(touching=STACKED)) == {'lower', 'upper'}


def test_a_plate_carries_where_it_is():
    risen = at(radians(10.0), low=TOP + ARM * 0.17364818, touching=STACKED)
    assert carried().holds(risen, START)
    assert not carried().holds(at(radians(10.0), touching=STACKED), START)


def test_the_distance_is_up_to_the_plate_until_it_lies_there():
    assert carried().distance(at(low=TOP + 0.1), START) == pytest.approx(0.1)
    assert carried(UPPER).distance(at(touching=STACKED[:1]), START) == pytest.approx(2 * HALF)


def test_a_link_must_be_named_and_exist():
    with pytest.raises(SceneError, match="No link of 'scale' was named to carry 'lower'"):
        Carried(LOWER, SCALE, ())
    with pytest.raises(SceneError, match="'scale' has no link called 'plate'"):
        Carried(LOWER, SCALE, ('plate',))


@pytest.mark.parametrize(('beam', 'level'), [(0.0, True), (18.9, True), (-18.9, True), (19.1, False), (-19.1, False), (20.0, False)])
def test_a_beam_is_level_1_degree_off_its_stops(beam, level):
    goal = Level(SCALE, BEAM)
    assert goal.holds(at(radians(beam)), START) is level
    assert goal.distance(at(radians(beam)), START) == pytest.approx(max(0.0, radians(1.0) - (TRAVEL - abs(radians(beam)))))


@pytest.mark.parametrize(('speed', 'level'), [(0.9, True), (-0.9, True), (1.1, False), (-1.1, False)])
def test_a_beam_that_turns_by_1_degree_a_second_is_not_level(speed, level):
    assert Level(SCALE, BEAM).holds(at(0.0, radians(speed)), START) is level


@pytest.mark.parametrize(
    ('touching', 'held', 'level'),
    [
        (STACKED, '', True),
        ((pair('scale/right_plate', ROBOT),), '', False),
        ((pair('scale/beam', ROBOT),), '', False),
        ((pair('scale/foot', ROBOT),), '', True),
        (STACKED, 'upper', False),
        (ON_LEFT, 'upper', True),
        ((*STACKED, pair('upper', ROBOT)), '', False),
        ((*ON_LEFT, pair('lower', TABLE)), '', False),
        ((*ON_LEFT, pair('lower', 'scale/foot')), '', False),
        ((pair('scale/left_plate', TABLE),), '', False),
    ],
)
def test_a_beam_that_is_held_or_propped_is_not_level(touching, held, level):
    assert Level(SCALE, BEAM).holds(at(touching=touching, held=held), START) is level


def test_only_a_joint_can_be_level():
    with pytest.raises(SceneError, match='scale/foot is fixed'):
        Level(SCALE, 'foot')


def test_the_words_name_the_plates_and_the_beam():
    assert carried().words() == 'the red object is carried by the left plate or the right plate of the balance scale'
    assert carried(LOWER, LEFT).place == 'the left plate of the balance scale'
    assert Level(SCALE, BEAM).words() == 'the beam of the balance scale is level'
