"""Every task as a Gymnasium environment: `gymnasium.register_envs(vlm_bench_tasks.environment)` says that importing this registers them."""

from vlm_bench_tasks.environment.registration import environment_id, register

__all__ = ['environment_id', 'register']

register()
