"""Play many episodes and say whether anything grew or was lost; exit 1 if so. A soak that was broken off goes on where it was."""

import time
from pathlib import Path
from typing import Annotated

import typer

from test.soak._growth import growths, told
from test.soak._kept import Kept
from test.soak._picture import draw
from test.soak._played import WAYS
from vlm_bench_sim.core.errors import VlmBenchError

EPISODES = {'ros': 1000, 'process': 10_000}

app = typer.Typer(add_completion=False)


@app.command()
def soak(
    way: Annotated[str, typer.Argument(help='ros: 1000 episodes on one bench; process: 10 000 in one process')],
    seconds: Annotated[float, typer.Option(help='wall clock for what is played now')] = 3600.0,
    at_least: Annotated[int, typer.Option(help='episodes that are played even if the time is over')] = 0,
    folder: Annotated[Path, typer.Option(help='what is kept, and the picture')] = Path('records'),
    task: Annotated[list[str] | None, typer.Option(help='to play in turn; all of the suite else')] = None,
) -> None:
    """Play until all episodes of a way are there, or the time is over and there are enough to say something."""
    if way not in WAYS:
        raise typer.BadParameter(f'{way!r} is not one of {", ".join(WAYS)}.')
    kept, total = Kept(folder / f'soak_{way}.jsonl'), EPISODES[way]
    end, had = time.monotonic() + seconds, len(kept.samples)
    playing = WAYS[way](kept, tuple(task or ()))
    try:
        while len(kept.samples) < total and (time.monotonic() < end or len(kept.samples) < at_least or not told(kept.lives()[-1])):
            kept.add(next(playing))
            if len(kept.samples) % 10 == 0:
                print(f'{len(kept.samples)}/{total} episodes', flush=True)
    except KeyboardInterrupt:
        print('Interrupted; the same command goes on from here.')
    except VlmBenchError as error:
        print(f'The bench is lost: {error} The same command goes on with another one.')
    finally:
        playing.close()
    raise typer.Exit(_said(kept, way, had))


def _said(kept: Kept, way: str, had: int) -> int:
    """Print what came of it, draw it, and return the exit code."""
    samples = kept.samples
    if not samples:
        print('No episode was played.')
        return 1
    lost, grown = kept.lost(), [growth for life in kept.lives() for growth in growths(life)]
    solved = sum(sample.verdict == 'success' for sample in samples)
    each = sum(sample.seconds for sample in samples) / len(samples)
    title = f'{len(samples)} of {EPISODES[way]} episodes ({len(samples) - had} now), {solved} solved, {len(lost)} lost, {each:.1f} s each'
    picture = kept.path.with_suffix('.png')
    draw(kept, f'soak, {way}: {title}', picture)
    print(title, *(f'GROWTH {growth}' for growth in grown), sep='\n')
    for sample in lost:
        print(f'LOST episode {sample.number}: {"; ".join(sample.causes)}')
    if not any(told(life) for life in kept.lives()):
        print('Too few episodes on one bench to say whether anything grows.')
    elif not grown:
        print('No growth.')
    print(f'See {picture}')
    return int(bool(lost or grown))


if __name__ == '__main__':
    app()
