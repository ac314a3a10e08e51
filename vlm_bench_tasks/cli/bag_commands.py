"""The commands that read bags."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_tasks.cli.options import AsJson, Cameras, Size, out, plain_errors, read_path
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.sizes import SIZE, read_size

app = typer.Typer()


@app.command()
def judge(bag: Annotated[Path, typer.Argument(parser=read_path, help='folder of the bag')], as_json: AsJson = False) -> None:
    """Judge a recorded episode again from its ground truth; exit 1 if the recorded report differs."""
    from vlm_bench_tasks.console import episodes
    from vlm_bench_tasks.dataset.judge import judge as again

    with plain_errors():
        judgement = again(bag)
    result = episodes.judged(judgement)
    if as_json:
        sys.stdout.write(json.dumps(result) + '\n')
    else:
        episodes.show(result, out)
        recorded = judgement.recorded.verdict.value if judgement.recorded else 'none'
        out.print(f'recorded      {recorded}: {"the same" if judgement.agrees else "NOT THE SAME"}', markup=False)
        if judgement.truth:
            same = judgement.truth.verdict is judgement.report.verdict
            out.print(f'stand-in      {judgement.truth.verdict.value}: {"the same" if same else "NOT THE SAME"}', markup=False)
    raise typer.Exit(0 if judgement.agrees else 1)


@app.command()
def replay(
    bag: Annotated[Path, typer.Argument(parser=read_path, help='folder of the bag')],
    action: Annotated[str, typer.Option(help='play its actions as rows of this action space instead, as a policy would')] = '',
    as_json: AsJson = False,
) -> None:
    """Replay a recorded episode in this process with the same actions; exit 1 if a state differs from the recorded one.

    With --action: exit 1 if the verdict differs from the recorded one.
    """
    from vlm_bench_tasks.console import replaying

    with plain_errors():
        found = replaying.played_back(bag, action) if action else replaying.replayed(bag)
    if as_json:
        sys.stdout.write(json.dumps(found) + '\n')
    else:
        (replaying.show_playback if action else replaying.show)(found, out)
    raise typer.Exit(0 if found['same'] else 1)


@app.command()
def render(
    bag: Annotated[Path, typer.Argument(parser=read_path, help='folder of the bag')],
    out_path: Annotated[Path, typer.Option('--out', parser=read_path, help='a folder for png files, or an .mp4 file')],
    cameras: Cameras = SETTINGS['cameras'].default,
    size: Size = SIZE,
    rate: Annotated[float, typer.Option(help='pictures per second of simulated time')] = 10.0,
    samples: Annotated[int, typer.Option(help='color samples along the side of a pixel; 1: as a policy sees it; 3: smooth')] = 1,
) -> None:
    """Render a recorded episode again from its ground truth, with any cameras at any size."""
    from vlm_bench_tasks.dataset import filming
    from vlm_bench_tasks.dataset.rendering import Angle

    with plain_errors():
        width, height = read_size(size)
        found = filming.render(bag, Angle(cameras, width=width, height=height, rate=rate, samples=samples), out_path)
    out.print(f'{found["pictures"]} pictures of {found["size"]}: {found["out"]}', highlight=False, markup=False)


@app.command()
def recover(bag: Annotated[Path, typer.Argument(parser=read_path, help='folder that a killed recorder left, or a damaged bag')]) -> None:
    """Restore a bag from what a killed recorder left, up to the last complete chunk."""
    from vlm_bench_sim.bags.recover import recover as rescue

    with plain_errors():
        found = rescue(bag)
    out.print(f'{found.messages} messages in {found.chunks} chunks, {found.seconds:.2f} s: {found.path}', highlight=False, markup=False)
