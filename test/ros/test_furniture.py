"""Furniture as entities: the piece whole, and each link where its joints have it and as they move it."""

from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.geometry import ZERO, Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.ros.entities import Category
from vlm_bench_sim.ros.furniture import of_mechanism

GREY = Color('steel', (0.6, 0.6, 0.6))


def part(name, size, at):
    return Prop(name, 'cube', size, GREY, 1.0, pose=Pose(at))


CABINET = Mechanism(
    'piece',
    (
        Link('body', (part('carcass', (0.2, 0.4, 0.3), (0.0, 0.0, 0.15)),)),
        Link('door', (part('leaf', (0.02, 0.4, 0.3), (0.0, 0.2, 0.0)),), 'body',
             Joint('revolute', Pose((-0.1, -0.2, 0.15)), (0.0, 0.0, 1.0), 0.0, 2.0, start=0.5)),
        Link('bolt', (part('bar', (0.02, 0.1, 0.02), (0.0, 0.0, 0.0)),), 'door',
             Joint('prismatic', Pose((0.0, 0.4, 0.0)), (0.0, 1.0, 0.0), 0.0, 0.1)),
    ),
    pose=Pose.from_rpy((0.8, 0.1, 0.0), (0.0, 0.0, pi / 2)),
    noun='cabinet',
)  # fmt: skip


def seen(**joints):
    states = {f'piece/{name}': JointState(*state) for name, state in joints.items()}
    return {entity.name: entity for entity in of_mechanism(CABINET, states)}


def test_a_piece_is_listed_whole_and_link_by_link():
    there = seen()
    assert list(there) == ['piece', 'piece/body', 'piece/door', 'piece/bolt']
    assert [e.category for e in there.values()] == [Category.STATIC_OBJECT] * 2 + [Category.OBJECT] * 2
    assert (there['piece'].words, there['piece/door'].words) == ('cabinet', 'door of the cabinet')
    assert there['piece'].tags == ('cabinet', 'furniture', 'scene')


def test_a_link_is_where_its_joint_has_it_or_where_it_starts():
    for there, angle in ((seen(), 0.5), (seen(door=(1.2,)), 1.2)):
        frame = CABINET.pose @ Pose((-0.1, -0.2, 0.15)) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, angle))
        assert there['piece/door'].body.pose.distance(frame) < 1e-9 and there['piece/door'].body.pose.angle(frame) < 1e-6
        assert there['piece/door'].box.size == pytest.approx((0.02, 0.4, 0.3))
        assert there['piece/door'].box.centre == pytest.approx((0.0, 0.2, 0.0))


def test_the_whole_grows_as_the_door_opens():
    shut, ajar = (seen(door=(angle,))['piece'] for angle in (0.0, pi / 2))
    assert shut.span.size == pytest.approx((0.45, 0.21, 0.3))  # the leaf stands 10 mm before the carcass, the bolt 50 mm beside it
    assert (ajar.span.size[1], ajar.box.size[0]) == pytest.approx((shut.span.size[1] + 0.44, shut.box.size[0] + 0.44), abs=1e-6)


def test_a_link_moves_as_its_joints_do():
    """Against the difference of two poses: the bolt slides in a door that swings."""
    step = 1e-6
    now, then = seen(door=(0.7, 0.9), bolt=(0.05, -0.3)), seen(door=(0.7 + 0.9 * step,), bolt=(0.05 - 0.3 * step,))
    for name in ('piece/door', 'piece/bolt'):
        moved = np.subtract(then[name].body.pose.position, now[name].body.pose.position) / step
        assert now[name].body.linear == pytest.approx(tuple(moved), abs=1e-5)
        assert now[name].body.angular == pytest.approx((0.0, 0.0, 0.9))
    assert (now['piece/body'].body.linear, now['piece/body'].body.angular) == (ZERO, ZERO)
