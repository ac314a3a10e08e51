"""The bench as a benchmark of the vla-eval harness (PyPI: vla-eval, 0.8), for whoever scores many suites with one command.

A configuration of the harness names it as `vlm_bench_tasks.environment.vla_eval_bench:VlmBench`.
"""

from typing import Any, ClassVar

import numpy as np
from vla_eval.benchmarks.base import StepBenchmark, StepResult
from vla_eval.specs import (
    GRIPPER_CLOSE_POS,
    IMAGE_RGB,
    LANGUAGE,
    POSITION_DELTA,
    RAW,
    ROTATION_AA,
    STATE_EEF_POS_AA_GRIP,
    DimSpec,
)

from vlm_bench_sim.core.errors import CommandError, ConfigError, SeedError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions.spaces import DEFAULT, as_numbers
from vlm_bench_tasks.actions.states import tool_state
from vlm_bench_tasks.dataset.exports.cameras import intrinsics_numbers
from vlm_bench_tasks.environment.camera_env import CameraEnv
from vlm_bench_tasks.sizes import SIZE, read_size
from vlm_bench_tasks.task_choice import chosen
from vlm_bench_tasks.variation.seeds import purpose, read_seeds

KEYS = 'images', 'task_description', 'states', 'intrinsics', 'camera_poses'
"""Keys of an observation: the first three as the harness recommends them, the others as `evaluation.wires.vla_eval` sends them."""


class VlmBench(StepBenchmark):  # type: ignore[misc]  # the harness has no types
    """Tasks of this bench, an episode a seed. `episodes_per_task` of the configuration must not exceed the number of seeds.

    Args:
        tasks: tasks, families or globs over ids, separated by commas.
        seeds: first:last, such as 100000:100010.
        split: pool; '' for each task's first.
        axis: what varies; '' for each task's first.
        cameras: a camera set, or cameras of it, as for --cameras; '' for those of the task's family.
        size: of the pictures, such as 256x256.
        action: action space of the rows that a model server answers.

    Raises:
        ConfigError: there are no such seeds, or no cameras.
        VlmBenchError: a task, split, axis, camera or action space does not exist.
    """

    render_backends: ClassVar[frozenset[str]] = frozenset({'cpu', 'gpu'})

    def __init__(
        self, *, tasks: str, seeds: str, split: str = '', axis: str = '', cameras: str = '', size: str = SIZE, action: str = DEFAULT
    ) -> None:
        super().__init__()
        if cameras == 'none':
            raise ConfigError('Model servers of the harness need pictures. Name cameras, or leave them out for those of the task.')
        self._seeds, self._split, self._axis, self._action = read_seeds(seeds), split, axis, action
        self._purpose = purpose(self._seeds)
        self._names = chosen(tasks, '')
        self._given: dict[str, Any] = {'cameras': cameras, 'size': read_size(size), 'action': action, 'split': split}
        self._env: CameraEnv | None = None
        for name in self._names:
            catalogue.build(name, split, self._seeds[0], axis)
        self._steps = max(CameraEnv(name, **self._given)._max_episode_steps for name in self._names)

    @classmethod
    def configure_render(cls, _mode: str) -> dict[str, str]:
        """Return no variables: the renderer takes what the machine has, and draws the same."""
        return {}

    def get_tasks(self) -> list[dict[str, Any]]:
        """Return the tasks, each with its id and its family."""
        return [{'name': name, 'suite': name.partition('/')[0]} for name in self._names]

    def reset(self, task: dict[str, Any]) -> dict[str, Any]:
        """Begin the episode of a task whose number is `episode_idx`.

        Raises:
            SeedError: there are fewer seeds.
        """
        number = int(task.get('episode_idx', 0))
        if not 0 <= number < len(self._seeds):
            raise SeedError(f'Episode {number} was asked for; there are {len(self._seeds)} seeds. Give more, or fewer episodes_per_task.')
        if self._env is None or self._env.task != task['name']:
            self.cleanup()
            self._env = CameraEnv(task['name'], **self._given)
        seed = self._seeds[number]
        seen, self._info = self._env.reset(seed=seed, options={'purpose': self._purpose, 'axis': self._axis})
        return seen

    def step(self, action: dict[str, Any]) -> StepResult:
        """Apply the row of an answer for one control period of 0.05 s.

        Raises:
            CommandError: the answer holds no row of numbers.
        """
        rows = as_numbers(action.get('actions', action.get('action')))
        if rows is None or rows.ndim > 2 or (rows.ndim == 2 and len(rows) != 1):
            raise CommandError(f'An answer holds one row of numbers under "actions"; found {action!r:.100}.')
        seen, reward, ended, cut, self._info = self._running.step(rows.reshape(-1))
        return StepResult(seen, reward, ended or cut, self._info)

    def make_obs(self, raw_obs: dict[str, Any], _task: dict[str, Any]) -> dict[str, Any]:
        """Return what a model server is shown.

        Pictures by camera, the instruction, the state of the tool, (8,) float32, and of each camera fx, fy, cx, cy in pixels and its pose.
        """
        pose, opening = Pose.of(raw_obs['tool_pose'][:3], raw_obs['tool_pose'][3:]), float(raw_obs['agent_pos'][-1])
        states = tool_state(pose, opening, self._running.profile)
        lenses = {name: intrinsics_numbers(matrix) for name, matrix in raw_obs['intrinsics'].items()}
        told = (dict(raw_obs['pixels']), raw_obs['instruction'], states, lenses, dict(raw_obs['camera_pose']))
        return dict(zip(KEYS, told, strict=True))

    def get_step_result(self, step_result: StepResult) -> dict[str, Any]:
        """Return the verdict on an episode: success, progress, dense reward, and whether it could not be observed."""
        info = step_result.info or self._info
        told = {'success': bool(info['is_success']), 'progress': float(info['progress']), 'reward': float(info['reward'])}
        return told | {'unobservable': info['verdict'] == 'unobservable', 'verdict': info['verdict'], 'cause': info['cause']}

    def get_metric_keys(self) -> dict[str, str]:
        """Return how the results of episodes are summed up."""
        return {'success': 'mean', 'progress': 'mean', 'reward': 'mean', 'unobservable': 'sum'}

    def get_metadata(self) -> dict[str, Any]:
        """Return the most steps of an episode, and how many episodes a task has."""
        return {'max_steps': self._steps, 'max_episodes_per_task': len(self._seeds), 'split': self._split, 'axis': self._axis}

    def get_action_spec(self) -> dict[str, DimSpec]:
        """Return what a row means, in the harness's words; spaces that it has no words for are raw."""
        if self._action == DEFAULT:
            return {'position': POSITION_DELTA, 'rotation': ROTATION_AA, 'gripper': GRIPPER_CLOSE_POS}
        return {'action': RAW}

    def get_observation_spec(self) -> dict[str, DimSpec]:
        """Return what is shown, in the harness's words."""
        return {'image': IMAGE_RGB, 'language': LANGUAGE, 'state': STATE_EEF_POS_AA_GRIP}

    def get_hold_action(self, last_action: dict[str, Any] | None) -> dict[str, Any]:
        """Return what keeps the arm where it is: no shift, and the gripper as it was commanded last."""
        if self._action != DEFAULT:
            return super().get_hold_action(last_action)  # type: ignore[no-any-return]
        row = np.zeros(7, np.float32)
        row[-1] = -1.0 if last_action is None else np.reshape(last_action['actions'], -1)[-1]
        return {'actions': row}

    def render(self) -> np.ndarray[Any, Any] | None:
        """Return the picture of the first camera; None before an episode."""
        return None if self._env is None else self._env.picture()

    def cleanup(self) -> None:
        """Release world and renderer; may be called twice."""
        env, self._env = self._env, None
        if env is not None:
            env.close()

    @property
    def _running(self) -> CameraEnv:
        if self._env is None:
            raise CommandError('No episode has begun.')
        return self._env
