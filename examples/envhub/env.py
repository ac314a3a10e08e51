"""An EnvHub environment of LeRobot: put this file into a repository of the hub, and name that in `lerobot-eval`.

`make_env` returns vector environments by suite and number of the task, as LeRobot 0.4.4 asks for.
"""

from typing import Any

import gymnasium

import vlm_bench_tasks.environment
from vlm_bench_tasks.environment.registration import environment_id

TASKS = ('vlmbench/pick_place', 'vlmbench/stack')
"""Change them; they are one suite."""


def make_env(*, n_envs: int = 1, use_async_envs: bool = False, cfg: Any = None) -> dict[str, dict[int, gymnasium.vector.VectorEnv]]:
    """Return `n_envs` environments of each task, played with test seeds; `cfg` may name other tasks in `task`, separated by commas."""
    gymnasium.register_envs(vlm_bench_tasks.environment)
    tasks = tuple((getattr(cfg, 'task', None) or ','.join(TASKS)).split(','))
    kind = gymnasium.vector.AsyncVectorEnv if use_async_envs else gymnasium.vector.SyncVectorEnv

    def made(task: str) -> gymnasium.vector.VectorEnv:
        def make() -> gymnasium.Env:
            return gymnasium.make(
                environment_id(task), disable_env_checker=True, render_mode='rgb_array', reset_options={'purpose': 'test'}
            )

        return kind([make for _ in range(n_envs)], autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)

    return {'vlm_bench': {number: made(task) for number, task in enumerate(tasks)}}
