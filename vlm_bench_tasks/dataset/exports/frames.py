"""Read a bag as frames at a fixed rate in simulated time: observations, the following set point, and its result."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vlm_bench_sim import profiles
from vlm_bench_sim.bags import reader
from vlm_bench_sim.bags.reader import Bag
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import BagError, VlmBenchError, near
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.physics import history  # noqa: F401  (an action read from JSON may name any of its classes)
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_tasks.actions.encoding import encode
from vlm_bench_tasks.actions.spaces import TOOL_NAMES, action_space, pose_numbers
from vlm_bench_tasks.dataset.exports.cameras import POSE as POSE_COLUMN
from vlm_bench_tasks.dataset.exports.cameras import POSE_NAMES, Depth, Message, TransformHistory, cameras_of, depths, intrinsics, rows_of
from vlm_bench_tasks.dataset.exports.expert import advised
from vlm_bench_tasks.dataset.exports.numbers import state_names, state_numbers
from vlm_bench_tasks.dataset.exports.pictures import check_pictures
from vlm_bench_tasks.dataset.exports.set_points import set_points
from vlm_bench_tasks.dataset.labels import NO_LABELS, Labels, read_labels, topics
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.dataset.waypoints import told
from vlm_bench_tasks.judging.messages import read_report
from vlm_bench_tasks.judging.report import Report

JOINTS, POSE = 'joints', 'pose'
"""The default action spaces of an export and of the expert's advice."""

EXPERT = 'expert.action'
"""The column of the expert's advice. It holds tool poses, so it exists only if the actions are tool poses."""

LEAF = 'leaf'
"""The column with the index of the clause that the expert serves; -1: not known."""

Columns = dict[str, npt.NDArray[Any]]
_ACTION_ROWS = (names.COMMANDED, names.APPLIED)


@dataclass(frozen=True)
class Wish:
    """Options for reading bags.

    Attributes:
        fps: frames per simulated second; divides the control rate, which is the default: a frame is a control period.
        cameras: cameras whose pictures to read; empty: all cameras of the first bag.
        action: name of an action space.
        pictures: False to read no pictures.
        depth: True to read also the depth of each picture.

    Raises:
        BagError: the rate is invalid, or it is below the control rate and the action space holds a change per control period.
        ConfigError: the action space does not exist.
    """

    fps: int = CONTROL_HZ
    cameras: tuple[str, ...] = ()
    action: str = JOINTS
    pictures: bool = True
    depth: bool = False

    def __post_init__(self) -> None:
        if self.fps < 1 or CONTROL_HZ % self.fps:
            rates = ', '.join(str(rate) for rate in range(1, CONTROL_HZ + 1) if CONTROL_HZ % rate == 0)
            raise BagError(
                f'{self.fps} frames a second were requested, but the rate must divide the control rate of {CONTROL_HZ} Hz. '
                f'Choose one of {rates}.'
            )
        if action_space(self.action).relative and self.fps != CONTROL_HZ:
            raise BagError(
                f'{self.action} holds changes per control period, but {self.fps} frames a second were requested. '
                f'Choose --fps {CONTROL_HZ}, or the action space joints or pose.'
            )


@dataclass(frozen=True)
class Frames:
    """An episode of N frames.

    Attributes:
        bag: path of the bag.
        about: the strings of its `custom_data`.
        profile: robot profile.
        columns: arrays by name, (N,) or (N, numbers).
        names: names of the numbers in each column that has several.
        pictures: N jpeg files for each camera.
        depths: N arrays for each camera, (height, width) m, 0 where nothing is seen; empty unless requested.
        intrinsics: (3, 3) matrix K of each camera for which the bag holds it.
        prompt: the pictures of the instruction; empty if it is in words.
        labels: the expert's steps and skills, and the key steps.
        begins: the control period in which each frame begins.
    """

    bag: Path
    about: Mapping[str, str]
    profile: RobotProfile
    columns: Columns
    names: Mapping[str, tuple[str, ...]]
    pictures: Mapping[str, tuple[bytes, ...]]
    depths: Mapping[str, tuple[Depth, ...]]
    intrinsics: Mapping[str, Floats]
    prompt: tuple[PromptImage, ...] = ()
    labels: Labels = NO_LABELS
    begins: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.columns['next.done'])


def frames(path: Path, wish: Wish) -> Frames:
    """Return the frames of the bag at `path`, from its first control period to the deciding one; empty if nothing followed the first.

    Raises:
        BagError: the bag is missing, damaged, or lacks actions, the report or the pictures of a camera.
    """
    bag = reader.open_bag(path)
    read = _Read(bag, (wish.cameras or cameras_of(bag)) if wish.pictures else (), depth=wish.depth)
    profile, last = profiles.robot(bag.custom.get('robot', '')), read.report.seq
    snapshots = read.snapshots(last)  # checks that the bag has as many states as the report claims, before anything of that length
    now, then = _frame_periods(last, CONTROL_HZ // wish.fps)
    commanded, applied = (set_points(profile, snapshots, read.begun(row), judged=row is names.APPLIED) for row in _ACTION_ROWS)
    joints, space = state_names(profile), action_space(wish.action)
    acted, seen = space.names(profile), [snapshots[seq] for seq in now]
    told = read.labels()
    columns: Columns = {
        'observation.state': _table([state_numbers(profile, one) for one in seen], len(joints)),
        'tool_pose': _table([pose_numbers(one.tool) for one in seen], len(TOOL_NAMES)),
        'action': encode(space, profile, commanded[then], seen, kinematics=_kinematics(profile.name)),
        'applied.action': encode(space, profile, applied[then], seen, kinematics=_kinematics(profile.name)),
        **read.came_of_it(then),
        LEAF: np.asarray([-1 if step is None else step.leaf for step in told.at(now)], np.int64),
    }
    if read.advice and wish.action == POSE:
        columns[EXPERT] = _table(advised(profile, snapshots, read.advice)[now], len(acted))
    called = {'observation.state': joints, 'tool_pose': TOOL_NAMES} | {name: acted for name in columns if name.endswith('action')}
    pictures = {camera: read.pictures(camera, now) for camera in read.cameras}
    posed = read.camera_poses(pictures)
    drawn = {camera: tuple(bytes(message.data) for _, message in seen) for camera, seen in pictures.items()}
    check_pictures(path, drawn, told.pictures)
    return Frames(
        path, bag.custom, profile, columns | posed, called | dict.fromkeys(posed, POSE_NAMES), drawn,
        read.depths(pictures) if wish.depth else {}, read.intrinsics(), recorded_prompt(bag), told, tuple(now),
    )  # fmt: skip


class _Read:
    """The messages of all topics that frames need, read in one pass."""

    def __init__(self, bag: Bag, cameras: tuple[str, ...], *, depth: bool) -> None:
        self.cameras, self._bag, self._path = cameras, bag, bag.path
        rows = (*_ACTION_ROWS, names.WORLD_STATE, names.RUNNING_REPORT, names.REPORT, *(names.COLOR_JPEG.camera(c) for c in cameras))
        for row in rows:
            if row.name not in bag.topics:
                raise BagError(f'{bag.path} holds nothing on {row.name}, which frames need. {near(row.name, bag.topics)}')
        self._found: dict[str, list[Message]] = {row.name: [] for row in (*rows, names.EVENTS, *rows_of(bag, cameras, depth=depth))}
        self._found |= {name: [] for name in topics(cameras) if name in bag.topics}
        for topic, stamp, message in bag.messages(*(name for name in self._found if name in bag.topics)):
            self._found[topic].append((stamp, message))

    @property
    def report(self) -> Report:
        """The final report."""
        return read_report(self._found[names.REPORT.name][-1][1])

    def labels(self) -> Labels:
        """Return the labels of the episode."""
        return read_labels(self._found, self.cameras, bag=self._path)

    @property
    def advice(self) -> tuple[tuple[int, Command], ...]:
        """The expert's advice, each with the control period of the policy's decision; empty if there was no adviser."""
        return told(message for _, message in self._found[names.EVENTS.name])

    def snapshots(self, last: int) -> list[Snapshot]:
        """Return the snapshot of each control period up to `last`."""
        states = self._found[names.WORLD_STATE.name][: last + 1]
        found = [read_snapshot(message) for _, message in states] if len(states) == last + 1 else []
        if not found or any(now.seq != seq for seq, now in enumerate(found)):
            raise BagError(f'{self._path} lacks a state of the world between the periods 0 and {last}. Leave the bag out.')
        return found

    def begun(self, row: names.Name) -> dict[int, list[Any]]:
        """Return the actions of a topic by the control period after which they began."""
        found: dict[int, list[Any]] = {}
        for _, message in self._found[row.name]:
            if message.action:
                found.setdefault(int(message.seq), []).append(self._action(row, message.action))
        return found

    def _action(self, row: names.Name, text: str) -> Any:
        try:
            return codec.loads(text)
        except VlmBenchError as error:
            raise BagError(f'{self._path} holds an action on {row.name} that cannot be read: {error} Leave the bag out.') from error

    def came_of_it(self, then: Sequence[int]) -> Columns:
        """Return reward, end and success at these periods."""
        running = {report.seq: report for report in (read_report(message) for _, message in self._found[names.RUNNING_REPORT.name])}
        final = self.report
        reports = [final if seq == final.seq else running.get(seq, final) for seq in then]
        return {
            'next.reward': np.asarray([report.reward for report in reports], np.float32),
            'next.done': np.asarray([seq == final.seq for seq in then], np.bool_),
            'next.success': np.asarray([seq == final.seq and final.verdict is Verdict.SUCCESS for seq in then], np.bool_),
        }

    def pictures(self, camera: str, now: Sequence[int]) -> list[Message]:
        """Return the newest picture of a camera at each of these periods."""
        stamps = [stamp for stamp, _ in self._found[names.WORLD_STATE.name]]
        seen = self._found[names.COLOR_JPEG.camera(camera).name]
        newest = [bisect_right(seen, stamps[seq], key=lambda one: one[0]) - 1 for seq in now]
        if -1 in newest:
            raise BagError(f'{self._path} holds no picture of the camera {camera!r} at the start. Leave the bag or the camera out.')
        return [seen[index] for index in newest]

    def camera_poses(self, pictures: Mapping[str, Sequence[Message]]) -> Columns:
        """Return the pose of each camera at the times of its pictures, if the transforms connect it with the world."""
        told = TransformHistory(message for row in (names.TF_STATIC, names.TF) for message in self._found.get(row.name, ()))
        poses = {POSE_COLUMN + camera: told.poses(seen) for camera, seen in pictures.items()}
        return {name: _table([pose_numbers(pose) for pose in of], len(POSE_NAMES)) for name, of in poses.items() if of is not None}

    def intrinsics(self) -> dict[str, Floats]:
        """Return the intrinsics of each camera that has a camera_info."""
        infos = {camera: self._found.get(names.COLOR_INFO.camera(camera).name) for camera in self.cameras}
        return {camera: intrinsics(of) for camera, of in infos.items() if of}

    def depths(self, pictures: Mapping[str, Sequence[Message]]) -> dict[str, tuple[Depth, ...]]:
        """Return the depth of each of these pictures."""
        return {camera: depths(self._bag, camera, self._found[names.DEPTH.camera(camera).name], of) for camera, of in pictures.items()}


def _frame_periods(last: int, stride: int) -> tuple[list[int], list[int]]:
    """Return the periods at which frames start, and those at which their actions have been executed."""
    begin = list(range(0, last, stride))
    return begin, [*begin[1:], last] if begin else []


@cache
def _kinematics(robot: str) -> Kinematics:
    return Kinematics(profiles.robot(robot))


def _table(rows: Any, width: int) -> npt.NDArray[np.float32]:
    return np.asarray(rows, np.float32).reshape(-1, width)
