"""A scene has one name for each thing, and finds things by name."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.mechanisms import Link, Mechanism
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import obstacles
from vlm_bench_sim.core.scene import RobotStart, Scene, Table, footprint
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.profiles import robot

RED = Color('red', (1.0, 0.0, 0.0))


def cube(name: str, x: float = 0.4) -> Prop:
    return Prop(name, 'cube', (0.03, 0.04, 0.05), RED, 0.07, pose=Pose((x, 0.0, 0.025)))


CHEST = Mechanism('chest', (Link('body', (cube('board'),)),))
WATER, SOIL = Beads('water', ((0.4, 0.0, 0.01),)), Dirt('soil', ((0.4, 0.0, 0.001),), 'a')


def seen(*props: Prop, held: str = '') -> Snapshot:
    """A snapshot with the tool 0.1 m above x = 0.5, pointing down, and each prop 1 m to the left of where it was laid."""
    tool = Pose((0.5, 1.0, 0.125), (1.0, 0.0, 0.0, 0.0))
    return Snapshot(0, 0, {}, tool, 0.08, held, {prop.name: Body(prop.pose.shifted((0.0, 1.0, 0.0))) for prop in props})


@pytest.mark.parametrize('names', [('a', 'a'), ('robot',), ('table', 'b'), ('a', 'b', 'a')])
def test_names_that_clash_are_refused(names):
    with pytest.raises(SceneError, match=f'{names[0]}.*Rename'):
        Scene(tuple(cube(name) for name in names))


@pytest.mark.parametrize('name', ['', 'my cube', 'a/b', 'würfel', 'a\n', 3])
def test_a_name_is_of_letters_digits_and_underscores(name):
    with pytest.raises(SceneError, match=r'name of a prop is made of .*; found .*Rename it'):
        Scene((cube(name),))


def test_names_are_those_of_everything_and_each_is_taken_once():
    furnished = Scene((cube('a'),), mechanisms=(CHEST,), beads=(WATER,), dirt=(SOIL,))
    assert furnished.names == ('robot', 'table', 'room', 'a', 'chest', 'water', 'soil', 'chest/body')
    for name in ('chest', 'water', 'soil'):
        with pytest.raises(SceneError, match=f'{name}.*Rename'):
            Scene((cube('a'), cube(name)), mechanisms=(CHEST,), beads=(WATER,), dirt=(SOIL,))


def test_a_wiper_is_a_prop_of_the_scene():
    with pytest.raises(SceneError, match="no prop called 'a'"):
        Scene((cube('b'),), dirt=(SOIL,))


def test_with_other_props_what_is_gone_is_neither_held_nor_wipes():
    scene = Scene((cube('a'), cube('b')), robot=RobotStart(held='a'), dirt=(SOIL,))
    assert scene.with_props(scene.props) == scene
    fewer = scene.with_props((cube('b'), cube('c')))
    assert [prop.name for prop in fewer.props] == ['b', 'c']
    assert fewer.robot.held == '' and fewer.dirt == (replace(SOIL, wiper=''),)


def test_an_arm_starts_with_as_many_joints_as_it_has():
    panda = robot('panda')
    assert RobotStart().arm(panda) == panda.home
    with pytest.raises(SceneError, match='gives 2 joint positions; panda has 7 joints'):
        RobotStart((0.0, 0.0)).arm(panda)


def test_a_prop_is_found_by_name_and_a_wrong_name_answers_with_near_ones():
    scene = Scene((cube('object_1'), cube('object_2')))
    assert scene.prop('object_2').name == 'object_2'
    with pytest.raises(SceneError, match='Did you mean object_'):
        scene.prop('object_3')
    with pytest.raises(SceneError, match='Did you mean a1'):
        seen(cube('a1')).body('a2')


def test_the_top_of_the_table_is_the_plane_zero():
    assert Table().box.high[2] == pytest.approx(0.0)


def test_now_moves_every_prop_to_where_it_is_seen():
    scene = Scene((cube('a', 0.4), cube('b', 0.6)))
    assert [prop.pose.position for prop in scene.now(seen(*scene.props))] == [(0.4, 1.0, 0.025), (0.6, 1.0, 0.025)]
    assert scene.props[0].pose.position == (0.4, 0.0, 0.025)


def test_ids_are_counted_from_three_in_the_scenes_order():
    assert Scene((cube('b'), cube('a'))).ids == {'table': 1, 'robot': 2, 'b': 3, 'a': 4}


def test_the_footprint_is_half_the_diagonal():
    assert footprint(cube('a')) == pytest.approx(0.025)


def test_obstacles_are_the_props_where_they_stand_now():
    scene = Scene((cube('a', 0.4), cube('b', 0.6)))
    free, held = obstacles(scene, seen(*scene.props))
    assert held is None
    assert free == scene.now(seen(*scene.props))


def test_the_held_prop_is_no_obstacle_and_is_given_in_the_tool_frame():
    """The tool points down 0.1 m above the prop, so the prop is 0.1 m ahead of it."""
    scene = Scene((cube('a', 0.5), cube('b', 0.6)))
    free, held = obstacles(scene, seen(*scene.props, held='a'))
    assert [prop.name for prop in free] == ['b']
    assert held == replace(cube('a', 0.5), pose=held.pose)
    assert np.allclose(held.pose.position, (0.0, 0.0, 0.1))
    assert np.allclose(np.abs(held.pose.orientation), (1.0, 0.0, 0.0, 0.0))


def test_a_room_is_seen_and_never_one_of_the_props():
    bare, furnished = Scene(()), Scene((), room='study')
    assert (bare.furniture, bare.ids) == ((), {'table': 1, 'robot': 2})
    assert furnished.ids == {'table': 1, 'robot': 2, 'room': 3}
    assert len({thing.name for thing in furnished.furniture}) == len(furnished.furniture) > 30
    assert all(thing.ghost for thing in furnished.furniture)
    with pytest.raises(SceneError, match='Did you mean study'):
        Scene((), room='studio')


def test_no_furniture_reaches_into_where_the_robot_works():
    for thing in Scene((), room='study').furniture:
        corners = thing.pose.apply(thing.solid.vertices)
        above = corners[corners[:, 2] > -0.039]
        assert not len(above) or np.hypot(above[:, 0], above[:, 1]).min() > 1.2, thing.name
