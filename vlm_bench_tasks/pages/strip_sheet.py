"""Film strips of recorded episodes as one picture: a row for each bag, its instruction above, its verdict beside it.

`python -m vlm_bench_tasks.pages.strip_sheet BAG... --out PICTURE` draws it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_tasks.dataset.rendering import Angle, frames

PICTURES = 6
_WIDTH, _HEIGHT = 240, 180
_HEAD, _GAP = 26, 4
_FONT, _SCALE = cv2.FONT_HERSHEY_SIMPLEX, 0.5
_INK = {'success': (20, 110, 20), 'failure': (20, 20, 170)}  # BGR


def sheet(bags: Sequence[Path], *, camera: str = 'vlmbench:front') -> Bytes:
    """Return a picture, (height, width, 3) uint8 RGB, with a strip of each bag.

    Raises:
        BagError: a bag cannot be read.
    """
    return np.concatenate([_strip(bag, camera) for bag in bags])


def _strip(path: Path, camera: str) -> Bytes:
    angle = Angle(camera, width=_WIDTH, height=_HEIGHT, rate=2.0, samples=3)
    seen = [next(iter(frame.pictures.values())).color for frame in frames(path, angle)]
    if not seen:
        raise ConfigError(f'{path} holds no control period, so there is nothing to draw. Leave it out.')
    chosen = [seen[round(i)] for i in np.linspace(0, len(seen) - 1, PICTURES)]
    rows = np.full((_HEIGHT, _GAP, 3), 255, np.uint8)
    pictures = np.concatenate([part for picture in chosen for part in (picture, rows)], axis=1)
    custom = reader.open_bag(path).custom
    verdict = custom.get('verdict', '')
    head = np.full((_HEAD, pictures.shape[1], 3), 255, np.uint8)
    text = f'{verdict}: {custom.get("instruction", "")}'
    cv2.putText(head, text, (4, _HEAD - 8), _FONT, _SCALE, _INK.get(verdict, (0, 0, 0))[::-1], 1, cv2.LINE_AA)
    return np.concatenate([head, pictures])


def main(
    bags: Annotated[list[Path], typer.Argument(help='recorded episodes')],
    out: Annotated[Path, typer.Option(help='the picture, .png or .jpg')],
    camera: Annotated[str, typer.Option(help='the camera that sees them')] = 'vlmbench:front',
) -> None:
    """Draw film strips of recorded episodes."""
    try:
        picture = sheet(bags, camera=camera)
    except VlmBenchError as error:
        typer.echo(f'error: {error}', err=True)
        raise typer.Exit(2) from error
    if not cv2.imwrite(str(out), np.ascontiguousarray(picture[..., ::-1])):
        typer.echo(f'error: {out} cannot be written. Name a .png or .jpg in a folder that exists.', err=True)
        raise typer.Exit(2)


if __name__ == '__main__':
    typer.run(main)
