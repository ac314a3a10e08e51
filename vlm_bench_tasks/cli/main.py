"""vlm-bench: every command of the project."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from vlm_bench_sim.core.errors import TaskError, VlmBenchError
from vlm_bench_tasks.graph import REAL_SETTINGS, SETTINGS, SIZE, read_size

app = typer.Typer(no_args_is_help=True, add_completion=False, help='Robot policies that follow language on a manipulation benchmark.')
out = Console(soft_wrap=True)


def _option(name: str, *flags: str) -> Any:
    return typer.Option(*(flags or (f'--{name.replace("_", "-")}',)), help=(REAL_SETTINGS | SETTINGS)[name].help)


Task = Annotated[str, _option('task')]
Split = Annotated[str, _option('split')]
Seed = Annotated[int, _option('seed')]
Axis = Annotated[str, _option('axis')]
PolicyName = Annotated[str, _option('policy')]
Robot = Annotated[str, _option('robot')]
TaskRobot = Annotated[str, typer.Option('--robot', help='robot profile; empty: the one that the task names')]
Mode = Annotated[str, _option('mode')]
Record = Annotated[str, _option('record')]
Cameras = Annotated[str, _option('cameras')]
Size = Annotated[str, typer.Option('--size', help='of the pictures, WIDTHxHEIGHT in pixels, such as 640x480')]
Driver = Annotated[str, _option('driver')]
Observer = Annotated[str, _option('observer')]
Scored = Annotated[bool, _option('scored', '--scored/--not-scored')]
Perturb = Annotated[list[str] | None, _option('perturb')]


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn our own errors into one sentence and exit code 2."""
    try:
        yield
    except VlmBenchError as error:
        Console(stderr=True, soft_wrap=True).print(f'[bold red]error:[/] {error}', highlight=False)
        raise typer.Exit(2) from error


@app.command()
def doctor(record: Annotated[Path, typer.Option(help='folder where bags would go')] = Path('records')) -> None:
    """Print what this machine has of what the bench needs, and what to do about the rest."""
    from vlm_bench_tasks.cli.doctor import doctor as examine

    raise typer.Exit(examine(record, out))


@app.command()
def tasks(as_json: Annotated[bool, typer.Option('--json', help='print JSON')] = False) -> None:
    """List the tasks with their axes and splits."""
    from vlm_bench_tasks import catalogue

    with _plain_errors():
        found = [
            {'task': name, 'axes': list(catalogue.task(name).axes), 'splits': list(catalogue.splits(name))} for name in catalogue.tasks()
        ]
    if as_json:
        sys.stdout.write(json.dumps(found) + '\n')
        return
    table = Table('task', 'axes', 'splits', show_edge=False)
    for row in found:
        table.add_row(str(row['task']), ', '.join(row['axes']), ', '.join(row['splits']))
    out.print(table)


@app.command()
def run(
    task: Task = SETTINGS['task'].default,
    split: Annotated[str, typer.Option(help='pools of the task; empty: the first it has')] = '',
    seed: Seed = SETTINGS['seed'].default,
    axis: Axis = SETTINGS['axis'].default,
    policy: Annotated[str, typer.Option(help='a built-in policy: oracle, still, random, oracle_blind or language_ignored')] = 'oracle',
    robot: TaskRobot = '',
    mode: Mode = SETTINGS['mode'].default,
    record: Record = SETTINGS['record'].default,
    cameras: Cameras = 'none',
    size: Size = SIZE,
    perturb: Perturb = None,
    scored: Scored = SETTINGS['scored'].default,
    as_json: Annotated[bool, typer.Option('--json', help='print one JSON object and nothing else')] = False,
) -> None:
    """Run one episode in this process, without ROS."""
    from vlm_bench_tasks.cli import episodes

    with _plain_errors():
        asked = episodes.Asked(task, split, seed, axis, policy, robot, mode, record, cameras, size, scored, tuple(perturb or ()))
        result = episodes.run(asked, out if not as_json else Console(stderr=True, quiet=True))
    if as_json:
        sys.stdout.write(json.dumps(result) + '\n')
    else:
        episodes.show(result, out)
    raise typer.Exit(0 if result['verdict'] == 'success' else 1)


@app.command()
def judge(bag: Annotated[Path, typer.Argument(help='folder of the bag')], as_json: Annotated[bool, typer.Option('--json')] = False) -> None:
    """Judge a recorded episode again from its truth channel; exit 1 if the recorded report says otherwise."""
    from vlm_bench_tasks.cli import episodes
    from vlm_bench_tasks.dataset.judge import judge as again

    with _plain_errors():
        judgement = again(bag)
    result = episodes.judged(judgement)
    if as_json:
        sys.stdout.write(json.dumps(result) + '\n')
    else:
        episodes.show(result, out)
        recorded = judgement.recorded.verdict.value if judgement.recorded else 'none'
        out.print(f'recorded      {recorded}: {"the same" if judgement.agrees else "NOT THE SAME"}')
    raise typer.Exit(0 if judgement.agrees else 1)


@app.command()
def recover(bag: Annotated[Path, typer.Argument(help='what a killed recorder left, or a damaged bag')]) -> None:
    """Make a bag of what a killed recorder left, up to its last whole chunk."""
    from vlm_bench_sim.bags.recover import recover as rescue

    with _plain_errors():
        found = rescue(bag)
    out.print(f'{found.messages} messages in {found.chunks} chunks, {found.seconds:.2f} s: {found.path}', highlight=False)


@app.command()
def up(
    task: Task = SETTINGS['task'].default,
    split: Split = SETTINGS['split'].default,
    seed: Seed = SETTINGS['seed'].default,
    axis: Axis = SETTINGS['axis'].default,
    policy: PolicyName = SETTINGS['policy'].default,
    robot: Robot = SETTINGS['robot'].default,
    mode: Mode = SETTINGS['mode'].default,
    record: Record = SETTINGS['record'].default,
    cameras: Cameras = SETTINGS['cameras'].default,
    size: Size = SIZE,
    perturb: Perturb = None,
    scored: Scored = SETTINGS['scored'].default,
    setting: Annotated[list[str] | None, typer.Option('--set', help='any other argument of bench.launch.py, as name:=value')] = None,
    once: Annotated[bool, typer.Option('--once', help='end when the first episode has ended')] = False,
) -> None:
    """Start the bench over ROS 2: the twin of `ros2 launch vlm_bench_sim bench.launch.py`."""
    from vlm_bench_tasks.cli import bench

    with _plain_errors():
        width, height = read_size(size)
        values = dict(
            task=task,
            split=split,
            seed=seed,
            axis=axis,
            policy=policy,
            robot=robot,
            mode=mode,
            record=record,
            cameras=cameras,
            width=width,
            height=height,
            perturb=','.join(perturb or ()),
            scored=scored,
        )
        code = bench.up(values | bench.extra(setting or []), out, once=once)
    raise typer.Exit(code)


@app.command()
def real(
    task: Task = SETTINGS['task'].default,
    split: Split = SETTINGS['split'].default,
    seed: Seed = SETTINGS['seed'].default,
    axis: Axis = SETTINGS['axis'].default,
    robot: Robot = SETTINGS['robot'].default,
    driver: Driver = REAL_SETTINGS['driver'].default,
    observer: Observer = REAL_SETTINGS['observer'].default,
    record: Record = SETTINGS['record'].default,
    scored: Scored = SETTINGS['scored'].default,
    setting: Annotated[list[str] | None, typer.Option('--set', help='any other argument of real.launch.py, as name:=value')] = None,
    once: Annotated[bool, typer.Option('--once', help='end when the first episode has ended')] = False,
) -> None:
    """Start the bench around a real arm, without a simulator: the twin of `ros2 launch vlm_bench_sim real.launch.py`."""
    from vlm_bench_tasks.cli import bench

    with _plain_errors():
        values = dict(
            task=task, split=split, seed=seed, axis=axis, robot=robot, driver=driver, observer=observer, record=record, scored=scored
        )
        code = bench.up(values | bench.extra(setting or [], bench.REAL), out, once=once, graph=bench.REAL)
    raise typer.Exit(code)


@app.command()
def person(scored: Scored = SETTINGS['scored'].default) -> None:
    """At a terminal, answer what a bench around a real arm asks: is the table laid, and is the goal reached."""
    from vlm_bench_tasks.cli.person import answer

    with _plain_errors():
        answer(out, scored=scored)


@app.command()
def demo(
    seed: Seed = SETTINGS['seed'].default,
    record: Annotated[str, typer.Option(help='folder for the bag')] = 'records',
) -> None:
    """Run one episode of pick and place over ROS 2 with the oracle and a recorder, and show what came of it."""
    from vlm_bench_tasks.cli import demonstration

    with _plain_errors():
        raise typer.Exit(demonstration.demo(seed, record, out))


@app.command()
def check(
    task: Annotated[str, typer.Argument(help='id of the task')],
    seeds: Annotated[int, typer.Option(help='episodes of each split and axis that are built')] = 12,
    plays: Annotated[int, typer.Option(help='how many of them are played by the oracle, a still and a random policy; 0: none')] = 1,
    robot: TaskRobot = '',
) -> None:
    """Check whether a task is sound: twelve things that every task keeps to; exit 1 if something is found."""
    from vlm_bench_tasks.cli.checking import examine

    with _plain_errors():
        raise typer.Exit(examine(task, out, seeds=seeds, plays=plays, robot=robot))


@app.command()
def sweep(
    task: Annotated[str, typer.Option(help='id of a task, or a family: every task of it')] = 'vlmbench',
    axis: Annotated[str, typer.Option(help='what varies; empty: every axis of each task, one after the other')] = '',
    splits: Annotated[str, typer.Option(help='splits with a range of seeds each')] = 'seen:0:20,unseen:0:20',
    policy: Annotated[str, typer.Option(help='a built-in policy, or several with commas between')] = 'oracle',
    robot: TaskRobot = '',
    perturb: Perturb = None,
    workers: Annotated[int, typer.Option(help='processes')] = 2,
    resume: Annotated[Path | None, typer.Option(help='file of results: what is in it is not run again, what is run is added')] = None,
    pages: Annotated[Path | None, typer.Option(help='folder for a page of results, such as docs/results')] = None,
) -> None:
    """Run a policy over tasks, axes, splits and seeds, in processes of their own; exit 1 if it falls short of what it is for."""
    from vlm_bench_tasks.cli import sweeping

    with _plain_errors():
        if workers < 1:
            raise TaskError(f'A sweep needs at least one worker; found {workers}.')
        wanted = sweeping.Wanted(task, axis, splits, policy, robot, tuple(perturb or ()))
        raise typer.Exit(sweeping.sweep(wanted, workers, out, kept=resume, pages=pages))
