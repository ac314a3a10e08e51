"""Observations for a policy server, in openpi's format or in that of our exports. A model trained on an export can thus be served."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.core.prompts import image_key
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_tasks.actions.rotations import rotation_vector
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.cameras import INTRINSICS, POSE, intrinsics_numbers
from vlm_bench_tasks.policy import EpisodeContext, Observation

ROLES = 'prompt/roles'
"""Key of the roles of all pictures, of `core.prompts.ROLES`."""
IMAGE, WRIST_IMAGE, STATE, PROMPT = 'observation/image', 'observation/wrist_image', 'observation/state', 'prompt'
IMAGES, EXPORTED_STATE, TOOL, TASK = 'observation.images.', 'observation.state', 'tool_pose', 'task'
OPENPI, EXPORT = 'openpi', 'export'
FORMS = (OPENPI, EXPORT)


def check_form(name: str) -> str:
    """Return the name if it is a known observation format.

    Raises:
        ConfigError: the format is unknown.
    """
    if name not in FORMS:
        raise ConfigError(f'There is no observation format called {quoted(name)}. {near(name, FORMS)}')
    return name


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

    def told(self, observation: Observation, context: EpisodeContext) -> dict[str, Any]:
        """Return an observation as a dictionary of arrays, including the instruction with its pictures."""
        seen = self._openpi(observation, context) if self.form == OPENPI else self._exported(observation, context)
        shown = {image_key(number): image.color for number, image in enumerate(context.pictures, start=1)}
        return seen | shown | ({ROLES: [image.role for image in context.pictures]} if shown else {})

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
    """Return (8,) float32: position (m) and rotation vector (rad) of the tool in the world, fingers' distances from the middle (m)."""
    half = observation.opening / 2 if profile.gripper.joints else 0.0
    return np.array([*observation.tool.position, *rotation_vector(observation.tool), half, -half], dtype=np.float32)


def _first(cameras: Iterable[Camera], *, moves: bool) -> str:
    return next((camera.name for camera in cameras if bool(camera.link) is moves), '')
