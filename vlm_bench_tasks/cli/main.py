"""vlm-bench: every command of the project."""

import json
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks.cli import (
    bag_commands,
    bench_commands,
    dash_commands,
    data_commands,
    export_commands,
    extension_commands,
    page_commands,
    score_commands,
)
from vlm_bench_tasks.cli.extending import extensible
from vlm_bench_tasks.cli.options import (
    AsJson,
    Assist,
    Axis,
    Cameras,
    Engine,
    LeaveOut,
    Level,
    Mode,
    Perturb,
    PolicyArg,
    Prompt,
    Record,
    Scored,
    Seed,
    Size,
    Task,
    TaskRobot,
    Topics,
    out,
    plain_errors,
    read_path,
)
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.sizes import SIZE

app = typer.Typer(no_args_is_help=True, add_completion=False, help='Robot policies that follow language on a manipulation benchmark.')
parts = (bench_commands, bag_commands, export_commands, data_commands, page_commands, score_commands, dash_commands, extension_commands)
for part in parts:
    app.add_typer(part.app)
for command in entry_points(group='vlm_bench.commands'):  # those of other packages, such as `train` of the baselines
    try:
        app.add_typer(command.load(), name=command.name)
    except (ImportError, AttributeError) as error:  # the other commands work without it
        sys.stderr.write(f'The command {command.name} of another package cannot be loaded: {error}\n')


@app.command()
def doctor(
    record: Annotated[Path, typer.Option(parser=read_path, help='folder for bags to check')] = Path('records'),
    quick: Annotated[bool, typer.Option('--quick', help='try nothing: no picture, plan, physics, message or extension')] = False,
) -> None:
    """Print what this machine has of what the bench needs, how long it takes, and how to fix the rest."""
    from vlm_bench_tasks.console.doctor import doctor as examine

    raise typer.Exit(examine(record, out, quick=quick))


@app.command()
def tasks(
    tasks: Annotated[str, typer.Option(help="tasks, families or globs such as '*/stack*', separated by commas; '*': all")] = '*',
    level: Level = '',
    as_json: AsJson = False,
) -> None:
    """List the tasks with their level, robot, axes and splits; what is left out of extensions is told besides."""
    from vlm_bench_tasks.console import listing

    with plain_errors():
        found, problems = listing.listed(tasks, level)
    for problem in problems:
        typer.echo(f'left out: {problem}', err=True)
    if as_json:
        sys.stdout.write(json.dumps(found) + '\n')
        return
    listing.show(found, out)


@app.command()
def run(
    task: Task = SETTINGS['task'].default,
    split: Annotated[str, typer.Option(help='pools of the task; empty: its first split')] = '',
    seed: Seed = SETTINGS['seed'].default,
    axis: Axis = SETTINGS['axis'].default,
    prompt: Prompt = SETTINGS['prompt'].default,
    policy: Annotated[
        str, typer.Option(help='oracle, still, random, oracle_blind, language_ignored, picture_blind or your own module:Class')
    ] = 'oracle',
    policy_arg: PolicyArg = None,
    robot: TaskRobot = '',
    mode: Mode = SETTINGS['mode'].default,
    record: Record = SETTINGS['record'].default,
    topics: Topics = SETTINGS['topics'].default,
    leave_out: LeaveOut = SETTINGS['leave_out'].default,
    rate: Annotated[float, typer.Option(help='pictures per second of simulated time in the bag: 20, 10, 5, 4, 2 or 1; 0: 10')] = 0.0,
    cameras: Cameras = 'none',
    size: Size = SIZE,
    engine: Engine = PYBULLET,
    perturb: Perturb = None,
    assist: Assist = None,
    advise: Annotated[bool, typer.Option('--advise', help='with each command, record what the expert would do there (DAgger)')] = False,
    scored: Scored = SETTINGS['scored'].default,
    as_json: AsJson = False,
) -> None:
    """Run one episode in this process, without ROS."""
    from vlm_bench_sim.bags.choice import read_choice
    from vlm_bench_tasks.console import episodes

    with plain_errors():
        asked = episodes.Asked(
            task=task, split=split, seed=seed, axis=axis, prompt=prompt, policy=policy, policy_arg=tuple(policy_arg or ()), robot=robot,
            mode=mode, record=record, cameras=cameras, size=size, engine=engine, scored=scored, perturb=tuple(perturb or ()),
            assist=tuple(assist or ()), advise=advise, choice=read_choice(topics, leave_out, rate),
        )  # fmt: skip
        result = episodes.run(asked, out if not as_json else Console(stderr=True, quiet=True))
    if as_json:
        sys.stdout.write(json.dumps(result) + '\n')
    else:
        episodes.show(result, out)
    raise typer.Exit(0 if result['verdict'] == 'success' else 1)


@app.command()
def check(
    task: Annotated[str, typer.Argument(help='id of the task')],
    seeds: Annotated[int, typer.Option(help='number of episodes to build for each split and axis')] = 12,
    plays: Annotated[int, typer.Option(help='how many of them the oracle, a still and a random policy play; 0: none')] = 1,
    robot: TaskRobot = '',
) -> None:
    """Check whether a task is sound: fourteen things that hold for every task; exit 1 if one is violated."""
    from vlm_bench_tasks.console.checking import examine

    with plain_errors():
        raise typer.Exit(examine(task, out, seeds=seeds, plays=plays, robot=robot))


@app.command()
def sweep(
    task: Annotated[str, typer.Option(help='id of a task, or a family: every task of it')] = 'vlmbench',
    axis: Annotated[str, typer.Option(help='what varies; empty: every axis of each task, one after the other')] = '',
    splits: Annotated[str, typer.Option(help='splits, each with a range of seeds')] = 'seen:100000:100020,unseen:100000:100020',
    policy: Annotated[str, typer.Option(help='built-in policies, separated by commas')] = 'oracle',
    robot: TaskRobot = '',
    prompt: Prompt = SETTINGS['prompt'].default,
    perturb: Perturb = None,
    condition: Annotated[
        list[str] | None, typer.Option(help='conditions for each episode: none, or values of --perturb separated by commas')
    ] = None,
    more: Annotated[int, typer.Option(help='additional seeds for each task, axis and split in which the oracle solves too few')] = 40,
    workers: Annotated[int, typer.Option(help='processes')] = 2,
    reports: Annotated[
        Path | None,
        typer.Option(parser=read_path, help='folder with a report of each evaluation; episodes in a report are not played again'),
    ] = None,
    keep: Annotated[
        bool, typer.Option('--keep', help='also use reports of other bench code; otherwise their episodes are played again')
    ] = False,
    pages: Annotated[Path | None, typer.Option(parser=read_path, help='folder for pages of results, such as docs/results')] = None,
) -> None:
    """Evaluate our own policies over tasks, axes, splits and seeds, and write pages; exit 1 if one misses its requirements."""
    from vlm_bench_tasks.console import sweeping
    from vlm_bench_tasks.evaluation.sweep import UNPERTURBED, Sweep

    with plain_errors():
        if workers < 1:
            raise TaskError(f'A sweep needs at least one worker; found {workers}.')
        if more < 0:
            raise TaskError(f'--more takes a number of seeds, at least 0; found {more}.')
        wanted = Sweep(task, splits, axis, policy, robot, tuple(perturb or ()), tuple(condition or (UNPERTURBED,)), more, prompt)
        raise typer.Exit(sweeping.sweep(wanted, workers, out, kept=reports, old=keep, pages=pages))


extensible(app)
