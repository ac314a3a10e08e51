"""Values survive the way through messages; rosbags' messages stand in for any that is read by attribute."""

import math

import numpy as np
import pytest

from vlm_bench_sim.bags.definitions import deserialise, serialise
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, Orientation, Position, about_hinge, along_line, upright
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.constraints import FREE, constraint, read_constraint

CAMERA = Camera('front', Pose((1.0, 0.0, 0.5)), fov=2 * math.atan(0.5), width=6, height=4)


def through(type_, given):
    return deserialise(type_, serialise(type_, given))


def picture():
    rng = np.random.default_rng(3)
    depth = rng.uniform(0.1, 9, (4, 6)).astype(np.float32)
    depth[0, 0], depth[0, 1], depth[0, 2] = 0.0, np.inf, 70.0
    return Picture(rng.integers(0, 256, (4, 6, 3), np.uint8), depth, rng.integers(0, 60000, (4, 6), np.uint16))


@pytest.mark.parametrize('ns', [0, 1, 999_999_999, 1_000_000_000, 12_345_678_901])
def test_a_time_keeps_each_nanosecond(ns):
    message = through('builtin_interfaces/msg/Time', fields.stamp(ns))
    assert 0 <= message.nanosec < 1_000_000_000
    assert fields.read_stamp(message) == ns


def test_a_negative_duration_stays_negative():
    assert fields.read_stamp(through('builtin_interfaces/msg/Duration', fields.stamp(-1))) == -1


def test_a_snapshot_keeps_every_bit():
    ugly = (0.1 + 0.2, 5e-324, -0.0)
    snapshot = Snapshot(
        seq=2**40,
        step=12,
        joints={'b': JointState(math.pi, -1e-300, 1 / 3), 'a': JointState(0.1)},
        tool=Pose(ugly, (0.6, 0.0, 0.8, 1e-17)),
        opening=0.1 * 3,
        held='red star',
        bodies={'z': Body(Pose(ugly), ugly, ugly), 'a': Body(Pose())},
        touching=(('a', 'z'),),
        touched=(('a', 'z'), ('robot', 'z')),
        grasped=('z',),
        released=('a', 'z'),
    )
    message = through('vlm_bench_msgs/msg/WorldState', fields.world_state(snapshot, ns=7, token='t', state_hash='ff'))
    back = fields.read_snapshot(message)
    assert back == snapshot
    assert list(back.bodies) == ['z', 'a'] and list(back.joints) == ['b', 'a']
    assert math.copysign(1, back.tool.position[2]) == -1
    assert (message.token, message.state_hash, message.header.frame_id, message.header.stamp.nanosec) == ('t', 'ff', 'world', 7)


def test_joints_without_velocity_and_effort_are_at_rest():
    message = through('sensor_msgs/msg/JointState', {'name': ['a', 'b'], 'position': [1.0, 2.0]})
    assert fields.read_joints(message) == {'a': JointState(1.0), 'b': JointState(2.0)}


def test_a_pose_from_outside_is_checked_and_one_from_us_is_not_touched():
    long = Pose((1.0, 2.0, 3.0), (0.0, 0.0, 3.0, 4.0))
    message = through('geometry_msgs/msg/Pose', fields.pose(long))
    assert fields.read_pose(message) == long
    assert fields.checked_pose(message).orientation == (0.0, 0.0, 0.6, 0.8)
    with pytest.raises(CommandError, match='NaN'):
        fields.checked_pose(through('geometry_msgs/msg/Pose', fields.pose(Pose((math.nan, 0.0, 0.0)))))


def test_camera_info_is_the_pinhole_of_the_camera():
    info = through('sensor_msgs/msg/CameraInfo', fields.camera_info(CAMERA, 5))
    # tan(fov/2) = 0.5 and 4 rows: the focal length is 4 px; the principal point lies between the pixels.
    np.testing.assert_allclose(info.k.reshape(3, 3), [[4, 0, 2.5], [0, 4, 1.5], [0, 0, 1]])
    np.testing.assert_allclose(info.p.reshape(3, 4), [[4, 0, 2.5, 0], [0, 4, 1.5, 0], [0, 0, 1, 0]])
    np.testing.assert_array_equal(info.r.reshape(3, 3), np.eye(3))
    assert (info.distortion_model, info.d.tolist(), info.width, info.height) == ('plumb_bob', [0.0] * 5, 6, 4)
    assert info.header.frame_id == 'front_color_optical_frame'


def test_color_and_ids_keep_each_pixel():
    seen = picture()
    color = through('sensor_msgs/msg/Image', fields.color_image(seen, CAMERA, 5))
    assert (color.encoding, color.step, color.width, color.height) == ('rgb8', 18, 6, 4)
    np.testing.assert_array_equal(fields.read_image(color), seen.color)
    ids = through('sensor_msgs/msg/Image', fields.ids_image(seen, CAMERA, 5))
    assert (ids.encoding, ids.step) == ('16UC1', 12)
    np.testing.assert_array_equal(fields.read_image(ids), seen.ids)


def test_depth_is_millimetres_and_zero_where_nothing_is_known():
    seen = picture()
    depth = fields.read_image(through('sensor_msgs/msg/Image', fields.depth_image(seen, CAMERA, 5)))
    assert depth.dtype == np.uint16
    assert depth[0, :3].tolist() == [0, 0, 0]  # unseen, infinite, beyond 65.535 m
    np.testing.assert_allclose(depth[1:] / 1000, seen.depth[1:], atol=0.0005001)
    metres = fields.read_image(through('sensor_msgs/msg/Image', fields.depth_image(seen, CAMERA, 5, metres=True)))
    np.testing.assert_array_equal(metres, seen.depth)


@pytest.mark.parametrize('metres', [False, True])
def test_depth_is_read_in_metres_however_it_was_sent(metres):
    seen = picture()
    read = fields.read_depth(through('sensor_msgs/msg/Image', fields.depth_image(seen, CAMERA, 5, metres=metres)))
    assert read.dtype == np.float32
    assert read[0, 0] == 0.0
    np.testing.assert_allclose(read[1:], seen.depth[1:], atol=0.000501)


def test_rows_with_padding_and_big_endian_pixels_are_read():
    message = through(
        'sensor_msgs/msg/Image',
        {'height': 2, 'width': 1, 'encoding': '16UC1', 'is_bigendian': 1, 'step': 4, 'data': bytes([1, 2, 9, 9, 3, 4, 9, 9])},
    )
    assert fields.read_image(message).tolist() == [[0x0102], [0x0304]]


def test_an_unknown_encoding_is_named():
    with pytest.raises(CommandError, match=r"'rgb16'.*rgb8"):
        fields.read_image(through('sensor_msgs/msg/Image', {'encoding': 'rgb16'}))


CHUNK = Chunk((Point(50_000_000, (0.1, 0.2), (1.0, -1.0)), Point(1_250_000_000, (0.3, 0.4))))


def test_a_chunk_keeps_its_points():
    message = through('trajectory_msgs/msg/JointTrajectory', fields.trajectory(CHUNK, ('a', 'b')))
    assert fields.read_trajectory(message, ('a', 'b')) == CHUNK


def test_joints_in_another_order_are_put_in_ours():
    message = through('trajectory_msgs/msg/JointTrajectory', fields.trajectory(CHUNK, ('a', 'b')))
    swapped = fields.read_trajectory(message, ('b', 'a'))
    assert swapped.points[0] == Point(50_000_000, (0.2, 0.1), (-1.0, 1.0))


@pytest.mark.parametrize(
    ('names', 'words'),
    [(('a', 'x'), "joint 'x'"), (('a',), 'each of'), (('a', 'a'), 'each of'), ((), 'each of')],
)
def test_joints_that_are_unknown_missing_or_doubled_are_refused(names, words):
    message = through('trajectory_msgs/msg/JointTrajectory', fields.trajectory(CHUNK, names))
    with pytest.raises(CommandError, match=words):
        fields.read_trajectory(message, ('a', 'b'))


def test_a_point_of_another_size_is_refused():
    message = through('trajectory_msgs/msg/JointTrajectory', fields.trajectory(Chunk((Point(1, (0.1,)),)), ('a', 'b')))
    with pytest.raises(CommandError, match='Point 0 holds 1 positions'):
        fields.read_trajectory(message, ('a', 'b'))


@pytest.mark.parametrize('field', ['accelerations', 'effort'])
def test_what_is_no_number_is_refused_in_fields_that_are_not_used_too(field):
    raw = fields.trajectory(CHUNK, ('a', 'b'))
    raw['points'][1][field] = [0.0, math.nan]
    with pytest.raises(CommandError, match='Point 1 holds an acceleration or an effort that is not finite'):
        fields.read_trajectory(through('trajectory_msgs/msg/JointTrajectory', raw), ('a', 'b'))


def test_transforms_come_back_by_their_frames():
    here, there = Pose((0.1, 0.2, 0.3), (0.0, 0.6, 0.0, 0.8)), Pose((1.0, 0.0, 0.0))
    rows = [fields.transform('world', 'a', here, 9), fields.transform('a', 'b', there, 9)]
    message = through('tf2_msgs/msg/TFMessage', fields.tf_message(rows))
    assert fields.read_transforms(message) == {'a': ('world', here), 'b': ('a', there)}
    assert message.transforms[0].header.stamp.nanosec == 9


_TILTED = Pose.from_rpy((0.4, -0.1, 0.3), (0.3, -0.2, 0.9))
_PATHS = (_TILTED, _TILTED.shifted((0.1, 0.0, 0.0)), Pose((0.5, 0.1, 0.3)))


@pytest.mark.parametrize('orientation', Orientation)
@pytest.mark.parametrize('position', Position)
def test_a_motion_constraint_of_every_class_keeps_every_bit(position, orientation):
    follows = position is Position.PATH or orientation is Orientation.BY_POSITION
    given = MotionConstraint(
        position, orientation, _TILTED, (0.3, -0.1, 2.0), (1.0, 1.0, 1.0), _PATHS if follows else (), Deviation(1 / 3, 0.1 + 0.2)
    )
    assert read_constraint(through('vlm_bench_msgs/msg/MotionConstraint', constraint(given))) == given


CONSTRAINTS = {
    'upright': upright(_TILTED),
    'a drawer': along_line(_TILTED, (1.0, 0.0, 1.0), 0.2),
    'a door': about_hinge(_TILTED, (0.4, 0.3, 0.0), (0.0, 0.0, 1.0), 0.5),
    'nothing': FREE,
}


@pytest.mark.parametrize('which', CONSTRAINTS)
def test_the_motion_constraints_of_tasks_keep_every_bit(which):
    assert read_constraint(through('vlm_bench_msgs/msg/MotionConstraint', constraint(CONSTRAINTS[which]))) == CONSTRAINTS[which]


ZEROS = {'x': 0.0, 'y': 0.0, 'z': 0.0}
TOLERANCES = {'distance_tolerance': 0.01, 'angle_tolerance': 0.1}
SENSELESS = {
    'a position that does not exist': ({'position': 5}, r'position of a motion constraint is 5.*4 \(path\)'),
    'an orientation that does not exist': ({'orientation': 9}, 'orientation of a motion constraint is 9'),
    'a line without a direction': ({'position': 2, 'direction': ZEROS}, 'direction'),
    'an axis that is none': ({'orientation': 1, 'axis': ZEROS}, 'direction'),
    'a path that is missing': ({'position': 4}, 'two or more poses'),
    'a path in vain': ({'path': [fields.pose(pose) for pose in _PATHS]}, 'no path'),
    'a tolerance of nothing': ({'distance_tolerance': 0.0}, 'above 0'),
    'a tolerance that is no number': ({'angle_tolerance': math.nan}, 'above 0'),
    'a reference that is no number': ({'reference': fields.pose(Pose((math.inf, 0.0, 0.0)))}, 'finite'),
}


@pytest.mark.parametrize('why', SENSELESS)
def test_a_motion_constraint_that_makes_no_sense_is_refused(why):
    given, words = SENSELESS[why]
    with pytest.raises(CommandError, match=words):
        read_constraint(through('vlm_bench_msgs/msg/MotionConstraint', TOLERANCES | given))


def test_directions_that_are_not_used_may_be_left_out():
    given = {'position': 3, 'orientation': 2, 'axis': ZEROS, 'direction': ZEROS} | TOLERANCES
    kept = read_constraint(through('vlm_bench_msgs/msg/MotionConstraint', given))
    assert (kept.position, kept.orientation) == (Position.FIXED, Orientation.FIXED)
