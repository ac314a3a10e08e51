"""The commands that score policies and compare their scores."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from vlm_bench_tasks.cli.options import (
    AsJson,
    Assist,
    Cameras,
    EveryAxis,
    Perturb,
    PolicyArg,
    Size,
    TaskRobot,
    out,
    plain_errors,
    read_path,
)
from vlm_bench_tasks.graph import SETTINGS, SIZE

app = typer.Typer()


@app.command()
def evaluate(
    policy: Annotated[
        str, typer.Option(help='a built-in policy, module:Class of yours, ws://host:port of a policy server, or ros: a node of yours')
    ],
    seeds: Annotated[str, typer.Option(help='first:last, such as 100000:100050 for 100000 to 100049')],
    report: Annotated[
        Path, typer.Option('--out', parser=read_path, help='file of the report; an interrupted evaluation goes on where it was')
    ],
    tasks: Annotated[str, typer.Option(help='id of a task, a family, or a glob over ids')] = SETTINGS['task'].default,
    split: Annotated[str, typer.Option(help='pools of the tasks, several with commas between; empty: the first of each')] = '',
    axis: EveryAxis = '',
    robot: TaskRobot = '',
    cameras: Cameras = 'none',
    size: Size = SIZE,
    workers: Annotated[int, typer.Option(help='processes')] = 1,
    perturb: Perturb = None,
    assist: Assist = None,
    answer_timeout: Annotated[float, typer.Option(help='wall-clock seconds that the policy has for an answer')] = 60.0,
    action: Annotated[str, typer.Option(help='action space of a policy server, see docs/actions.md; empty: delta_pose')] = '',
    observation: Annotated[str, typer.Option(help='what a policy server is sent: openpi (empty) or export: as exports hold it')] = '',
    record: Annotated[str, typer.Option(help='folder for a bag of each episode; empty: none')] = '',
    policy_arg: PolicyArg = None,
    rows: Annotated[int, typer.Option(help='of a policy server: rows of an answer that are carried out; 0: all')] = 0,
) -> None:
    """Score a policy over tasks, splits, axes and seeds, and write a report."""
    from vlm_bench_tasks.console import scoring
    from vlm_bench_tasks.evaluation.plan import Asked
    from vlm_bench_tasks.variation.seeds import read_seeds

    with plain_errors():
        asked = Asked(
            policy=policy,
            tasks=tasks,
            seeds=read_seeds(seeds),
            split=split,
            axis=axis,
            robot=robot,
            cameras=cameras,
            size=size,
            perturb=tuple(perturb or ()),
            assist=tuple(assist or ()),
            answer_seconds=answer_timeout,
            action=action,
            rows=rows,
            observation=observation,
            record=record,
            policy_arg=tuple(policy_arg or ()),
        )
        raise typer.Exit(scoring.score(asked, report, workers, out))


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(parser=read_path, help='report of an evaluation')],
    second: Annotated[Path, typer.Argument(parser=read_path, help='report of another policy on the same episodes')],
    as_json: AsJson = False,
) -> None:
    """Compare two policies episode by episode, with an exact test; exit 2 with all reasons if they are not comparable."""
    from vlm_bench_tasks.console import scoring
    from vlm_bench_tasks.evaluation.compare import compared
    from vlm_bench_tasks.evaluation.report import EvaluationReport

    with plain_errors():
        reports = EvaluationReport.load(first), EvaluationReport.load(second)
        found = compared(*reports)
    if as_json:
        said: dict[str, Any] = {'first': reports[0].policy, 'second': reports[1].policy, 'comparisons': [one.plain() for one in found]}
        said['played_again'] = [one.again for one in reports]
        sys.stdout.write(json.dumps(said) + '\n')
    else:
        scoring.show_comparison(reports, found, out)
