"""The commands that start a bench over ROS 2, and the one with which a person answers its questions."""

from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_tasks.cli.options import (
    Axis,
    BenchRobot,
    Cameras,
    Dash,
    Driver,
    LeaveOut,
    Mode,
    Observer,
    Perturb,
    PolicyArg,
    PolicyName,
    Prompt,
    Record,
    RecordRate,
    Robot,
    Scored,
    Seed,
    Size,
    Split,
    Task,
    Topics,
    out,
    plain_errors,
    read_path,
)
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.real_graph import REAL_SETTINGS
from vlm_bench_tasks.sizes import SIZE, read_size

app = typer.Typer()


@app.command()
def up(
    task: Task = SETTINGS['task'].default,
    split: Split = SETTINGS['split'].default,
    seed: Seed = SETTINGS['seed'].default,
    axis: Axis = SETTINGS['axis'].default,
    prompt: Prompt = SETTINGS['prompt'].default,
    policy: PolicyName = SETTINGS['policy'].default,
    policy_arg: PolicyArg = None,
    robot: Robot = SETTINGS['robot'].default,
    mode: Mode = SETTINGS['mode'].default,
    record: Record = SETTINGS['record'].default,
    cameras: Cameras = SETTINGS['cameras'].default,
    size: Size = SIZE,
    perturb: Perturb = None,
    scored: Scored = SETTINGS['scored'].default,
    dash: Dash = SETTINGS['dash'].default,
    setting: Annotated[list[str] | None, typer.Option('--set', help='any other argument of bench.launch.py, as name:=value')] = None,
    once: Annotated[bool, typer.Option('--once', help='end when the first episode has ended')] = False,
) -> None:
    """Start the bench over ROS 2, as `ros2 launch vlm_bench_sim bench.launch.py` does."""
    from vlm_bench_tasks.launching import bench, validate
    from vlm_bench_tasks.policies.arguments import read_arguments, written

    with plain_errors():
        width, height = read_size(size)
        values = dict(
            task=task,
            split=split,
            seed=seed,
            axis=axis,
            prompt=prompt,
            policy=policy,
            policy_args=written(read_arguments(policy_arg or ())),
            robot=robot,
            mode=mode,
            record=record,
            cameras=cameras,
            width=width,
            height=height,
            perturb=','.join(perturb or ()),
            scored=scored,
            dash=dash,
        )
        values |= bench.extra(setting or [])
        validate.check(values, SETTINGS)
        code = bench.up(values, out, once=once)
    raise typer.Exit(code)


@app.command()
def real(
    task: Task = SETTINGS['task'].default,
    split: Split = SETTINGS['split'].default,
    seed: Seed = SETTINGS['seed'].default,
    axis: Axis = SETTINGS['axis'].default,
    prompt: Prompt = SETTINGS['prompt'].default,
    policy: Annotated[str, typer.Option(help=REAL_SETTINGS['policy'].help)] = REAL_SETTINGS['policy'].default,
    policy_arg: PolicyArg = None,
    robot: Robot = SETTINGS['robot'].default,
    driver: Driver = REAL_SETTINGS['driver'].default,
    observer: Observer = REAL_SETTINGS['observer'].default,
    record: Record = SETTINGS['record'].default,
    scored: Scored = SETTINGS['scored'].default,
    dash: Dash = SETTINGS['dash'].default,
    setting: Annotated[list[str] | None, typer.Option('--set', help='any other argument of real.launch.py, as name:=value')] = None,
    once: Annotated[bool, typer.Option('--once', help='end when the first episode has ended')] = False,
) -> None:
    """Start the bench around a real arm, without a simulator, as `ros2 launch vlm_bench_sim real.launch.py` does."""
    from vlm_bench_tasks.launching import bench, validate
    from vlm_bench_tasks.policies.arguments import read_arguments, written

    with plain_errors():
        values = dict(
            task=task,
            split=split,
            seed=seed,
            axis=axis,
            prompt=prompt,
            policy=policy,
            policy_args=written(read_arguments(policy_arg or ())),
            robot=robot,
            driver=driver,
            observer=observer,
            record=record,
            scored=scored,
            dash=dash,
        )
        values |= bench.extra(setting or [], bench.REAL)
        validate.check(values, REAL_SETTINGS)
        code = bench.up(values, out, once=once, graph=bench.REAL)
    raise typer.Exit(code)


@app.command()
def check_driver(
    robot: BenchRobot = 'panda',
    move: Annotated[bool, typer.Option('--move', help='also move the robot: a wrist joint by 0.1 rad and back, and the gripper')] = False,
    seconds: Annotated[float, typer.Option(help='how long to listen, wall-clock s', min=0.5, max=600.0)] = 3.0,
) -> None:
    """Ask a running driver everything that the bench relies on; exit 1 if anything differs."""
    from vlm_bench_tasks.console import driver_checking

    with plain_errors():
        code = driver_checking.check_driver(robot, out, seconds=seconds, moves=move)
    raise typer.Exit(code)


@app.command()
def person(scored: Scored = SETTINGS['scored'].default) -> None:
    """Answer the questions of a bench around a real arm at a terminal: is the table laid, and is the goal reached."""
    from vlm_bench_tasks.console.person import answer

    with plain_errors():
        answer(out, scored=scored)


@app.command()
def demo(
    seed: Seed = SETTINGS['seed'].default,
    record: Annotated[str, typer.Option(help='folder for the bag')] = 'records',
) -> None:
    """Run one episode of pick and place over ROS 2 with the oracle and a recorder, and show the result."""
    from vlm_bench_tasks.console import demonstration

    with plain_errors():
        raise typer.Exit(demonstration.demo(seed, record, out))


@app.command()
def record(
    out_folder: Annotated[Path, typer.Argument(parser=read_path, metavar='FOLDER', help='folder for the bags')] = Path('records'),
    robot: BenchRobot = 'panda',
    cameras: Cameras = SETTINGS['cameras'].default,
    topics: Topics = SETTINGS['topics'].default,
    leave_out: LeaveOut = SETTINGS['leave_out'].default,
    rate: RecordRate = SETTINGS['record_rate'].default,
    scored: Scored = SETTINGS['scored'].default,
) -> None:
    """Record each episode of a running bench into its own bag, until Ctrl-C; `up --record` records from the first episode on."""
    from vlm_bench_tasks.graph import recorder
    from vlm_bench_tasks.launching import bench, validate

    with plain_errors():
        values = {'record': str(out_folder.absolute()), 'robot': robot, 'cameras': cameras, 'scored': scored}
        values |= {'topics': topics, 'leave_out': leave_out, 'record_rate': rate}
        validate.check(values, SETTINGS)
        raise typer.Exit(bench.record(recorder(values), out))
