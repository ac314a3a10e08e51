"""The commands that convert bags to training formats."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks.cli.options import Level, Size, out, plain_errors, read_path
from vlm_bench_tasks.sizes import SIZE, read_size

if TYPE_CHECKING:
    from vlm_bench_tasks.dataset.exports.frames import Frames, Wish

    Export = Callable[[list[Path], Path, Wish], Iterator[Frames]]

app = typer.Typer()
export = typer.Typer(no_args_is_help=True, help='Convert bags to data sets for training.')
app.add_typer(export, name='export')

Folder = Annotated[Path, typer.Argument(parser=read_path, help='folder with bags, at any depth; or a bag')]
Out = Annotated[Path, typer.Argument(parser=read_path, help='new folder of the data set')]
Fps = Annotated[int, typer.Option(help='frames per second of simulated time: 1, 2, 4, 5, 10 or 20')]
CameraNames = Annotated[str, typer.Option(help='cameras separated by commas, such as front,wrist; empty: all in the bags')]
Failures = Annotated[bool, typer.Option('--failures', help='also export failed episodes')]
Action = Annotated[str, typer.Option(help='action space: joints, pose, delta_pose or another of docs/actions.md')]
Depth = Annotated[bool, typer.Option('--depth', help='also export depth pictures, m')]


@export.command()
def lerobot(
    folder: Folder,
    to: Out,
    fps: Fps = CONTROL_HZ,
    cameras: CameraNames = '',
    action: Action = 'joints',
    failures: Failures = False,
    depth: Depth = False,
    level: Level = '',
) -> None:
    """Write a LeRobot dataset v3.0: parquet, an mp4 for each camera, and metadata."""
    with plain_errors():
        _exported(_lerobot(), folder, to, _wish(fps, cameras, action, depth=depth), failures=failures, level=level)


@export.command()
def numpy(
    folder: Folder,
    to: Out,
    fps: Fps = CONTROL_HZ,
    cameras: CameraNames = '',
    action: Action = 'joints',
    failures: Failures = False,
    depth: Depth = False,
    level: Level = '',
) -> None:
    """Write one .npz file for each bag, at the same relative path as the bag."""
    from vlm_bench_tasks.dataset.exports import plain

    with plain_errors():
        root = folder.resolve()
        _exported(partial(plain.export, root=root), root, to, _wish(fps, cameras, action, depth=depth), failures=failures, level=level)


@export.command()
def maps(
    folder: Folder,
    to: Out,
    plot: Annotated[str, typer.Option(help='what the maps cover: cliport_6d or lohoravens')] = 'cliport_6d',
    pixel: Annotated[float, typer.Option(help="side of a pixel of the maps, m; 0: the plot's own")] = 0.0,
    cameras: Annotated[str, typer.Option(help='camera set, or some of its cameras, that look at the scene')] = 'vlmbench',
    size: Size = SIZE,
    failures: Failures = False,
    level: Level = '',
) -> None:
    """Write what was carried in each bag as one .npz file: maps from above, and the tool poses at which it was taken and let go."""
    from vlm_bench_tasks.dataset.exports import maps as format_

    with plain_errors():
        root, (width, height) = folder.resolve(), read_size(size)
        survey = format_.Survey(plot, cameras=cameras, width=width, height=height, pixel=pixel)
        episodes, carries = _written(partial(format_.export, survey=survey, root=root), root, to, failures=failures, level=level)
    out.print(f'{episodes} episodes, {carries} carries: {to}', highlight=False, markup=False)


@export.command()
def voxels(
    folder: Folder,
    to: Out,
    grid: Annotated[str, typer.Option(help='what the voxels cover: peract')] = 'peract',
    cameras: Annotated[str, typer.Option(help='camera set, or some of its cameras, that look at the scene')] = 'vlmbench',
    size: Size = SIZE,
    failures: Failures = False,
    level: Level = '',
) -> None:
    """Write the key frames of each bag as one .npz file: a cube of voxels at each, and tool pose and hand at the next one."""
    from vlm_bench_tasks.dataset.exports import voxels as format_

    with plain_errors():
        root, (width, height) = folder.resolve(), read_size(size)
        cube = format_.Cube(grid, cameras=cameras, width=width, height=height)
        episodes, frames = _written(partial(format_.export, cube=cube, root=root), root, to, failures=failures, level=level)
    out.print(f'{episodes} episodes, {frames} key frames: {to}', highlight=False, markup=False)


def _lerobot() -> 'Export':
    try:
        from vlm_bench_tasks.dataset.exports import lerobot as format_
    except ImportError as error:
        raise ConfigError(f'A LeRobot dataset needs {error.name}, which is not installed here. Run: pip install -e ".[export]"') from error
    return format_.export


def _wish(fps: int, cameras: str, action: str, *, depth: bool) -> 'Wish':
    from vlm_bench_tasks.dataset.exports.frames import Wish

    return Wish(fps, tuple(name.strip() for name in cameras.split(',') if name.strip()), action, depth=depth)


def _exported(write: 'Export', folder: Path, to: Path, wish: 'Wish', *, failures: bool, level: str) -> None:
    def counted(paths: list[Path], part: Path) -> Iterator[int]:
        return (len(episode) for episode in write(paths, part, wish))

    episodes, frames = _written(counted, folder, to, failures=failures, level=level)
    out.print(f'{episodes} episodes, {frames} frames of {1 / wish.fps:g} s, {frames / wish.fps:.1f} s: {to}', highlight=False, markup=False)


def _written(write: Callable[[list[Path], Path], Iterator[int]], folder: Path, to: Path, *, failures: bool, level: str) -> tuple[int, int]:
    """Write each bag, and return how many were written and the sum of what `write` yields for each."""
    from vlm_bench_tasks.dataset.exports.choice import bags, whole
    from vlm_bench_tasks.task_choice import chosen

    counts: list[int] = []
    tasks = chosen('*', level) if level else None
    with whole(to) as part, out.status('reading bags') as status:
        paths = bags(folder, failures=failures, tasks=tasks)
        for count in write(paths, part):
            counts.append(count)
            status.update(f'{len(counts)} of {len(paths)} episodes')
    return len(counts), sum(counts)
