"""What goes with the pictures of an observation: intrinsics and pose of each camera and, if asked for, depth, as on the ROS topics."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.environment.bench_env import BenchEnv, Laid, Observation
from vlm_bench_tasks.run import Bench

_FAR = 2.0  # times the far clipping distance, with margin for noise
_AROUND = 10.0  # largest distance of a camera from the origin, m


class CameraEnv(BenchEnv):
    """A task whose pictures come with `intrinsics` and `camera_pose` of their cameras, and with `depth` if it is asked for.

    Args:
        task: id of the task.
        depth: add `depth` of each camera, m along its optical axis, 0 where nothing is seen.
        options: arguments of `BenchEnv`.

    Raises:
        VlmBenchError: the task, action space, robot, camera or split does not exist, or `depth` is set without cameras.
    """

    def __init__(self, task: str, *, depth: bool = False, **options: Any) -> None:
        self._depth = depth
        super().__init__(task, **options)

    def _observation_space(self) -> spaces.Dict:
        seen = super()._observation_space()
        if not self._views:
            if self._depth:
                raise ConfigError('depth=True needs a camera, but there is none. Name one, such as cameras="vlmbench:front".')
            return seen
        at = np.array([_AROUND] * 3 + [1.01] * 4, np.float32)
        each: dict[str, dict[str, spaces.Space[Any]]] = {
            'intrinsics': {view.name: spaces.Box(0.0, 2.0 * view.intrinsics.max(), (3, 3), np.float32) for view in self._views},
            'camera_pose': {view.name: spaces.Box(-at, at) for view in self._views},
        }
        if self._depth:
            each['depth'] = {view.name: spaces.Box(0.0, _FAR * view.far, (view.height, view.width), np.float32) for view in self._views}
        return spaces.Dict({**seen.spaces, **{name: spaces.Dict(of) for name, of in each.items()}})

    def _seen(self, bench: Bench, laid: Laid, pictures: Mapping[str, Picture]) -> Observation:
        seen = super()._seen(bench, laid, pictures)
        if not self._views:
            return seen
        poses = bench.camera_poses(laid.play.world.snapshot)
        seen['intrinsics'] = {camera.name: camera.intrinsics.astype(np.float32) for camera in bench.cameras}
        seen['camera_pose'] = {name: np.array(pose_numbers(pose), np.float32) for name, pose in poses.items()}
        return seen | ({'depth': {name: pictures[name].depth for name in poses}} if self._depth else {})
