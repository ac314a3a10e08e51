"""Choose tasks by their ids and levels, for commands."""

from vlm_bench_sim.core.errors import TaskError, near, quoted
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.family import family_name


def levels(family: str = '') -> tuple[str, ...]:
    """Return the levels that tasks of a family have, in order; '': of all families. Empty where tasks have none."""
    made, _ = catalogue.sound(task for task in catalogue.tasks() if family in ('', family_name(task)))
    return tuple(sorted({task.level for task in made.values()} - {''}))


def chosen(tasks: str, level: str = '') -> tuple[str, ...]:
    """Return the ids of the tasks that `tasks` names and that have one of the levels, sorted.

    Args:
        tasks: ids, families or globs over ids, separated by commas.
        level: levels separated by commas, such as 'L0,L1'; '' leaves out nothing.

    Raises:
        TaskError: no task has such a name or level, or no task is left.
    """
    found = tuple(sorted({task for part in tasks.split(',') for task in catalogue.chosen(part.strip())}))
    if not level:
        return found
    wanted = {part.strip() for part in level.split(',')}
    if unknown := sorted(wanted - set(levels())):
        raise TaskError(f'There is no level called {quoted(unknown[0])}. {near(unknown[0], levels())}')
    made, _ = catalogue.sound(found)
    if left := tuple(task for task in made if made[task].level in wanted):
        return left
    have = ', '.join(sorted({task.level for task in made.values()} - {''})) or 'none'
    raise TaskError(f'No task of {quoted(tasks)} has the level {" or ".join(sorted(wanted))}; their levels: {have}. Name other tasks.')
