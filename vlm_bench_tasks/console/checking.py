"""`vlm-bench check`, `check-robot` and `check-cameras`: check whether a task, a robot or a camera set is sound."""

from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.markup import escape

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import ConfigError, TaskError, quoted
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.conformance import CHECKS, Check, Subject, check
from vlm_bench_tasks.conformance.cameras import CAMERA_CHECKS, CameraSubject
from vlm_bench_tasks.conformance.robots import ROBOT_CHECKS, RobotSubject
from vlm_bench_tasks.pages.own_pages import check_page, check_sheet, write_robot_page, write_sheet
from vlm_bench_tasks.run import Bench

S = TypeVar('S')

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
    with console.status(escape(name)) as status:
        made = (lambda: Bench(robot)) if robot else None
        subject = Subject(name, catalogue.task(name), seeds=seeds, plays=plays, made=made, watch=status.update)
        done = tuple(c for c in CHECKS if plays or not c.plays)
        faults = _told(subject, done, console)
    if left_out := ', '.join(c.name for c in CHECKS if c not in done):
        console.print(f'{len(done)} of {len(CHECKS)} checks were made; --plays 0 leaves out those that play: {left_out}', highlight=False)
    return 1 if faults else 0


def examine_robot(name: str, console: Console, *, plays: int, page: Path | None) -> int:
    """Check a robot and print the findings, and write a page about it; the exit code is 0 if there are none.

    Raises:
        ConfigError: the robot does not exist, its file is wrong, or the page cannot be written.
        TaskError: the number of plays is negative.
    """
    if plays < 0:
        raise TaskError(f'--plays takes 0 or more; found {plays}.')
    profile = profiles.robot(name)
    if page is not None:
        check_page(page, name)
    with console.status(escape(name)) as status:
        subject = RobotSubject(profile, plays=plays, watch=status.update)
        faults = _told(subject, tuple(c for c in ROBOT_CHECKS if plays or not c.plays), console)
        if page is not None:
            status.update('page')
            for file in write_robot_page(profile, page):
                console.print(f'written: {file}', highlight=False, markup=False)
    if not plays:
        console.print('--plays 0 leaves out: pick', highlight=False)
    return 1 if faults else 0


def examine_cameras(name: str, console: Console, *, robot: str, sheet: Path | None) -> int:
    """Check a camera set and print the findings, and draw what it shows; the exit code is 0 if there are none.

    Raises:
        ConfigError: the set or the robot does not exist, their file is wrong, or the picture cannot be written.
    """
    subject = CameraSubject(name, robot)
    if not subject.bench.cameras:
        raise ConfigError(f'{quoted(name)} names no camera that publishes pictures. Name a camera set.')
    if sheet is not None:
        check_sheet(sheet)
    with console.status(escape(name)):
        faults = _told(subject, CAMERA_CHECKS, console)
    if sheet is not None:
        write_sheet(sheet, subject.pictures)
        console.print(f'written: {sheet}', highlight=False, markup=False)
    return 1 if faults else 0


def _told(subject: S, checks: tuple[Check[S], ...], console: Console) -> int:
    """Run checks, print their findings, and return how many there are."""
    faults = 0
    for each, found in check(subject, checks):
        faults += len(found)
        mark = '[bold red]no [/]' if found else '[green]yes[/]'
        console.print(f'{mark}  {each.name:8} {each.words}', highlight=False)
        for finding in found[:SHOWN]:
            console.print(f'               {finding.text}', highlight=False, markup=False)
        if len(found) > SHOWN:
            console.print(f'               and {len(found) - SHOWN} more', highlight=False)
    return faults
