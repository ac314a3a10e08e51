"""The commands for extensions: skeletons of tasks, robots and camera sets, and the checks of the latter two."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

from vlm_bench_tasks.cli.options import out, plain_errors, read_path

app = typer.Typer()
new = typer.Typer(no_args_is_help=True, help='Write the skeleton of a task, a robot or a camera set, which passes its check.')
app.add_typer(new, name='new')

_INTO = 'my_bench'
Into = Annotated[Path, typer.Option(parser=read_path, help='folder of the extension; it is made if need be')]


@new.command()
def task(name: Annotated[str, typer.Argument(metavar='FAMILY/NAME', help='id of the task')], into: Into = Path(_INTO)) -> None:
    """Write a task: two objects go into two containers."""
    from vlm_bench_tasks.console import skeletons

    _write(skeletons.task, name, into, 'check')


@new.command()
def robot(name: Annotated[str, typer.Argument(help='name of the profile')], into: Into = Path(_INTO)) -> None:
    """Write a profile and a URDF: a copy of the Panda."""
    from vlm_bench_tasks.console import skeletons

    _write(skeletons.robot, name, into, 'check-robot')


@new.command()
def cameras(name: Annotated[str, typer.Argument(help='name of the set')], into: Into = Path(_INTO)) -> None:
    """Write a camera set: one camera across the table, and one on the hand."""
    from vlm_bench_tasks.console import skeletons

    _write(skeletons.cameras, name, into, 'check-cameras')


def _write(skeleton: Callable[[str, Path], tuple[Path, ...]], name: str, into: Path, check: str) -> None:
    with plain_errors():
        for file in skeleton(name, into):
            out.print(f'written: {file}', highlight=False, markup=False)
    out.print(f'check it: {shlex.join([_program(), check, name, "--task-path", str(into)])}', highlight=False, markup=False)


def _program() -> str:
    """Return how this program can be called from here again: by its name if the shell finds it, or else by its path."""
    called, found = Path(sys.argv[0]), which('vlm-bench')
    return 'vlm-bench' if found and called.exists() and called.samefile(found) else str(called)


@app.command(name='check-robot')
def check_robot(
    name: Annotated[str, typer.Argument(help='name of the profile')],
    plays: Annotated[int, typer.Option(help='episodes that the expert plays with it; 0: none')] = 3,
    page: Annotated[Path | None, typer.Option(parser=read_path, help='folder for a page about it, with a picture')] = None,
) -> None:
    """Check a robot: limits, home, tool centre point, gripper, reach, ways, and a pick; exit 1 if one is violated."""
    from vlm_bench_tasks.console.checking import examine_robot

    with plain_errors():
        raise typer.Exit(examine_robot(name, out, plays=plays, page=page))


@app.command(name='check-cameras')
def check_cameras(
    name: Annotated[str, typer.Argument(metavar='CAMERAS', help='a camera set, or some of its cameras, such as vlmbench:front,wrist')],
    robot: Annotated[str, typer.Option(help='robot profile on whose hand cameras are')] = 'panda',
    sheet: Annotated[Path | None, typer.Option(parser=read_path, help='file for a picture of what they show, .png')] = None,
) -> None:
    """Check a camera set: where the cameras stand, and that they show table, tool and props; exit 1 if one does not."""
    from vlm_bench_tasks.console.checking import examine_cameras

    with plain_errors():
        raise typer.Exit(examine_cameras(name, out, robot=robot, sheet=sheet))
