"""`vlm-bench check`: check whether a task is sound."""

from rich.console import Console
from rich.markup import escape

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.conformance import CHECKS, Subject, check
from vlm_bench_tasks.run import Bench

SHOWN = 5
"""Largest number of findings to print for each check."""


def examine(name: str, console: Console, *, seeds: int, plays: int, robot: str) -> int:
    """Check a task and print the findings; the exit code is 0 if there are none.

    Args:
        name: id of the task.
        console: output.
        seeds: number of episodes to build for each split and axis.
        plays: number of these to play; 0 plays none, which is fast.
        robot: robot that plays them; '': the task's own.

    Raises:
        TaskError: the task does not exist, or a number is too small.
        ConfigError: the robot does not exist.
    """
    if seeds < 2 or not 0 <= plays <= seeds:
        raise TaskError(f'--seeds takes at least 2, and --plays 0 to that number; found {seeds} and {plays}.')
    faults = 0
    with console.status(escape(name)) as status:
        made = (lambda: Bench(robot)) if robot else None
        subject = Subject(name, catalogue.task(name), seeds=seeds, plays=plays, made=made, watch=status.update)
        done = tuple(c for c in CHECKS if plays or not c.plays)
        for each, found in check(subject, done):
            faults += len(found)
            mark = '[bold red]no [/]' if found else '[green]yes[/]'
            console.print(f'{mark}  {each.name:8} {each.words}', highlight=False)
            for finding in found[:SHOWN]:
                console.print(f'               {finding.text}', highlight=False, markup=False)
            if len(found) > SHOWN:
                console.print(f'               and {len(found) - SHOWN} more', highlight=False)
    if left_out := ', '.join(c.name for c in CHECKS if c not in done):
        console.print(f'{len(done)} of {len(CHECKS)} checks were made; --plays 0 leaves out those that play: {left_out}', highlight=False)
    return 1 if faults else 0
