"""Every task as a Gymnasium environment. Importing this registers them, for `gymnasium.register_envs(vlm_bench_tasks.environment)`."""

from vlm_bench_tasks.environment.registration import environment_id, register

__all__ = ['environment_id', 'register']

register()
