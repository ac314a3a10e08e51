"""`vlm-bench train`: the command line of the baselines. It imports PyTorch only when it trains."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError

if TYPE_CHECKING:
    from vlm_bench_baselines.training import Lesson, Scores

S = TypeVar('S', bound=BaseModel)

Validation = Annotated[Path, typer.Option(help='such a folder of validation seeds, by which the weights are chosen')]
Out = Annotated[Path, typer.Option('--out', help='folder for weights and curve; a training that was stopped in it goes on')]
Steps = Annotated[int, typer.Option(help='number of batches')]
Seed = Annotated[int, typer.Option(help='of weights, batches and augmentation')]
Every = Annotated[int, typer.Option(help='steps between two validations')]
Threads = Annotated[int, typer.Option(help='threads of PyTorch; 0: one for each core')]
Precision = Annotated[str, typer.Option(help='of convolutions and products: float32, or bfloat16, which some processors do faster')]

MOST_THREADS = 1024

app = typer.Typer(no_args_is_help=True, help='Train the baselines.')
out = Console(stderr=True)


@app.callback()
def trained() -> None:
    """Train the baselines."""


@app.command('key-frame')
def key_frame(
    data: Annotated[list[Path], typer.Argument(help='folders that vlm-bench export maps wrote, of training seeds')],
    validation: Validation,
    to: Out,
    steps: Steps = 20_000,
    batch: Annotated[int, typer.Option(help='demonstrations in a batch')] = 16,
    seed: Seed = 0,
    every: Every = 1000,
    precision: Precision = 'float32',
    widths: Annotated[str, typer.Option(help='channels at each scale of the network, from the finest')] = '24,32,48,64',
    clip: Annotated[Path | None, typer.Option(help='folder of a CLIP text encoder that reads sentences; else words are learned')] = None,
    blank: Annotated[str, typer.Option(help='for ablations: words or map, which the network does not get to see')] = '',
    threads: Threads = 0,
) -> None:
    """Train a key-frame policy, like 6D-CLIPort: it takes a thing and lets it go where a map from above and a sentence tell it."""
    wanted = {'steps': steps, 'batch': batch, 'seed': seed, 'every': every, 'precision': precision, 'blank': blank}
    best = _trained(lambda: _key_frame(data, validation, wanted, {'widths': widths.split(',')}, clip), to, threads)
    right = ', '.join(f'{name} {100 * best[key]:.1f} %' for key, name in (('both', 'pick and place'), ('pick', 'pick'), ('place', 'place')))
    typer.echo(f'right to 2 cm: {right}\nweights: {to / "best.safetensors"}')


@app.command('bc-z')
def bc_z(
    data: Annotated[list[Path], typer.Argument(help='folders that export numpy --action joints --fps 20 wrote, of training seeds')],
    validation: Validation,
    to: Out,
    steps: Steps = 20_000,
    batch: Annotated[int, typer.Option(help='frames in a batch')] = 32,
    seed: Seed = 0,
    every: Every = 1000,
    precision: Precision = 'float32',
    side: Annotated[int, typer.Option(help='pixels along a side of the pictures that it sees')] = 96,
    state: Annotated[bool, typer.Option(help='whether it sees the joints')] = True,
    threads: Threads = 0,
) -> None:
    """Train a policy like BC-Z: it imitates the motion of the expert from pictures and a sentence."""
    wanted = {'steps': steps, 'batch': batch, 'seed': seed, 'every': every, 'precision': precision}
    best = _trained(lambda: _bc_z(data, validation, wanted, {'side': side, 'state': state}), to, threads)
    told = f'joints wrong by {best["joints"]:.4f} rad, gripper right {100 * best["grip"]:.1f} % of the time'
    typer.echo(f'{told}\nweights: {to / "best.safetensors"}')


@app.command('per-act')
def per_act(
    data: Annotated[list[Path], typer.Argument(help='folders that vlm-bench export voxels wrote, of training seeds')],
    validation: Validation,
    to: Out,
    steps: Steps = 100_000,
    batch: Annotated[int, typer.Option(help='key frames in a batch')] = 8,
    seed: Seed = 0,
    every: Every = 2000,
    precision: Precision = 'float32',
    latents: Annotated[int, typer.Option(help='number of latent vectors; PerAct has 2048')] = 512,
    latent: Annotated[int, typer.Option(help='numbers of each; PerAct has 512')] = 256,
    device: Annotated[str, typer.Option(help='where to train: cuda, or cpu, which takes weeks')] = 'cuda',
    threads: Threads = 0,
) -> None:
    """Train a policy like PerAct: it moves from key frame to key frame, where a cube of voxels and a sentence tell it."""
    wanted = {'steps': steps, 'batch': batch, 'seed': seed, 'every': every, 'precision': precision}
    size = {'latents': latents, 'latent': latent}
    best = _trained(lambda: _per_act(data, validation, wanted, size, device), to, threads)
    typer.echo(f'right to 2 cm: {100 * best["near"]:.1f} %, hand {100 * best["hand"]:.1f} %\nweights: {to / "best.safetensors"}')


def _trained(lesson: Callable[[], 'Lesson'], to: Path, threads: int) -> 'Scores':
    """Train what a call returns in a folder, with a bar and a curve, and return the scores of the best weights; errors end the command."""
    try:
        return _train(lesson, to, threads)
    except VlmBenchError as error:
        out.print(f'error: {error}', highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(2) from error


def _train(lesson: Callable[[], 'Lesson'], to: Path, threads: int) -> 'Scores':
    try:
        import torch

        from vlm_bench_baselines.training import CURVE, train
    except ImportError as error:
        raise ConfigError(
            f'Training needs {error.name}, which is not installed here. Run: make baselines, or pip install "vlm_bench_sim[baselines]".'
        ) from error
    from vlm_bench_baselines.cost import measured
    from vlm_bench_baselines.curves import draw

    if not 0 <= threads <= MOST_THREADS:
        raise ConfigError(f'A number of threads is from 0 to {MOST_THREADS}; found {threads}.')
    if threads:
        torch.set_num_threads(threads)
    try:
        learned = lesson()
    except ValidationError as error:
        raise ConfigError(f'These data cannot be learned from: {error.errors()[0]["msg"]}. Leave out what is odd about them.') from error
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out) as progress, measured(to, torch.get_num_threads()) as spent:
        task = progress.add_task('training', total=learned.settings.steps)

        def told(step: int, loss: float) -> None:
            if not spent.steps and step > 1:
                progress.console.print(f'goes on after batch {step - 1}', highlight=False)
            spent.steps += 1
            progress.update(task, completed=step, description=f'loss {loss:.3f}')

        try:
            best = train(learned, to, told=told)
        except KeyboardInterrupt:
            progress.stop()
            out.print(f'Stopped. The same command goes on from the last validation in {to}.', highlight=False, markup=False)
            raise typer.Exit(130) from None
    if not spent.steps:
        out.print(f'The training in {to} was finished already.', highlight=False, markup=False)
    draw(to / CURVE, to / 'curve.png', learned.shares)
    return best


def _key_frame(data: list[Path], validation: Path, wanted: Mapping[str, object], size: Mapping[str, object], clip: Path | None) -> 'Lesson':
    from vlm_bench_baselines.clip_words import ClipWords
    from vlm_bench_baselines.demonstrations import MAPS
    from vlm_bench_baselines.key_frame.lesson import KeyFrameLesson
    from vlm_bench_baselines.key_frame.settings import KeyFrameTraining, NetworkSettings

    settings, network = _settings(KeyFrameTraining, wanted), _settings(NetworkSettings, size)
    if clip and settings.blank == 'words':
        raise ConfigError('--clip reads the words that --blank words leaves out. Leave out one of them.')
    found = MAPS.data(data, validation)
    return KeyFrameLesson(found, network=network, settings=settings, encoder=ClipWords(clip) if clip else None)


def _bc_z(data: list[Path], validation: Path, wanted: Mapping[str, object], size: Mapping[str, object]) -> 'Lesson':
    from vlm_bench_baselines.bc_z.lesson import BcZLesson
    from vlm_bench_baselines.bc_z.samples import episodes
    from vlm_bench_baselines.bc_z.settings import BcZNetwork, BcZTraining

    settings, network = _settings(BcZTraining, wanted), _settings(BcZNetwork, size)
    return BcZLesson(episodes(network.side).data(data, validation), network=network, settings=settings)


def _per_act(data: list[Path], validation: Path, wanted: Mapping[str, object], size: Mapping[str, object], device: str) -> 'Lesson':
    import torch

    from vlm_bench_baselines.per_act.frames import VOXELS
    from vlm_bench_baselines.per_act.lesson import PerActLesson
    from vlm_bench_baselines.per_act.settings import PerActNetwork, PerActTraining

    settings, network = _settings(PerActTraining, wanted), _settings(PerActNetwork, size)
    if device not in ('cpu', 'cuda') or (device == 'cuda' and not torch.cuda.is_available()):
        raise ConfigError(f'PyTorch cannot train on {device!r:.40} here. Choose --device cpu, or install PyTorch for your GPU.')
    return PerActLesson(VOXELS.data(data, validation), network=network, settings=settings, device=device)


def _settings(kind: type[S], wanted: Mapping[str, object]) -> S:
    try:
        return kind.model_validate(wanted)
    except ValidationError as error:
        wrong = error.errors()[0]
        option = f'--{wrong["loc"][0]} cannot be {wrong["input"]!r:.60}' if wrong['loc'] else 'These options do not go together'
        raise ConfigError(f'{option}: {wrong["msg"]}. Correct it.') from error
