"""`vlm-bench train`: the command line of the baselines. It imports PyTorch only when it trains."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError

if TYPE_CHECKING:
    from vlm_bench_baselines.key_frame.scoring import Quality
    from vlm_bench_baselines.key_frame.settings import TrainingSettings
    from vlm_bench_baselines.key_frame.training import Data

app = typer.Typer(no_args_is_help=True, help='Train the baselines.')
out = Console(stderr=True)


@app.callback()
def trained() -> None:
    """Train the baselines."""


@app.command('key-frame')
def key_frame(
    data: Annotated[list[Path], typer.Argument(help='folders that vlm-bench export maps wrote, of training seeds')],
    validation: Annotated[Path, typer.Option(help='such a folder of validation seeds, by which the weights are chosen')],
    to: Annotated[Path, typer.Option('--out', help='folder for weights and curve; a training that was stopped in it goes on')],
    steps: Annotated[int, typer.Option(help='number of batches')] = 20_000,
    batch: Annotated[int, typer.Option(help='demonstrations in a batch')] = 16,
    seed: Annotated[int, typer.Option(help='of weights, batches and augmentation')] = 0,
    every: Annotated[int, typer.Option(help='steps between two validations')] = 1000,
    blank: Annotated[str, typer.Option(help='for ablations: words or map, which the network does not get to see')] = '',
    threads: Annotated[int, typer.Option(help='threads of PyTorch; 0: one for each core')] = 0,
) -> None:
    """Train a key-frame policy, like 6D-CLIPort: it takes a thing and lets it go where a map from above and a sentence tell it."""
    try:
        found = _key_frame(data, validation, to, threads, steps=steps, batch=batch, seed=seed, every=every, blank=blank)
    except VlmBenchError as error:
        out.print(f'error: {error}', highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(2) from error
    typer.echo(
        f'best: {100 * found.both:.1f} % of pick and place right to 2 cm, pick {100 * found.pick:.1f} %, place {100 * found.place:.1f} %\n'
        f'weights: {to / "best.safetensors"}'
    )


def _key_frame(data: list[Path], validation: Path, to: Path, threads: int, **wanted: object) -> 'Quality':
    try:
        import torch

        from vlm_bench_baselines.key_frame.settings import NetworkSettings
        from vlm_bench_baselines.key_frame.training import CURVE, train
    except ImportError as error:
        raise ConfigError(
            f'Training needs {error.name}, which is not installed here. Run: make baselines, or pip install "vlm_bench_sim[baselines]".'
        ) from error
    from vlm_bench_baselines.curves import draw

    settings = _settings(wanted)
    if threads < 0:
        raise ConfigError(f'A number of threads is 0 or more; found {threads}.')
    if threads:
        torch.set_num_threads(threads)
    found = _data(data, validation)
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out) as progress:
        task = progress.add_task('training', total=settings.steps)

        def told(step: int, loss: float) -> None:
            progress.update(task, completed=step, description=f'loss {loss:.3f}')

        best = train(found, to, network=NetworkSettings(), settings=settings, told=told)
    draw(to / CURVE, to / 'curve.png')
    return best


def _settings(wanted: dict[str, object]) -> 'TrainingSettings':
    from pydantic import ValidationError

    from vlm_bench_baselines.key_frame.settings import TrainingSettings

    try:
        return TrainingSettings.model_validate(wanted)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise ConfigError(f'--{wrong["loc"][0]} cannot be {wrong["input"]!r:.60}: {wrong["msg"]}. Correct it.') from error


def _data(folders: list[Path], validation: Path) -> 'Data':
    from vlm_bench_baselines.demonstrations import demonstrations
    from vlm_bench_baselines.key_frame.training import Data

    parts = [demonstrations(folder) for folder in folders]
    held_out, survey = demonstrations(validation)
    for folder, (_, other) in zip(folders, parts, strict=True):
        if other != survey:
            raise ConfigError(f'The maps of {folder} and of {validation} were made in different ways. Export both with the same options.')
    train = [one for part, _ in parts for one in part]
    shared = {(one.task, one.axis, one.seed) for one in train} & {(one.task, one.axis, one.seed) for one in held_out}
    if shared:
        task, axis, seed = min(shared)
        raise ConfigError(f'{task} along {axis} with seed {seed} is in the training and in the validation data. Keep them apart.')
    return Data(train, held_out, survey)
