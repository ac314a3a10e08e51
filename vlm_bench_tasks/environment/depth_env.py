"""The observations that `depth=True` adds: depth, intrinsics and pose of each camera, as on the ROS topics."""

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


class DepthEnv(BenchEnv):
    """A task with optional depth observations. Created by `gymnasium.make('vlm_bench/vlmbench-pick_place-v0', depth=True)`.

    Args:
        task: id of the task.
        depth: add `depth` (m, 0 where nothing is seen), `intrinsics` and `camera_pose` of each camera.
        options: arguments of `BenchEnv`.

    Raises:
        VlmBenchError: the task, action space, robot, camera or split does not exist, or `depth` is set without cameras.
    """

    def __init__(self, task: str, *, depth: bool = False, **options: Any) -> None:
        self._depth = depth
        super().__init__(task, **options)

    def _observation_space(self) -> spaces.Dict:
        seen = super()._observation_space()
        if not self._depth:
            return seen
        if not self._views:
            raise ConfigError('depth=True needs a camera, but there is none. Name one, such as cameras="vlmbench:front".')
        at = np.array([_AROUND] * 3 + [1.01] * 4, np.float32)
        each: dict[str, dict[str, spaces.Space[Any]]] = {
            'depth': {view.name: spaces.Box(0.0, _FAR * view.far, (view.height, view.width), np.float32) for view in self._views},
            'intrinsics': {view.name: spaces.Box(0.0, 2.0 * view.intrinsics.max(), (3, 3), np.float32) for view in self._views},
            'camera_pose': {view.name: spaces.Box(-at, at) for view in self._views},
        }
        return spaces.Dict({**seen.spaces, **{name: spaces.Dict(of) for name, of in each.items()}})

    def _seen(self, bench: Bench, laid: Laid, pictures: Mapping[str, Picture]) -> Observation:
        seen = super()._seen(bench, laid, pictures)
        if not self._depth:
            return seen
        poses = bench.camera_poses(laid.play.world.snapshot)
        return seen | {
            'depth': {name: pictures[name].depth for name in poses},
            'intrinsics': {camera.name: camera.intrinsics.astype(np.float32) for camera in bench.cameras},
            'camera_pose': {name: np.array(pose_numbers(pose), np.float32) for name, pose in poses.items()},
        }
