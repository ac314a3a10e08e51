"""Values ↔ the fields of ROS messages. Pure: it reads messages by attribute and writes them as nested dicts of fields.

Floats keep every bit: a Snapshot read from a bag equals the one that was written.
A `uint8[]` field is given as bytes. Fields missing in a dict keep their default.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Calibration, Camera, Picture
from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.errors import CommandError, near, quoted
from vlm_bench_sim.core.frames import Transforms
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.snapshot import Body, JointState, Pair, Snapshot

Fields = dict[str, Any]
SECOND_NS = 1_000_000_000
MM = 1000.0


def stamp(ns: int) -> Fields:
    """Return builtin_interfaces/Time (or Duration) of `ns` nanoseconds."""
    seconds, rest = divmod(ns, SECOND_NS)
    return {'sec': seconds, 'nanosec': rest}


def read_stamp(message: Any) -> int:
    """Return the nanoseconds of a Time or Duration."""
    return int(message.sec) * SECOND_NS + int(message.nanosec)


def header(ns: int, frame: str = '') -> Fields:
    """Return std_msgs/Header."""
    return {'stamp': stamp(ns), 'frame_id': frame}


def vector(value: Sequence[float]) -> Fields:
    """Return geometry_msgs/Vector3 or Point."""
    x, y, z = value
    return {'x': x, 'y': y, 'z': z}


def read_vector(message: Any) -> Vector:
    """Return the three numbers of a Vector3 or Point."""
    return (float(message.x), float(message.y), float(message.z))


def pose(value: Pose) -> Fields:
    """Return geometry_msgs/Pose."""
    x, y, z, w = value.orientation
    return {'position': vector(value.position), 'orientation': {'x': x, 'y': y, 'z': z, 'w': w}}


def read_pose(message: Any) -> Pose:
    """Return the pose, bit-exact and unchecked; use `checked_pose` for a pose from a policy."""
    q = message.orientation
    return Pose(read_vector(message.position), (float(q.x), float(q.y), float(q.z), float(q.w)))


def checked_pose(message: Any) -> Pose:
    """Return the pose with a unit quaternion.

    Raises:
        CommandError: a number is not finite, or the quaternion has no direction.
    """
    raw = read_pose(message)
    return Pose.of(raw.position, raw.orientation)


def pose_stamped(value: Pose, ns: int, frame: str = 'world') -> Fields:
    """Return geometry_msgs/PoseStamped."""
    return {'header': header(ns, frame), 'pose': pose(value)}


def transform(parent: str, child: str, value: Pose, ns: int) -> Fields:
    """Return geometry_msgs/TransformStamped of the frame `child` at the pose `value` in `parent`."""
    placed = pose(value)
    return {
        'header': header(ns, parent),
        'child_frame_id': child,
        'transform': {'translation': placed['position'], 'rotation': placed['orientation']},
    }


def tf_message(transforms: Sequence[Fields]) -> Fields:
    """Return tf2_msgs/TFMessage from results of `transform`."""
    return {'transforms': list(transforms)}


def read_transforms(message: Any) -> Transforms:
    """Return the parent frame and the pose in it of each frame of a TFMessage."""
    return {t.child_frame_id: (t.header.frame_id, _transform(t.transform)) for t in message.transforms}


def _transform(value: Any) -> Pose:
    return Pose(read_vector(value.translation), (*read_vector(value.rotation), float(value.rotation.w)))


def joint_state(joints: Mapping[str, JointState], ns: int) -> Fields:
    """Return sensor_msgs/JointState."""
    return {
        'header': header(ns),
        'name': list(joints),
        'position': [j.position for j in joints.values()],
        'velocity': [j.velocity for j in joints.values()],
        'effort': [j.effort for j in joints.values()],
    }


def read_joints(message: Any) -> dict[str, JointState]:
    """Return the joints by name; missing velocities and efforts are 0."""
    names = list(message.name)
    columns = [[float(v) for v in column] or [0.0] * len(names) for column in (message.position, message.velocity, message.effort)]
    return {name: JointState(*row) for name, *row in zip(names, *columns, strict=True)}


def world_state(snapshot: Snapshot, *, ns: int, token: str, state_hash: str) -> Fields:
    """Return vlm_bench_msgs/WorldState."""
    return {
        'header': header(ns, 'world'),
        'token': token,
        'seq': snapshot.seq,
        'step': snapshot.step,
        'joints': joint_state(snapshot.joints, ns),
        'tool': pose(snapshot.tool),
        'opening': snapshot.opening,
        'held': snapshot.held,
        'bodies': [_body(name, body) for name, body in snapshot.bodies.items()],
        'mechanisms': joint_state(snapshot.mechanisms, ns),
        'beads': [{'name': name, 'centres': [vector(c) for c in centres]} for name, centres in snapshot.beads.items()],
        'dirt': [{'name': name, 'remaining': list(left)} for name, left in snapshot.dirt.items()],
        'touching': [{'a': a, 'b': b} for a, b in snapshot.touching],
        'touched': [{'a': a, 'b': b} for a, b in snapshot.touched],
        'grasped': list(snapshot.grasped),
        'released': list(snapshot.released),
        'state_hash': state_hash,
        'contacts_unknown': not snapshot.contacts,
    }


def read_snapshot(message: Any) -> Snapshot:
    """Return the snapshot of a WorldState, bit-exact."""
    return Snapshot(
        seq=int(message.seq),
        step=int(message.step),
        joints=read_joints(message.joints),
        tool=read_pose(message.tool),
        opening=float(message.opening),
        held=message.held,
        bodies={b.name: Body(read_pose(b.pose), read_vector(b.twist.linear), read_vector(b.twist.angular)) for b in message.bodies},
        mechanisms=read_joints(message.mechanisms),
        beads={group.name: tuple(read_vector(c) for c in group.centres) for group in message.beads},
        dirt={patch.name: tuple(int(i) for i in patch.remaining) for patch in message.dirt},
        touching=_pairs(message.touching),
        touched=_pairs(message.touched),
        grasped=tuple(message.grasped),
        released=tuple(message.released),
        contacts=not getattr(message, 'contacts_unknown', False),  # missing in older bags
    )


def _body(name: str, body: Body) -> Fields:
    return {'name': name, 'pose': pose(body.pose), 'twist': {'linear': vector(body.linear), 'angular': vector(body.angular)}}


def _pairs(messages: Any) -> tuple[Pair, ...]:
    return tuple((m.a, m.b) for m in messages)


def camera_info(camera: Camera, ns: int) -> Fields:
    """Return sensor_msgs/CameraInfo: plumb_bob with five zeros, as the image is already rectified."""
    k = camera.intrinsics
    return {
        'header': header(ns, camera.frame),
        'height': camera.height,
        'width': camera.width,
        'distortion_model': 'plumb_bob',
        'd': [0.0] * 5,
        'k': k.reshape(-1).tolist(),
        'r': np.eye(3).reshape(-1).tolist(),
        'p': np.column_stack([k, np.zeros(3)]).reshape(-1).tolist(),
    }


def read_calibration(info: Any, camera: str, *, link: str, pose: Pose) -> Calibration:
    """Return the calibration in a CameraInfo, for a camera at `pose` in `link`; '': in the world."""
    return Calibration(camera, int(info.width), int(info.height), np.array(info.k, dtype=float).reshape(3, 3), link, pose)


def color_image(picture: Picture, camera: Camera, ns: int) -> Fields:
    """Return sensor_msgs/Image `rgb8`."""
    return _image(picture.color, 'rgb8', camera, ns)


def depth_image(picture: Picture, camera: Camera, ns: int, *, metres: bool = False) -> Fields:
    """Return sensor_msgs/Image of the depth: `16UC1` in mm with 0 for unseen or beyond 65.535 m, or `32FC1` in m."""
    if metres:
        return _image(picture.depth.astype('<f4'), '32FC1', camera, ns)
    mm = np.multiply(picture.depth, MM, dtype=float)
    np.rint(mm, out=mm)  # in place and without a copy after it: four times as fast
    mm[~((mm > 0) & (mm <= np.iinfo(np.uint16).max))] = 0
    return _image(mm.astype('<u2'), '16UC1', camera, ns)


def ids_image(picture: Picture, camera: Camera, ns: int) -> Fields:
    """Return sensor_msgs/Image `16UC1` of instance ids."""
    return _image(picture.ids.astype('<u2'), '16UC1', camera, ns)


def compressed_image(data: bytes, ns: int = 0, *, frame: str = '', form: str = 'jpeg') -> Fields:
    """Return sensor_msgs/CompressedImage of a file in the format jpeg or png."""
    return {'header': header(ns, frame), 'format': form, 'data': data}


_PIXELS = {'rgb8': ('u1', 3), '16UC1': ('u2', 1), '32FC1': ('f4', 1)}


def read_image(message: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the pixels of an Image: (height, width) or (height, width, 3).

    Raises:
        CommandError: the project does not use this encoding.
    """
    if message.encoding not in _PIXELS:
        raise CommandError(f'The image encoding {message.encoding!r} is not supported. {near(message.encoding, _PIXELS)}')
    kind, channels = _PIXELS[message.encoding]
    dtype = np.dtype(('>' if message.is_bigendian else '<') + kind)
    rows = np.frombuffer(bytes(message.data), np.uint8).reshape(message.height, message.step)
    pixels = np.ascontiguousarray(rows[:, : message.width * channels * dtype.itemsize]).view(dtype)
    return pixels.reshape((message.height, message.width) + ((3,) if channels == 3 else ()))


def read_depth(message: Any) -> NDArray[np.float32]:
    """Return the depth of an Image, `16UC1` in mm or `32FC1` in m: (height, width) float32 m, 0 where nothing is visible."""
    pixels = read_image(message).astype(np.float32)
    return pixels * np.float32(1 / MM) if message.encoding == '16UC1' else pixels


def _image(pixels: np.ndarray[Any, np.dtype[Any]], encoding: str, camera: Camera, ns: int) -> Fields:
    height, width = pixels.shape[:2]
    return {
        'header': header(ns, camera.frame),
        'height': height,
        'width': width,
        'encoding': encoding,
        'is_bigendian': 0,
        'step': pixels.nbytes // height,
        'data': pixels.tobytes(),
    }


def trajectory(chunk: Chunk, joints: Sequence[str], ns: int = 0) -> Fields:
    """Return trajectory_msgs/JointTrajectory; stamp 0 means start now."""
    points = [{'positions': list(p.positions), 'velocities': list(p.velocities), 'time_from_start': stamp(p.time_ns)} for p in chunk.points]
    return {'header': header(ns), 'joint_names': list(joints), 'points': points}


def read_trajectory(message: Any, joints: Sequence[str]) -> Chunk:
    """Return a JointTrajectory as a chunk, reordered to `joints`; `core.command.check_points` checks the numbers.

    Raises:
        CommandError: a joint is unknown, missing or named twice, or a point has a different number of values than there are joints.
    """
    names = list(message.joint_names)
    unknown = [n for n in names if n not in joints]
    if unknown:
        raise CommandError(f'The trajectory names the joint {quoted(unknown[0])}, which the arm does not have. {near(unknown[0], joints)}')
    if sorted(names) != sorted(joints):
        raise CommandError(f'The trajectory names the joints {names}; the arm needs each of {list(joints)} once. Name them all.')
    order = [names.index(joint) for joint in joints]
    return Chunk(tuple(_point(p, order, i) for i, p in enumerate(message.points)))


def _point(message: Any, order: Sequence[int], index: int) -> Point:
    positions, velocities = list(message.positions), list(message.velocities)
    if len(positions) != len(order) or len(velocities) not in (0, len(order)):
        raise CommandError(
            f'Point {index} holds {len(positions)} positions and {len(velocities)} velocities for {len(order)} joints. '
            f'Send {len(order)} positions, and {len(order)} velocities or none.'
        )
    unused = {len(message.accelerations), len(message.effort)} - {0, len(order)}
    if unused:
        raise CommandError(
            f'Point {index} holds {unused.pop()} accelerations or efforts for {len(order)} joints. Leave them out: none are used.'
        )
    if not all(map(isfinite, (*message.accelerations, *message.effort))):
        raise CommandError(f'Point {index} holds an acceleration or an effort that is not finite. Leave them out: none are used.')
    return Point(
        time_ns=read_stamp(message.time_from_start),
        positions=tuple(float(positions[i]) for i in order),
        velocities=tuple(float(velocities[i]) for i in order) if velocities else (),
    )
