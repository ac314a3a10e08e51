"""Sources of observations at a tick: the ground truth, or the public topics of the robot and its cameras."""

import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, Protocol

import numpy as np

from vlm_bench_sim.core.camera import Calibration, Picture
from vlm_bench_sim.core.frames import ROOT, Transforms, standing
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.contact_guess import Beliefs
from vlm_bench_tasks.nodes.acting.pulse import tick
from vlm_bench_tasks.policy import Observation

_PATIENCE_S = 5.0  # wall clock


class ObservationSource(Protocol):
    """Provides observations.

    Attributes:
        told: the topic without which it has no data.
    """

    told: names.Name

    def watch(self, changed: Callable[[], None]) -> None:
        """Subscribe to the topics; `changed` is called whenever new data arrives."""
        ...

    def at(self, tick: Any) -> Observation | None:
        """Return the observation at the newest tick; None if it is not complete yet."""
        ...


class TruthSource:
    """Provides the ground truth, or what is observed and believed around a real arm.

    Args:
        node: subscribes to the topics.
        beliefs: adds contacts and the grasp where nothing sees them; None: a simulator does.

    Attributes:
        tick: called with the content of a Tick for each state, where no simulator publishes ticks; None otherwise.
    """

    told = names.WORLD_STATE

    def __init__(self, node: BenchNode, beliefs: Beliefs | None = None) -> None:
        self._node, self._beliefs = node, beliefs
        self._snapshots: dict[tuple[str, int], Snapshot] = {}
        self.tick: Callable[[Any], None] | None = None

    def watch(self, changed: Callable[[], None]) -> None:
        """Subscribe to the topics."""
        self._changed = changed
        self._node.subscribe(names.WORLD_STATE, self._on_state)

    def at(self, tick: Any) -> Observation | None:
        """Return the true state at that tick."""
        now = self._snapshots.get((tick.token, int(tick.seq)))
        return Observation(now.step / PHYSICS_HZ, now.joints, now.tool, now.opening, truth=now) if now else None

    def _on_state(self, state: Any) -> None:
        now = fields.read_snapshot(state)
        self._snapshots = {key: kept for key, kept in self._snapshots.items() if key[1] >= state.seq - 1}
        self._snapshots[(state.token, state.seq)] = now if self._beliefs is None else self._beliefs.of(now)
        if self.tick is not None:
            self.tick(tick(state.token, now.seq, fields.read_stamp(state.header.stamp)))
        self._changed()


class PublicSource:
    """Provides joints, tool pose and pictures of some cameras from public topics.

    In lockstep all data belongs to the tick itself; a world that waits for a command publishes one new picture of each camera. In
    realtime, or if a camera has not answered for five seconds, the newest picture is used. A camera whose camera_info or transforms do
    not arrive within five seconds after all else has no pose, and the log names it.

    Args:
        node: subscribes to the topics.
        profile: robot profile.
        cameras: names of the cameras to use.
        lockstep: whether simulated time waits for us.
        ids: whether the aid segmentation is given; without it, every pixel is background.

    Attributes:
        instruction: the newest instruction; None before the first one. One that is renewed belongs to the tick like all other data.
        instructed: called with each instruction.
    """

    told = names.TICK

    def __init__(self, node: BenchNode, profile: RobotProfile, *, cameras: tuple[str, ...], lockstep: bool, ids: bool = False) -> None:
        self._node, self._fingers, self._lockstep = node, profile.gripper.joints, lockstep
        self._rows = (names.JOINT_STATES, names.TCP_POSE)
        rows = (names.COLOR, names.DEPTH, names.SEGMENTATION) if ids else (names.COLOR, names.DEPTH)
        self._pictures = {camera: tuple(row.camera(camera) for row in rows) for camera in cameras}
        self._infos = {camera: names.COLOR_INFO.camera(camera) for camera in cameras}
        self._transforms: Transforms = {}
        self._moved = -1
        self._newest: dict[str, Any] = {}
        self._asked: tuple[str, int, float] = ('', -1, 0.0)
        self._began, self._since = 0, inf
        self._missing: list[str] = []
        self.instruction: Any = None
        self.instructed: Callable[[Any], None] = lambda _: None

    def watch(self, changed: Callable[[], None]) -> None:
        """Subscribe to the topics."""
        self._changed = changed
        self._node.subscribe(names.INSTRUCTION, self._take_instruction)
        for row in (*self._rows, *self._infos.values(), *(row for rows in self._pictures.values() for row in rows)):
            self._node.subscribe(row, partial(self._take, row.name))
        for row in (names.TF_STATIC, names.TF) if self._pictures else ():
            self._node.subscribe(row, partial(self._take_transforms, moving=row is names.TF))

    def at(self, tick: Any) -> Observation | None:
        """Return the observation at that tick."""
        now = fields.read_stamp(tick.header.stamp)
        if self._asked[0] != tick.token:
            self._began, self._since = now, inf
        if self._asked[:2] != (tick.token, tick.seq):
            self._asked = (tick.token, int(tick.seq), time.monotonic())
        if not self._is_instructed(tick):
            return None
        ns = now if self._lockstep else self._began  # never use data of the last episode, in any mode
        if not all(self._is_of(row.name, ns) for row in self._rows) or not all(self._shows(camera, ns) for camera in self._pictures):
            return None
        found = self._poses()
        if self._lacks(found, ns):
            return None
        joints = fields.read_joints(self._newest[names.JOINT_STATES.name])
        tool = fields.read_pose(self._newest[names.TCP_POSE.name].pose)
        opening = sum(joints[name].position for name in self._fingers if name in joints)
        pictures = {camera: self._picture(camera) for camera in self._pictures}
        return Observation(int(tick.step) / PHYSICS_HZ, joints, tool, opening, pictures=pictures, camera_poses=found)

    def calibrations(self) -> dict[str, Calibration]:
        """Return the calibration of each camera by name, after the first observation; cameras with unknown calibration are left out."""
        found = {}
        for camera in self._poses():
            link, pose = self._transforms[self._frame(camera)]
            info = self._newest[self._infos[camera].name]
            found[camera] = fields.read_calibration(info, camera, link='' if link == ROOT else link, pose=pose)
        return found

    def _frame(self, camera: str) -> str:
        return str(self._newest[self._infos[camera].name].header.frame_id)

    def _poses(self) -> dict[str, Pose]:
        """Return the pose in the world of each camera whose camera_info and transforms have arrived."""
        told = [camera for camera, row in self._infos.items() if row.name in self._newest]
        poses = {camera: standing(self._transforms, self._frame(camera)) for camera in told}
        return {camera: pose for camera, pose in poses.items() if pose is not None}

    def _lacks(self, poses: dict[str, Pose], ns: int) -> bool:
        """Return whether to wait for camera poses: for those of that time, or, for some seconds once in an episode, for unknown ones."""
        missing = sorted(self._pictures.keys() - poses.keys())
        self._since = min(self._since, time.monotonic())
        if missing and time.monotonic() - self._since <= _PATIENCE_S:
            return True
        if missing and missing != self._missing:
            lost = ', '.join(f'{self._infos[camera].name} or a transform to its frame' for camera in missing)
            self._node.log.warning(f'The policy receives no calibration and no pose of {", ".join(missing)}: no node publishes {lost}.')
            self._missing = missing
        return bool(poses) and 0 <= self._moved < ns

    def _is_instructed(self, tick: Any) -> bool:
        told = self.instruction
        return told is None or told.token != tick.token or not told.renewed or int(told.seq) >= int(tick.seq)

    def _take_instruction(self, instruction: Any) -> None:
        self.instruction = instruction
        self.instructed(instruction)
        self._changed()

    def _take_transforms(self, message: Any, *, moving: bool) -> None:
        self._transforms |= fields.read_transforms(message)
        if moving and message.transforms:
            self._moved = fields.read_stamp(message.transforms[0].header.stamp)
        self._changed()

    def _take(self, name: str, message: Any) -> None:
        self._newest[name] = message
        self._changed()

    def _is_of(self, name: str, ns: int) -> bool:
        """Return whether the newest message is of that time or later."""
        return name in self._newest and fields.read_stamp(self._newest[name].header.stamp) >= ns

    def _shows(self, camera: str, ns: int) -> bool:
        rows = self._pictures[camera]
        stamps = {fields.read_stamp(self._newest[row.name].header.stamp) for row in rows if row.name in self._newest}
        if not all(row.name in self._newest for row in rows):
            return False
        late = self._lockstep and time.monotonic() - self._asked[2] > _PATIENCE_S
        return late or (min(stamps) >= ns and (len(stamps) == 1 or not self._lockstep))

    def _picture(self, camera: str) -> Picture:
        color, depth, *told = (self._newest[row.name] for row in self._pictures[camera])
        metres = fields.read_depth(depth)
        ids = fields.read_image(told[0]) if told else np.zeros(metres.shape)
        return Picture(fields.read_image(color).astype(np.uint8), metres, ids.astype(np.uint16))
