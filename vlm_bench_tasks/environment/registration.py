"""Register the tasks under their Gymnasium ids."""

import gymnasium

from vlm_bench_tasks import catalogue

NAMESPACE, VERSION = 'vlm_bench', 0
_ENTRY = 'vlm_bench_tasks.environment.maker:make'


def environment_id(task: str) -> str:
    """Return the Gymnasium id of a task: 'vlm_bench/vlmbench-pick_place-v0' for vlmbench/pick_place.

    Raises:
        TaskError: the task does not exist.
    """
    catalogue.task(task)
    return _id(task)


def register() -> None:
    """Register every task of the catalogue; existing registrations are not changed."""
    for task in catalogue.tasks():
        if _id(task) not in gymnasium.registry:
            gymnasium.register(_id(task), entry_point=_ENTRY, kwargs={'task': task})


def _id(task: str) -> str:
    return f'{NAMESPACE}/{task.replace("/", "-")}-v{VERSION}'
