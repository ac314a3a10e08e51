"""Observations for a policy server, in openpi's format or in that of our exports. A model trained on an export can thus be served.

openpi's own servers take the whole observation under its keys. Servers of other projects take the same pictures and numbers under theirs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.prompts import image_key
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.actions.states import tool_state
from vlm_bench_tasks.dataset.exports.cameras import INTRINSICS, POSE, intrinsics_numbers
from vlm_bench_tasks.policy import EpisodeContext, Observation

ROLES = 'prompt/roles'
"""Key of the roles of all pictures, of `core.prompts.ROLES`."""
IMAGE, WRIST_IMAGE, STATE, PROMPT = 'observation/image', 'observation/wrist_image', 'observation/state', 'prompt'
IMAGES, EXPORTED_STATE, TOOL, TASK = 'observation.images.', 'observation.state', 'tool_pose', 'task'
OPENPI, EXPORT = 'openpi', 'export'
_VIEWS = {'image': IMAGE, 'wrist_image': WRIST_IMAGE}
FORMS = (OPENPI, EXPORT)

Color = np.ndarray[Any, np.dtype[np.uint8]]
Numbers = np.ndarray[Any, np.dtype[np.float32]]


def check_form(name: str) -> str:
    """Return the name if it is a known observation format.

    Raises:
        ConfigError: the format is unknown.
    """
    if name not in FORMS:
        raise ConfigError(f'There is no observation format called {quoted(name)}. {near(name, FORMS)}')
    return name


@dataclass(frozen=True)
class Seen:
    """One observation, as the wires of several projects need it.

    Attributes:
        keyed: everything under the keys of the format, each picture with the intrinsics and the pose of its camera.
        pictures: colour of each camera, (height, width, 3) uint8, in the order of the bench's cameras.
        roles: the same pictures by the names of the format: `image` and `wrist_image` of openpi, or those of the cameras.
        outside: colour of the first fixed camera; None if there is none.
        wrist: colour of the first camera on the robot; None if there is none.
        intrinsics: fx, fy, cx, cy of each camera, pixels, (4,) float32.
        poses: pose of the optical frame of each camera in the world, (7,) float32: m, and quaternion xyzw.
        parts: the state of the robot in named parts, float32 each.
        instruction: what is to be done.
    """

    keyed: dict[str, Any]
    pictures: dict[str, Color]
    roles: dict[str, Color]
    outside: Color | None
    wrist: Color | None
    intrinsics: dict[str, Numbers]
    poses: dict[str, Numbers]
    parts: dict[str, Numbers]
    instruction: str

    @property
    def state(self) -> Numbers:
        """The state of the robot as one row of numbers, float32."""
        return np.concatenate(list(self.parts.values()))


@dataclass(frozen=True)
class ServerObservations:
    """Converts observations for a policy server.

    Attributes:
        form: one of `FORMS`.
        cameras: cameras of the bench; the openpi format sends the first fixed one and the first one on the robot.
        gripper: returns the gripper's current value as in exports: the opening in m; for suction cups 1 if they hold something, else 0.
    """

    form: str
    cameras: tuple[Camera, ...]
    gripper: Callable[[], float]

    def seen(self, observation: Observation, context: EpisodeContext) -> Seen:
        """Return an observation, including the instruction with its pictures."""
        openpi = self.form == OPENPI
        pictures = {name: picture.color for name, picture in observation.pictures.items()}
        outside, wrist = (self._first(pictures, moves=moves) for moves in (False, True))
        views = {view: name for view, name in zip(_VIEWS, (outside, wrist), strict=True) if name}
        called = views if openpi else {name: name for name in pictures}
        roles = {role: pictures[name] for role, name in called.items()}
        intrinsics = {name: intrinsics_numbers(context.cameras[name].intrinsics) for name in pictures}
        poses = {name: _floats(pose_numbers(observation.camera_poses[name])) for name in pictures}
        parts = _openpi_parts(observation, context.profile) if openpi else self._exported_parts(observation, context)
        found = Seen({}, pictures, roles, pictures.get(outside), pictures.get(wrist), intrinsics, poses, parts, context.instruction)
        keyed = _openpi(found) if openpi else self._exported(observation, context, found)
        for role, name in called.items():
            keyed |= {POSE + role: poses[name], INTRINSICS + role: intrinsics[name]}
        shown = {image_key(number): image.color for number, image in enumerate(context.pictures, start=1)}
        return replace(found, keyed=keyed | shown | ({ROLES: [image.role for image in context.pictures]} if shown else {}))

    def _exported_parts(self, observation: Observation, context: EpisodeContext) -> dict[str, Numbers]:
        return {'arm': _floats(observation.arm(context.profile.joints)), 'gripper': _floats([self.gripper()])}

    def _exported(self, observation: Observation, context: EpisodeContext, seen: Seen) -> dict[str, Any]:
        told: dict[str, Any] = {
            EXPORTED_STATE: seen.state,
            TOOL: np.array(pose_numbers(observation.tool), np.float32),
            TASK: context.instruction,
        }
        return told | {IMAGES + name: picture for name, picture in seen.pictures.items()}

    def _first(self, seen: Iterable[str], *, moves: bool) -> str:
        return next((camera.name for camera in self.cameras if bool(camera.link) is moves and camera.name in seen), '')


def _openpi(seen: Seen) -> dict[str, Any]:
    pictures = {_VIEWS[name]: picture for name, picture in seen.roles.items()}
    return {**pictures, STATE: seen.state, PROMPT: seen.instruction}


def _openpi_parts(observation: Observation, profile: RobotProfile) -> dict[str, Numbers]:
    """Return 8 numbers: position (m) and rotation vector (rad) of the tool in the world, fingers' distances from the middle (m).

    The rotation vector goes by the names that GR00T's embodiment for LIBERO gives to the same numbers.
    """
    state = tool_state(observation.tool, observation.opening, profile)
    names = ('x', 'y', 'z', 'roll', 'pitch', 'yaw')
    return {**{name: state[i : i + 1] for i, name in enumerate(names)}, 'gripper': state[len(names) :]}


def _floats(values: Sequence[float] | Floats) -> Numbers:
    return np.array(values, dtype=np.float32)
