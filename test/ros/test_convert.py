"""Fields become the messages that rclpy sends, value for value what a bag written without ROS holds."""

import math

import numpy as np
import pytest

from vlm_bench_sim.bags.definitions import deserialise, serialise, store
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.convert import fill, interface, message

pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
serialization = pytest.importorskip('rclpy.serialization')
pytestmark = pytest.mark.ros

CAMERA = Camera('front', Pose(), width=8, height=6)
SEEN = Picture(np.full((6, 8, 3), 7, np.uint8), np.full((6, 8), 1.5, np.float32), np.full((6, 8), 300, np.uint16))
POSE = Pose((0.1, -0.2, 1 / 3), (0.0, 0.6, 0.0, 0.8))
SNAPSHOT = Snapshot(
    seq=3,
    step=36,
    joints={'a': JointState(math.pi, 0.1, -2.0)},
    tool=POSE,
    opening=0.04,
    held='x',
    bodies={'x': Body(POSE, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))},
    touching=(('a', 'b'),),
    grasped=('x',),
)
CASES = [
    ('vlm_bench_msgs/msg/WorldState', fields.world_state(SNAPSHOT, ns=1_500_000_000, token='tok', state_hash='ab')),
    ('sensor_msgs/msg/JointState', fields.joint_state(SNAPSHOT.joints, 5)),
    ('sensor_msgs/msg/Image', fields.color_image(SEEN, CAMERA, 5)),
    ('sensor_msgs/msg/Image', fields.depth_image(SEEN, CAMERA, 5)),
    ('sensor_msgs/msg/Image', fields.depth_image(SEEN, CAMERA, 5, metres=True)),
    ('sensor_msgs/msg/Image', fields.ids_image(SEEN, CAMERA, 5)),
    ('sensor_msgs/msg/CompressedImage', fields.compressed_image(b'\xff\xd8', 5, frame=CAMERA.frame)),
    ('sensor_msgs/msg/CameraInfo', fields.camera_info(CAMERA, 5)),
    ('trajectory_msgs/msg/JointTrajectory', fields.trajectory(Chunk((Point(5, (1.0,), (0.0,)),)), ('a',))),
    ('tf2_msgs/msg/TFMessage', fields.tf_message([fields.transform('world', 'a', POSE, 5)])),
    ('geometry_msgs/msg/PoseStamped', fields.pose_stamped(POSE, 5)),
    ('rosgraph_msgs/msg/Clock', {'clock': fields.stamp(5)}),
    ('vlm_bench_msgs/msg/Report', {'causes': ['a', 'b'], 'leaves': [{'words': 'w', 'holds': True, 'distance': 0.5}]}),
    ('vlm_bench_msgs/msg/WorldState', {}),
]


@pytest.mark.parametrize(('type_', 'given'), CASES, ids=lambda c: c if isinstance(c, str) else '')
def test_rclpy_sends_what_a_bag_without_ros_holds(type_, given):
    filled = message(type_, given)
    sent, ours = serialization.serialize_message(filled), serialise(type_, given)
    # `serialize_message` returns its whole buffer, longer than the message, and leaves the bytes between the fields as they were.
    assert bytes(store().serialize_cdr(deserialise(type_, sent[: len(ours)]), type_)) == ours
    assert serialization.deserialize_message(ours, interface(type_)) == filled


def test_a_message_of_rclpy_is_read_like_any_other():
    raw = serialise('vlm_bench_msgs/msg/WorldState', fields.world_state(SNAPSHOT, ns=7, token='t', state_hash='ff'))
    back = fields.read_snapshot(serialization.deserialize_message(raw, interface('vlm_bench_msgs/msg/WorldState')))
    assert back == SNAPSHOT
    image = message('sensor_msgs/msg/Image', fields.color_image(SEEN, CAMERA, 5))
    np.testing.assert_array_equal(fields.read_image(image), SEEN.color)


def test_requests_and_goals_are_filled_too():
    request = fill(interface('vlm_bench_msgs/srv/Plan').Request(), {'poses': [fields.pose(POSE)], 'start': [0.5]})
    assert request.poses[0].position.x == 0.1 and list(request.start) == [0.5]


@pytest.mark.parametrize(
    ('type_', 'words'),
    [('no_such_msgs/msg/A', 'no_such_msgs cannot be imported.*make setup'), ('std_msgs/msg/Strin', 'holds no msg called Strin')],
)
def test_what_cannot_be_imported_says_what_to_do(type_, words):
    with pytest.raises(ConfigError, match=words):
        interface(type_)
