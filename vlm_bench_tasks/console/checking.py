"""`vlm-bench check`: is a task sound."""

from rich.console import Console
from rich.markup import escape

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.conformance import CHECKS, Subject, check
from vlm_bench_tasks.run import Bench

SHOWN = 5
"""How many findings of one check are printed."""


def examine(name: str, console: Console, *, seeds: int, plays: int, robot: str) -> int:
    """Check a task and print what was found; the exit code is 0 if nothing was.

    Args:
        name: id of the task.
        console: to print on.
        seeds: how many episodes of each split and axis are built.
        plays: how many of them are played; 0: none, which is quick.
        robot: that plays them; '': the task's own.

    Raises:
        TaskError: there is no such task, or a number is below what can be.
        ConfigError: there is no such robot.
    """
    if seeds < 2 or not 0 <= plays <= seeds:
        raise TaskError(f'At least 2 episodes are built and at most as many played; found {seeds} and {plays}.')
    faults = 0
    with console.status(escape(name)) as status:
        made = (lambda: Bench(robot)) if robot else None
        subject = Subject(name, catalogue.task(name), seeds=seeds, plays=plays, made=made, watch=status.update)
        for each, found in check(subject, tuple(c for c in CHECKS if plays or not c.plays)):
            faults += len(found)
            mark = '[bold red]no [/]' if found else '[green]yes[/]'
            console.print(f'{mark}  {each.name:8} {each.words}', highlight=False)
            for finding in found[:SHOWN]:
                console.print(f'               {finding.text}', highlight=False, markup=False)
            if len(found) > SHOWN:
                console.print(f'               and {len(found) - SHOWN} more', highlight=False)
    return 1 if faults else 0
