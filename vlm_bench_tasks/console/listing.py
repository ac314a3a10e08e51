"""List tasks: as a table for a terminal, and as rows for a program."""

from typing import Any

from rich.console import Console
from rich.table import Table

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import catalogue, suites
from vlm_bench_tasks.task_choice import chosen

NONE = '–'


def listed(tasks: str, level: str = '') -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return what there is to know of each task that is chosen, and why others are left out. The level of a task without one is ''.

    Args:
        tasks: ids, families or globs over ids, separated by commas.
        level: levels separated by commas, such as 'L0,L1'; '' leaves out nothing.

    Raises:
        TaskError: no task has such a name or level, or no task is left that can be loaded.
    """
    made, problems = catalogue.sound(chosen(tasks, level))
    if not made:
        raise TaskError(' '.join(problems))
    rows = [
        {'task': name, 'axes': list(of.axes), 'splits': list(catalogue.splits(name)), 'level': of.level, 'robot': of.robot}
        for name, of in made.items()
    ]
    return rows, (*suites.problems(), *problems)


def show(rows: list[dict[str, Any]], console: Console) -> None:
    """Print the rows as a table, in which every id is whole, however narrow the console."""
    table = Table(show_edge=False)
    table.add_column('task', no_wrap=True, min_width=max(len(row['task']) for row in rows))
    for head in ('level', 'robot', 'axes', 'splits'):
        table.add_column(head, overflow='fold')
    for row in rows:
        table.add_row(row['task'], row['level'] or NONE, row['robot'], ', '.join(row['axes']), ', '.join(row['splits']))
    console.print(table)
