"""Furniture is made of links on joints; where they are follows from the joints alone."""

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.mechanisms import Joint, Latch, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import obstacles
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot

RED = Color('red', (1.0, 0.0, 0.0))
SLIDE = Joint('prismatic', Pose((-0.1, 0.0, 0.2)), (-1.0, 0.0, 0.0), 0.0, 0.3)
TURN = Joint('revolute', Pose((0.0, 0.1, 0.0)), (0.0, 0.0, 1.0), 0.0, radians(90.0))


def part(name: str, x: float = 0.0) -> Prop:
    return Prop(name, 'cube', (0.1, 0.2, 0.3), RED, 1.0, pose=Pose((x, 0.0, 0.0)))


def cabinet(**change) -> Mechanism:
    links = (
        Link('body', (part('carcass'),)),
        Link('drawer', (part('box'), part('knob', -0.2)), 'body', SLIDE, ('knob',)),
        Link('flap', (part('lid'),), 'drawer', TURN),
    )
    return replace(Mechanism('cabinet', links, Pose((0.7, 0.0, 0.0))), **change)


def test_links_stand_where_their_joints_start():
    places = cabinet().started(drawer=0.1).placed({})
    assert list(places) == ['cabinet/body', 'cabinet/drawer', 'cabinet/flap']
    assert places['cabinet/drawer'].position == pytest.approx((0.5, 0.0, 0.2))
    assert places['cabinet/flap'].position == pytest.approx((0.5, 0.1, 0.2))


def test_links_move_with_their_joints_and_with_the_link_that_carries_them():
    states = {'cabinet/drawer': JointState(0.2), 'cabinet/flap': JointState(pi / 2)}
    flap = cabinet(pose=Pose.from_rpy((0.7, 0.0, 0.0), (0.0, 0.0, pi / 2))).placed(states)['cabinet/flap']
    np.testing.assert_allclose(flap.position, (0.7 - 0.1, -0.3, 0.2), atol=1e-12)
    assert abs(flap.yaw) == pytest.approx(pi)


def test_solids_are_every_part_in_the_world_under_the_name_of_its_link():
    solids = cabinet().solids({'cabinet/drawer': JointState(0.05)})
    assert [solid.name for solid in solids] == ['cabinet/body', 'cabinet/drawer', 'cabinet/drawer', 'cabinet/flap']
    assert solids[2].pose.position == pytest.approx((0.35, 0.0, 0.2))
    assert all(solid.fixed for solid in solids)


def test_furniture_is_an_obstacle_where_it_is_now_even_when_it_is_held():
    scene = Scene((part('box_1'),), mechanisms=(cabinet(),))
    bodies = {'box_1': Body(Pose())}
    now = Snapshot(0, 0, {}, Pose(), 0.0, 'cabinet/drawer', bodies, {'cabinet/drawer': JointState(0.3)})
    free, held = obstacles(scene, now)
    assert held is None
    assert [prop.name for prop in free] == ['box_1', 'cabinet/body', 'cabinet/drawer', 'cabinet/drawer', 'cabinet/flap']
    assert free[2].pose.position[0] == pytest.approx(0.3)


def test_links_are_numbered_after_the_props_and_before_the_room():
    scene = Scene((part('a'),), mechanisms=(cabinet(),), room='study')
    numbers = {'table': 1, 'robot': 2, 'a': 3, 'cabinet/body': 4, 'cabinet/drawer': 5, 'cabinet/flap': 6, 'room': 7}
    assert scene.ids == numbers


def test_a_scene_with_furniture_reads_back_from_json():
    scene = Scene((), mechanisms=(cabinet(latches=(Latch('drawer', 'flap', 0.3),)),))
    assert codec.loads(codec.dumps(scene)) == scene


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        ({'kind': 'screw'}, "no joint of the kind 'screw'"),
        ({'axis': (1.0, 1.0, 0.0)}, 'vector of length 1'),
        ({'start': 0.4}, 'starts within its limits'),
        ({'lower': 0.3}, 'within its limits'),
        ({'friction': -1.0}, 'cannot be below 0'),
        ({'friction': float('nan')}, 'cannot be below 0'),
    ],
)
def test_a_joint_that_makes_no_sense_is_refused(change, says):
    with pytest.raises(SceneError, match=says):
        replace(SLIDE, **change)


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        (lambda m: {'links': (*m.links, m.links[1])}, "two links or two parts called 'drawer'"),
        (lambda m: {'links': (m.links[0], m.links[2], m.links[1])}, "'flap' with the parent 'drawer'"),
        (lambda m: {'links': m.links[1:]}, "'drawer' with the parent 'body' and a joint"),
        (lambda m: {'links': (m.links[0], replace(m.links[1], handle=('bar',)))}, "names 'bar', which is not one of its parts"),
        (lambda m: {'latches': (Latch('body', 'drawer', 0.1),)}, "names the link 'body', which has no joint"),
        (lambda m: {'latches': (Latch('drawer', 'flop', 0.1),)}, "names the link 'flop', which has no joint. Did you mean flap"),
        (lambda m: {'latches': (Latch('flap', 'drawer', 0.31),)}, "unlocks where 'drawer' is at 0.31, which moves from 0 to 0.3"),
        (lambda m: {'latches': (Latch('flap', 'drawer', 0.0),)}, 'Choose a threshold in this range'),
        (lambda m: {'links': ()}, 'has no links. Give it'),
        (lambda m: {'links': (replace(m.links[0], parent='wall'),)}, "'body' with the parent 'wall'"),
        (lambda m: {'name': 'my/cabinet'}, "name of a mechanism is made of .*; found 'my/cabinet'. Rename it"),
    ],
)
def test_a_mechanism_that_makes_no_sense_is_refused(change, says):
    with pytest.raises(SceneError, match=says):
        cabinet(**change(cabinet()))


@pytest.mark.parametrize(
    ('make', 'says'),
    [
        (lambda: Link('a/b', (part('p'),)), "name of a link is made of .*; found 'a/b'"),
        (lambda: Link('a', (part('p/q'),)), "name of a part of the link 'a' is made of .*; found 'p/q'"),
        (lambda: Link('a', ()), "'a' has no parts"),
        (lambda: Link('a', (part('bar'),), handle=('barr',)), "names 'barr', which is not one of its parts. Did you mean bar"),
        (lambda: Latch('door', 'door', 0.1), "unlocked by 'door' itself"),
        (lambda: Latch('door', 'lever', 0.1, 0.0), 'would never lock'),
        (lambda: Latch('door', 'lever', 0.1, float('nan')), 'would never lock'),
    ],
)
def test_a_link_or_a_latch_that_makes_no_sense_is_refused(make, says):
    with pytest.raises(SceneError, match=says):
        make()


def test_only_a_joint_can_start_elsewhere_and_only_within_its_limits():
    with pytest.raises(SceneError, match='is fixed'):
        cabinet().started(body=0.1)
    with pytest.raises(SceneError, match=r'no link called .drawr.. Did you mean drawer'):
        cabinet().started(drawr=0.1)
    with pytest.raises(SceneError, match='starts within its limits'):
        cabinet().started(drawer=0.31)
