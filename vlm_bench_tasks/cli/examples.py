"""Write the worked examples of LoHoRavens' seen tasks: the expert plays training seeds in this process, and its steps become sentences.

`python -m vlm_bench_tasks.cli.examples` writes `config/prompts/`, or only the named task. The seeds alternate between the axes of a task,
so that each axis is among its examples.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.examples import COUNT, SEEN, Chronicle, Example, write
from vlm_bench_tasks.cli.options import plain_errors
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.variation.seeds import read_seeds

FOLDER = Path(__file__).resolve().parents[2] / 'config' / 'prompts'
FAMILY, SPLIT = 'lohoravens', 'train'
FIRST = range(100)
"""Seeds to try; the first successful ones are used."""


def played(bench: Bench, task: str, seed: int) -> Example | None:
    """Return the example from the expert's run of a seed; None if the expert fails, or a step has no sentence."""
    axes = catalogue.task(f'{FAMILY}/{task}').axes
    axis = axes[seed % len(axes)]
    episode, chronicle = catalogue.build(f'{FAMILY}/{task}', SPLIT, seed, axis), Chronicle()
    run = bench.run(episode, policy('oracle'), chronicle)
    turns = chronicle.told(episode.scene)
    whole = run.report.verdict is Verdict.SUCCESS and len(turns) > 1
    return Example(seed, axis, episode.instruction.text, turns) if whole else None


def made(bench: Bench, task: str, seeds: range = FIRST) -> Iterator[Example]:
    """Yield the examples of a task, one seed after the other.

    Raises:
        SeedError: the seeds are not for training.
    """
    catalogue.seeds_to_learn_from(f'{FAMILY}/{task}', SPLIT, seeds)
    for seed in seeds:
        if example := played(bench, task, seed):
            yield example


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help='seen tasks; none: all of them')] = None,
    seeds: Annotated[str, typer.Option(help='range of seeds, first:last; the first ten that the expert solves are used')] = '0:100',
    folder: Annotated[Path, typer.Option(help='folder for the files')] = FOLDER,
) -> None:
    """Write worked examples."""
    folder.mkdir(parents=True, exist_ok=True)
    for task in tasks or SEEN:
        with plain_errors():
            bench = Bench(catalogue.task(f'{FAMILY}/{task}').robot)
            found = write(list(islice(made(bench, task, read_seeds(seeds)), COUNT)))
        bench.close()
        (folder / f'{task}.json').write_text(found)
        typer.echo(f'{folder / task}.json')


if __name__ == '__main__':
    typer.run(main)
