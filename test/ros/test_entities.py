"""Entities as simulation_interfaces sees them: filters, bounds, and states from outside."""

from math import nan, pi, sqrt
from types import SimpleNamespace as Message

import pytest

from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Table
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_sim.ros import entities
from vlm_bench_sim.ros.simulation import FEATURE_UNSUPPORTED, OPERATION_FAILED, Refused, scopes

RED, BLUE = Color('red', (1.0, 0.0, 0.0)), Color('blue', (0.0, 0.0, 1.0))
TURNED = Pose.from_rpy((0.5, 0.3, 0.02), (0, 0, pi / 4))


def made(name, kind, color, pose, *, fixed=False, spawned=False):
    prop = Prop(name, kind, (0.04, 0.04, 0.04), color, 0.05, fixed=fixed)
    return entities.of_prop(prop, Body(pose, (1.0, 2.0, 3.0)), spawned=spawned)


THERE = {
    entity.name: entity
    for entity in (
        made('cube_1', 'cube', RED, Pose((0.5, 0.0, 0.02))),
        made('cube_2', 'cube', BLUE, TURNED, spawned=True),
        made('star_1', 'star', RED, Pose((0.4, -0.3, 0.02)), fixed=True),
        entities.of_table(Table()),
        entities.of_robot('panda', Box((0.1, 0.0, 0.4), (0.6, 0.3, 0.8))),
    )
}


def point(x=0.0, y=0.0, z=0.0):
    return Message(x=x, y=y, z=z)


def filters(pattern='', categories=(), tags=(), mode=0, kind=0, points=()):
    return Message(
        filter=pattern,
        categories=[Message(category=c) for c in categories],
        tags=Message(tags=list(tags), filter_mode=mode),
        bounds=Message(type=kind, points=[point(*p) for p in points]),
    )


def selected(**given):
    return [entity.name for entity in entities.select(THERE.values(), filters(**given))]


def refused(call, *arguments, **named):
    with pytest.raises(Refused) as caught:
        call(*arguments, **named)
    return caught.value.code


@pytest.mark.parametrize(
    ('given', 'names'),
    [
        ({}, ['cube_1', 'cube_2', 'robot', 'star_1', 'table']),
        ({'pattern': '^cube_[12]$'}, ['cube_1', 'cube_2']),
        ({'categories': [1]}, ['robot']),
        ({'categories': [5, 1]}, ['robot', 'star_1', 'table']),
        ({'tags': ['red', 'spawned']}, ['cube_1', 'cube_2', 'star_1']),
        ({'tags': ['red', 'cube'], 'mode': 1}, ['cube_1']),
        ({'tags': ['green']}, []),
        ({'pattern': 'cube', 'tags': ['blue'], 'categories': [0]}, ['cube_2']),
        ({'kind': 1, 'points': [(0.6, 0.4, 0.1), (0.49, -0.1, 0.001)]}, ['cube_1', 'cube_2']),
        ({'kind': 1, 'points': [(0.49, -0.1, 0.001), (0.6, 0.1, 0.1)]}, ['cube_1']),
        ({'kind': 3, 'points': [(0.5, 0.0, 0.10), (0.061, 0, 0)]}, ['cube_1']),
        ({'kind': 3, 'points': [(0.5, 0.0, 0.10), (0.059, 0, 0)]}, []),
    ],
)
def test_filters_apply_together(given, names):
    assert selected(**given) == names


@pytest.mark.parametrize(
    ('given', 'code'),
    [
        ({'pattern': '('}, OPERATION_FAILED),
        ({'tags': ['x'], 'mode': 7}, FEATURE_UNSUPPORTED),
        ({'kind': 2, 'points': [(0, 0, 0), (1, 0, 0), (0, 1, 0)]}, FEATURE_UNSUPPORTED),
        ({'kind': 9}, FEATURE_UNSUPPORTED),
        ({'kind': 1, 'points': [(0, 0, 0)]}, OPERATION_FAILED),
        ({'kind': 1, 'points': [(0, 0, nan), (1, 1, 1)]}, OPERATION_FAILED),
        ({'kind': 3, 'points': [(0, 0, 0), (-1, 0, 0)]}, OPERATION_FAILED),
    ],
)
def test_a_filter_that_means_nothing_is_refused(given, code):
    assert refused(selected, **given) == code


def test_the_span_of_a_turned_cube_is_wider_than_the_cube():
    span = THERE['cube_2'].span
    assert span.size == pytest.approx((0.04 * sqrt(2), 0.04 * sqrt(2), 0.04))
    assert span.centre == pytest.approx(TURNED.position)


def test_bounds_name_the_upper_corner_first():
    low, high = {'x': -0.02, 'y': -0.02, 'z': -0.02}, {'x': 0.02, 'y': 0.02, 'z': 0.02}
    assert entities.bounds(THERE['cube_2'].box) == {'type': 1, 'points': [high, low]}


def test_info_says_what_it_is():
    assert entities.info(THERE['star_1']) == {
        'category': {'category': 5}, 'description': 'red object', 'tags': ['star', 'red', 'scene'],
    }  # fmt: skip


def test_a_state_is_of_the_world_and_has_its_time():
    state = entities.state(THERE['cube_1'], 1_500_000_000)
    assert state['header'] == {'stamp': {'sec': 1, 'nanosec': 500_000_000}, 'frame_id': 'world'}
    assert state['twist']['linear'] == {'x': 1.0, 'y': 2.0, 'z': 3.0}


def pose(position=(0.0, 0.0, 0.0), orientation=(0.0, 0.0, 0.0, 1.0)):
    x, y, z, w = orientation
    return Message(position=point(*position), orientation=Message(x=x, y=y, z=z, w=w))


def test_a_pose_from_outside_is_normalised_where_it_nearly_fits():
    read = entities.read_pose('', pose((0.1, 0.2, 0.3), (0.0, 0.0, 0.705, 0.705)), {}, code=101)
    assert read.position == (0.1, 0.2, 0.3)
    assert read.yaw == pytest.approx(pi / 2)
    assert sum(v * v for v in read.orientation) == pytest.approx(1.0)


def test_a_pose_may_be_given_in_the_frame_of_an_entity():
    read = entities.read_pose('cube_2', pose((0.1, 0.0, 0.0)), THERE, code=101)
    assert read.position == pytest.approx((0.5 + 0.1 / sqrt(2), 0.3 + 0.1 / sqrt(2), 0.02))


@pytest.mark.parametrize(
    ('frame', 'message'),
    [
        ('', pose((nan, 0, 0))),
        ('', pose((1e300, 0, 0))),
        ('', pose((0, 0, float('inf')))),
        ('world', pose((10.1, 0, 0))),
        ('', pose(orientation=(0, 0, 0, 0))),
        ('', pose(orientation=(0, 0, 0, 2))),
        ('', pose(orientation=(0, nan, 0, 1))),
        ('', pose(orientation=(1e200, 0, 0, 0))),
        ('nowhere', pose()),
    ],
)
def test_a_pose_that_is_none_is_refused_with_the_code_of_the_service(frame, message):
    assert refused(entities.read_pose, frame, message, THERE, code=109) == 109


def test_a_twist_turns_with_its_frame_and_has_its_limits():
    message = Message(linear=point(1.0), angular=point(0, 0, 2.0))
    linear, angular = entities.read_twist('cube_2', message, THERE, code=101)
    assert linear == pytest.approx((1 / sqrt(2), 1 / sqrt(2), 0.0))
    assert angular == pytest.approx((0.0, 0.0, 2.0))
    for bad in (
        Message(linear=point(nan), angular=point()),
        Message(linear=point(21), angular=point()),
        Message(linear=point(), angular=point(101)),
    ):
        assert refused(entities.read_twist, '', bad, {}, code=101) == OPERATION_FAILED
    assert refused(entities.read_twist, 'nowhere', message, {}, code=101) == 101


def test_scopes_are_bits():
    assert scopes(0) == scopes(255) == scopes(7) == {1, 2, 4}
    assert scopes(5) == {1, 4}
    assert refused(scopes, 8) == FEATURE_UNSUPPORTED
