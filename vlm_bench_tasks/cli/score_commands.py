"""The commands that score policies and compare their scores."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_tasks.cli.options import (
    AsJson,
    Assist,
    Cameras,
    Engine,
    EveryAxis,
    FineTunedOn,
    Level,
    Perturb,
    PolicyArg,
    Prompt,
    Protocol,
    Seeds,
    Size,
    TaskRobot,
    TrainedOn,
    given_options,
    out,
    plain_errors,
    read_path,
)
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.sizes import SIZE

app = typer.Typer()


@app.command()
def evaluate(
    context: typer.Context,
    policy: Annotated[
        str,
        typer.Option(
            help='a built-in policy, your own module:Class, the address of a policy server such as ws://host:port, or ros: your own node'
        ),
    ],
    report: Annotated[Path, typer.Option('--out', parser=read_path, help='file of the report; an interrupted evaluation is resumed')],
    seeds: Seeds = '',
    protocol: Protocol = '',
    trained_on: TrainedOn = '',
    fine_tuned_on: FineTunedOn = '',
    tasks: Annotated[str, typer.Option(help='tasks, families or globs over ids, separated by commas')] = SETTINGS['task'].default,
    level: Level = '',
    split: Annotated[str, typer.Option(help='pools of the tasks, separated by commas; empty: the first of each task')] = '',
    axis: EveryAxis = '',
    prompt: Prompt = SETTINGS['prompt'].default,
    robot: TaskRobot = '',
    cameras: Cameras = 'none',
    size: Size = SIZE,
    engine: Engine = PYBULLET,
    workers: Annotated[int, typer.Option(help='processes')] = 1,
    perturb: Perturb = None,
    assist: Assist = None,
    answer_timeout: Annotated[float, typer.Option(help='timeout for an answer of the policy, wall-clock s')] = 60.0,
    action: Annotated[str, typer.Option(help='action space of a policy server, see docs/actions.md; empty: delta_pose')] = '',
    observation: Annotated[str, typer.Option(help='format of observations for a policy server: openpi (also if empty) or export')] = '',
    wire: Annotated[str, typer.Option(help='how a policy server is spoken to, see docs/evaluation.md; empty: by its address')] = '',
    record: Annotated[str, typer.Option(help='folder for a bag of each episode; empty: none')] = '',
    policy_arg: PolicyArg = None,
    rows: Annotated[int, typer.Option(help='number of rows to execute of each answer of a policy server; 0: all')] = 0,
) -> None:
    """Score a policy over tasks, splits, axes and seeds, and write a report."""
    from vlm_bench_tasks.console import scoring
    from vlm_bench_tasks.evaluation.plan import Asked
    from vlm_bench_tasks.evaluation.protocol_options import completed

    with plain_errors():
        asked = Asked(
            policy=policy, tasks=tasks, level=level, seeds=range(0), split=split, axis=axis, prompt=prompt, robot=robot, cameras=cameras,
            size=size, engine=engine, perturb=tuple(perturb or ()), assist=tuple(assist or ()) if assist != ['none'] else (), record=record,
            answer_seconds=answer_timeout, action=action, rows=rows, observation=observation, wire=wire, policy_arg=tuple(policy_arg or ()),
        )  # fmt: skip
        given = given_options(context)
        asked = completed(asked, given, protocol=protocol, seeds=seeds, trained_on=trained_on, fine_tuned_on=fine_tuned_on)
        raise typer.Exit(scoring.score(asked, report, workers, out))


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(parser=read_path, help='report of an evaluation')],
    second: Annotated[Path, typer.Argument(parser=read_path, help='report of another policy, or in another engine, on the same episodes')],
    more: Annotated[list[Path] | None, typer.Argument(parser=read_path, help='with --across-engines: reports of further policies')] = None,
    across_engines: Annotated[
        bool, typer.Option('--across-engines', help='compare engines: each policy has a report in both; tells whether they rank alike')
    ] = False,
    page: Annotated[Path | None, typer.Option(parser=read_path, help='with --across-engines: Markdown page to write')] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two policies episode by episode, with an exact test; exit 2 with all reasons if they are not comparable."""
    from vlm_bench_tasks.console import comparing

    with plain_errors():
        found = comparing.compare((first, second, *(more or ())), across=across_engines)
        comparing.write(found, page)
    if as_json:
        sys.stdout.write(json.dumps(found.plain()) + '\n')
    else:
        comparing.show(found, out)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(parser=read_path, metavar='REPORT', help='report of a built-in or shipped policy')],
    share: Annotated[float, typer.Option(help='share of the episodes to play again, above 0, up to 1')] = 0.1,
    seed: Annotated[int | None, typer.Option(help='number that draws the same episodes again; without it others each time')] = None,
    workers: Annotated[int, typer.Option(help='processes')] = 1,
    as_json: AsJson = False,
) -> None:
    """Play a random share of a report's episodes again; exit 1 if something differs, 2 if they cannot be played here."""
    from vlm_bench_tasks.console import verifying

    with plain_errors():
        found = verifying.verify(file, Console(quiet=True) if as_json else out, share=share, seed=seed, workers=workers)
    if found is None:
        raise typer.Exit(130)
    if as_json:
        sys.stdout.write(json.dumps(found.plain()) + '\n')
    raise typer.Exit(found.exit_code)


@app.command()
def agreement(
    seeds: Annotated[str, typer.Option(help='first:last, such as 100000:100010')],
    file: Annotated[Path, typer.Option('--out', parser=read_path, help='file that keeps what is found; an interrupted study goes on')],
    tasks: Annotated[str, typer.Option(help='tasks, families or globs over ids, separated by commas')] = SETTINGS['task'].default,
    split: Annotated[str, typer.Option(help='pool; empty: the first of each task')] = '',
    axis: Annotated[str, typer.Option(help='what varies; empty: the first axis of each task')] = '',
    workers: Annotated[int, typer.Option(help='processes')] = 1,
    page: Annotated[Path | None, typer.Option(parser=read_path, help='Markdown page of all that the file holds')] = None,
) -> None:
    """Measure how far a judge that sees poses only agrees with the full one, on successes and near misses of the expert."""
    from vlm_bench_tasks.console import agreeing
    from vlm_bench_tasks.variation.seeds import read_seeds

    with plain_errors():
        if page is not None:
            agreeing.check_page(page)
        ledger = agreeing.study(agreeing.trials(tasks, axis, split, read_seeds(seeds)), file, out, workers=workers)
        agreeing.show(ledger, out)
        if page is not None:
            agreeing.write(ledger, page)
