"""The names under which Gymnasium makes the tasks."""

import gymnasium

from vlm_bench_tasks import catalogue

NAMESPACE, VERSION = 'vlm_bench', 0
_ENTRY = 'vlm_bench_tasks.environment.depth_env:DepthEnv'


def environment_id(task: str) -> str:
    """Return Gymnasium's id of a task: 'vlm_bench/vlmbench-pick_place-v0' for vlmbench/pick_place.

    Raises:
        TaskError: there is no such task.
    """
    catalogue.task(task)
    return _id(task)


def register() -> None:
    """Register every task of the catalogue; what is registered stays as it is."""
    for task in catalogue.tasks():
        if _id(task) not in gymnasium.registry:
            gymnasium.register(_id(task), entry_point=_ENTRY, kwargs={'task': task})


def _id(task: str) -> str:
    return f'{NAMESPACE}/{task.replace("/", "-")}-v{VERSION}'
