"""A picture of the frames: the world's, the tool's and a camera's, on the robot, and the way of the fingers in the wrist camera."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.prompt import PromptPainter
from vlm_bench_tasks.pages.camera_sheet import captioned, joined, table

SIZE = 512
_ROBOT, _SET, _WRIST = 'panda', 'vlmbench', 'wrist'
_EYE, _AT = (1.05, 0.95, 0.75), (0.24, 0.0, 0.36)  # m
_AXES: tuple[tuple[str, Vector, tuple[int, int, int]], ...] = (
    ('x', (1.0, 0.0, 0.0), (214, 39, 40)),
    ('y', (0.0, 1.0, 0.0), (30, 150, 40)),
    ('z', (0.0, 0.0, 1.0), (31, 90, 220)),
)
_YELLOW, _DARK = (255, 221, 0), (30, 30, 30)
_GAP = 8


def frames() -> Bytes:
    """Return the picture, (n, m, 3): the robot with its frames, and the wrist camera with the axis along which fingers close."""
    profile = profiles.robot(_ROBOT)
    kinematics = Kinematics(profile)
    opening = profile.gripper.max_opening
    joints = dict(zip(profile.joints, profile.home, strict=True)) | dict.fromkeys(profile.gripper.joints, profile.gripper.travel(opening))
    links = kinematics.link_poses(joints)
    tool = links[profile.tool_link] @ profile.tool
    (wrist,) = profiles.cameras(f'{_SET}:{_WRIST}', SIZE, SIZE)
    beside = Camera('beside', Pose.look_at(_EYE, _AT), fov=0.62, width=SIZE, height=SIZE)
    painter = PromptPainter(profile, kinematics.link_poses)
    whole, hand = (painter.picture(table(), camera, robot=True, table=True).color.copy() for camera in (beside, wrist))
    painter.close()
    seen = wrist.world_pose(links)
    for name, frame, length in (('world', Pose(), 0.22), ('tool', tool, 0.12), (f'{_WRIST} camera', seen, 0.12)):
        _axes(whole, beside, beside.pose, frame, length, name)
    fingers = np.array([(0.0, side * opening / 2, 0.0) for side in (-1, 1)])
    _way(hand, wrist.project(tool.apply(fingers), seen))
    _axes(hand, wrist, seen, tool, 0.02, 'tool')
    tiles = [captioned('Axes x, y, z: red, green, blue', whole), captioned('The wrist camera; yellow: the way of the fingers', hand)]
    return joined(tiles, 2 * SIZE + _GAP)


def _axes(picture: Bytes, camera: Camera, pose: Pose, frame: Pose, length: float, name: str) -> None:
    """Draw the axes of a frame as the camera at `pose` sees them; an axis that points at the camera becomes a dot."""
    (origin,) = np.rint(camera.project(frame.apply([(0.0, 0.0, 0.0)]), pose)).astype(int)
    for letter, axis, color in _AXES:
        ends = np.outer((length, 1.3 * length), axis)
        tip, label = np.rint(camera.project(frame.apply(ends), pose)).astype(int)
        for width, drawn in ((5, _DARK), (3, color)):
            cv2.arrowedLine(picture, _at(origin), _at(tip), drawn, width, cv2.LINE_AA, tipLength=0.15)
        _words(picture, letter, (label[0] - 4, label[1] + 4), color)
    _words(picture, name, (origin[0] + 10, origin[1] + 16), _DARK)


def _way(picture: Bytes, ends: Floats) -> None:
    one, other = np.rint(ends).astype(int)
    for start, end in ((one, other), (other, one)):
        middle = start + (end - start) // 5
        cv2.arrowedLine(picture, _at(start), _at(middle), _DARK, 7, cv2.LINE_AA, tipLength=0.3)
        cv2.arrowedLine(picture, _at(start), _at(middle), _YELLOW, 4, cv2.LINE_AA, tipLength=0.3)


def _words(picture: Bytes, text: str, at: tuple[int, int], color: tuple[int, int, int]) -> None:
    for width, drawn in ((4, (255, 255, 255)), (1, color)):
        cv2.putText(picture, text, (int(at[0]), int(at[1])), cv2.FONT_HERSHEY_SIMPLEX, 0.5, drawn, width, cv2.LINE_AA)


def _at(pixel: NDArray[np.int64]) -> tuple[int, int]:
    return int(pixel[0]), int(pixel[1])
