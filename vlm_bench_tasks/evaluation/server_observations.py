"""What a policy server is sent: as openpi's clients send it, or as exports hold it, so that what is trained on an export can be served."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_tasks.actions.rotations import rotation_vector
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.cameras import INTRINSICS, POSE, intrinsics_numbers
from vlm_bench_tasks.policy import EpisodeContext, Observation

IMAGE, WRIST_IMAGE, STATE, PROMPT = 'observation/image', 'observation/wrist_image', 'observation/state', 'prompt'
IMAGES, EXPORTED_STATE, TOOL, TASK = 'observation.images.', 'observation.state', 'tool_pose', 'task'
OPENPI, EXPORT = 'openpi', 'export'
FORMS = (OPENPI, EXPORT)


def check_form(name: str) -> str:
    """Return the name if observations can be sent in that form.

    Raises:
        ConfigError: they cannot.
    """
    if name not in FORMS:
        raise ConfigError(f'Observations are not sent in a form called {quoted(name)}. {near(name, FORMS)}')
    return name


@dataclass(frozen=True)
class ServerObservations:
    """Makes what a server is sent of observations.

    Attributes:
        form: one of `FORMS`.
        cameras: that the bench has; as openpi sends, the first that stands still and the first on the robot.
        gripper: returns the gripper's number now, as exports hold it: the opening, m; of cups 1 where they hold something, else 0.
    """

    form: str
    cameras: tuple[Camera, ...]
    gripper: Callable[[], float]

    def told(self, observation: Observation, context: EpisodeContext) -> dict[str, Any]:
        """Return an observation as a map of arrays, with the instruction."""
        return self._openpi(observation, context) if self.form == OPENPI else self._exported(observation, context)

    def _openpi(self, observation: Observation, context: EpisodeContext) -> dict[str, Any]:
        found = {key: _first(self.cameras, moves=moves) for key, moves in ((IMAGE, False), (WRIST_IMAGE, True))}
        pictures = {key: observation.pictures[name].color for key, name in found.items() if name}
        return {**pictures, STATE: state(observation, context.profile), PROMPT: context.instruction}

    def _exported(self, observation: Observation, context: EpisodeContext) -> dict[str, Any]:
        joints = observation.arm(context.profile.joints)
        told: dict[str, Any] = {
            EXPORTED_STATE: np.array([*joints, self.gripper()], np.float32),
            TOOL: np.array(pose_numbers(observation.tool), np.float32),
            TASK: context.instruction,
        }
        for name, picture in observation.pictures.items():
            told[IMAGES + name] = picture.color
            told[POSE + name] = np.array(pose_numbers(observation.camera_poses[name]), np.float32)
            told[INTRINSICS + name] = intrinsics_numbers(context.cameras[name].intrinsics)
        return told


def state(observation: Observation, profile: RobotProfile) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return (8,) float32: the tool's position (m) and rotation vector (rad) in the world, and each finger from the middle (m)."""
    half = observation.opening / 2 if profile.gripper.joints else 0.0
    return np.array([*observation.tool.position, *rotation_vector(observation.tool), half, -half], dtype=np.float32)


def _first(cameras: Iterable[Camera], *, moves: bool) -> str:
    return next((camera.name for camera in cameras if bool(camera.link) is moves), '')
