"""Read a camera's pose (/tf), intrinsics (camera_info) and depth for each of its recorded pictures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from vlm_bench_sim.bags.reader import Bag
from vlm_bench_sim.core.errors import BagError, near
from vlm_bench_sim.core.frames import Transforms, standing
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.fields import read_depth, read_transforms

POSE, INTRINSICS, DEPTH = 'camera_pose.', 'intrinsics.', 'depth.'
"""Prefixes of the column names; the camera's name follows."""

POSE_NAMES = ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
INTRINSICS_NAMES = ('fx', 'fy', 'cx', 'cy')

Depth = npt.NDArray[np.float32]
Message = tuple[int, Any]
"""A message with its log time, ns."""


def cameras_of(bag: Bag, row: names.Name = names.COLOR_JPEG) -> tuple[str, ...]:
    """Return the names of the cameras that a bag holds a topic of; by default that of the pictures.

    Raises:
        BagError: a name is none that ROS allows, so it could not be part of a file's name either.
    """
    before, after = row.name.split('{camera}')
    found = sorted(topic[len(before) : -len(after)] for topic in bag.topics if topic.startswith(before) and topic.endswith(after))
    if odd := [name for name in found if not (name.isascii() and name.isidentifier())]:
        raise BagError(f'{bag.path} holds pictures of a camera called {odd[0]!r:.80}. A name has letters, digits and _. Leave the bag out.')
    return tuple(found)


def rows_of(bag: Bag, cameras: Sequence[str], *, depth: bool) -> tuple[names.Name, ...]:
    """Return the topics of these cameras; poses and intrinsics only if the bag holds them.

    Raises:
        BagError: depth is requested, but the bag has no pictures, or no depth for one of the cameras.
    """
    if depth and not cameras:
        raise BagError(f'Depth was requested, but {bag.path} holds no pictures. Export without --depth, or record with cameras.')
    wanted = [names.DEPTH.camera(camera) for camera in cameras] if depth else []
    for row in wanted:
        if row.name not in bag.topics:
            raise BagError(
                f'Depth was requested, but {bag.path} holds nothing on {row.name}. {near(row.name, bag.topics)} '
                'Export without --depth, or record with that topic.'
            )
    small = (names.TF_STATIC, names.TF, *(names.COLOR_INFO.camera(camera) for camera in cameras))
    return (*wanted, *(row for row in small if cameras and row.name in bag.topics))


class TransformHistory:
    """The transforms of a bag in order of time.

    Args:
        messages: of /tf_static and /tf.
    """

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages = [(stamp, read_transforms(message)) for stamp, message in sorted(messages, key=lambda one: one[0])]

    def poses(self, pictures: Sequence[Message]) -> list[Pose] | None:
        """Return the pose in `world` of the optical frame at each picture; None if the transforms do not connect them.

        Args:
            pictures: pictures in order of time.
        """
        frames: Transforms = {}
        found, left = [], iter(self._messages)
        following = next(left, None)
        for stamp, picture in pictures:
            while following and following[0] <= stamp:
                frames |= following[1]
                following = next(left, None)
            found.append(standing(frames, picture.header.frame_id))
        poses = [pose for pose in found if pose]
        return poses if len(poses) == len(found) else None


def intrinsics(infos: Sequence[Message]) -> Floats:
    """Return the (3, 3) matrix K of the newest camera_info, pixels."""
    return np.asarray(infos[-1][1].k, float).reshape(3, 3)


def intrinsics_numbers(matrix: Floats) -> npt.NDArray[np.float32]:
    """Return focal lengths and principal point from a matrix K, (4,) pixels."""
    return np.array([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]], np.float32)


def depths(bag: Bag, camera: str, messages: Sequence[Message], pictures: Sequence[Message]) -> tuple[Depth, ...]:
    """Return the depth of each color picture, (height, width) m; 0 where nothing is seen.

    Raises:
        BagError: a picture has no depth with the same stamp, or depths differ in size.
    """
    taken: Mapping[int, Any] = dict(messages)
    if lacking := [stamp for stamp, _ in pictures if stamp not in taken]:
        raise BagError(
            f'{bag.path} holds no depth of the camera {camera!r} for its picture at {lacking[0] / 1e9:.2f} s. '
            'Leave the bag or the camera out, or export without --depth.'
        )
    read = {stamp: read_depth(taken[stamp]) for stamp, _ in pictures}  # a picture that is repeated over several frames is read once
    if len(sizes := {depth.shape for depth in read.values()}) > 1:
        raise BagError(f'{bag.path} holds depths of the camera {camera!r} in the sizes {sorted(sizes)}. Leave the bag or the camera out.')
    return tuple(read[stamp] for stamp, _ in pictures)
