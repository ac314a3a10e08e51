"""The commands that generate data sets."""

from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_tasks.cli.options import (
    Engine,
    EveryAxis,
    LeaveOut,
    Level,
    Perturb,
    Prompt,
    Size,
    TaskRobot,
    Topics,
    out,
    plain_errors,
    read_path,
)
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.sizes import SIZE

app = typer.Typer()


@app.command()
def generate(
    seeds: Annotated[str, typer.Option(help='from:to, such as 0:200 for the seeds 0 to 199; test seeds, from 100000, are refused')],
    folder: Annotated[
        Path, typer.Option('--out', parser=read_path, help='folder of the data set; existing episodes are not generated again')
    ],
    tasks: Annotated[str, typer.Option(help="tasks, families or globs such as '*/stack*', separated by commas")] = 'vlmbench/pick_place',
    level: Level = '',
    split: Annotated[str, typer.Option(help='pools of the tasks; empty: the first of each')] = '',
    axis: EveryAxis = '',
    prompt: Prompt = SETTINGS['prompt'].default,
    robot: TaskRobot = '',
    cameras: Annotated[
        str, typer.Option(help="camera set, some of its cameras (vlmbench:front,wrist), or none; empty: those of the task's family")
    ] = '',
    size: Size = SIZE,
    engine: Engine = PYBULLET,
    rate: Annotated[float, typer.Option(help='pictures per second of simulated time: 20, 10, 5, 4, 2 or 1')] = 10.0,
    topics: Topics = SETTINGS['topics'].default,
    leave_out: LeaveOut = SETTINGS['leave_out'].default,
    perturb: Perturb = None,
    workers: Annotated[int, typer.Option(help='number of episodes to play in parallel')] = 2,
    shard: Annotated[str, typer.Option(help='part I of N to generate, as I/N, with I from 0 to N-1; empty: all')] = '',
    executor: Annotated[str, typer.Option(help='processes: on this machine; ray: on a Ray cluster')] = 'processes',
    patience: Annotated[float, typer.Option(help='timeout for an episode, wall-clock s')] = 600.0,
) -> None:
    """Let the expert play episodes in processes without ROS, and record each; exit 1 if one could not be played to a verdict."""
    from vlm_bench_tasks.console import generating
    from vlm_bench_tasks.dataset.generation import generation
    from vlm_bench_tasks.dataset.shards import read_shard
    from vlm_bench_tasks.task_choice import chosen

    with plain_errors():
        asked = generation(
            chosen(tasks, level), seeds, split=split, axis=axis, shard=read_shard(shard),
            robot=robot, cameras=cameras, size=size, engine=engine, rate=rate, prompt=prompt, perturb=perturb or (), topics=topics,
            leave_out=leave_out,
        )  # fmt: skip
        raise typer.Exit(generating.generate(asked, folder, generating.By(workers, executor, patience), out))


@app.command()
def aggregate(
    folders: Annotated[
        list[Path], typer.Argument(parser=read_path, help='folders that generate wrote: all shards, or adjoining ranges of seeds')
    ],
    folder: Annotated[Path, typer.Option('--out', parser=read_path, help='new folder of the whole data set')],
) -> None:
    """Join the parts of a data set; fails if an episode is missing, duplicate, or made with other settings."""
    from vlm_bench_tasks.dataset.aggregate import aggregate as join

    with plain_errors():
        rows = join(folders, folder)
    out.print(f'{len(rows)} episodes of {len(folders)} folders: {folder}', highlight=False, markup=False)
