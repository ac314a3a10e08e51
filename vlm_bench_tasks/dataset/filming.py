"""Write the pictures of a recorded episode to files, atomically: one folder of png files per camera, or one film."""

from collections.abc import Iterable
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.render.png import png
from vlm_bench_sim.render.prompt_sheet import prompt_sheet
from vlm_bench_tasks.dataset.exports.choice import whole
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.dataset.rendering import Angle, Frame, frames

FILM = '.mp4'
Pixels = npt.NDArray[np.uint8]


def render(bag: Path, angle: Angle, out: Path) -> dict[str, Any]:
    """Render a bag to `out` and return a description of the output.

    Raises:
        VlmBenchError: the bag cannot be rendered, or `out` exists or cannot be written.
    """
    drawn = frames(bag, angle)
    try:
        _check(out)
        with whole(out, file=out.suffix == FILM) as part:
            count = _film(drawn, part, angle) if out.suffix == FILM else _folder(drawn, part)
            if out.suffix != FILM and count:
                _write_prompt(bag, part)
            if not count:
                raise BagError(f'No picture of {bag} is due at {angle.rate:g} pictures a second. Choose a higher rate with --rate.')
    except OSError as error:
        raise BagError(f'The pictures cannot be written to {out}: {error.strerror or error}. Name another place with --out.') from error
    return {'bag': str(bag), 'out': str(out), 'cameras': angle.cameras, 'size': f'{angle.width}x{angle.height}', 'pictures': count}


def _check(out: Path) -> None:
    if out.is_file() or (out.is_dir() and any(out.iterdir())):
        raise BagError(f'{out} exists already. Remove it, or name another place with --out.')
    if out.is_dir():
        out.rmdir()


def _folder(drawn: Iterable[Frame], out: Path) -> int:
    """Write one png per picture, named by camera and control period."""
    count = 0
    for frame in drawn:
        for camera, picture in frame.pictures.items():
            (out / camera).mkdir(parents=True, exist_ok=True)
            _write(out / camera / f'{frame.seq:06}.png', picture.color)
            count += 1
    return count


def _write_prompt(bag: Path, out: Path) -> None:
    """Write the pictures of an instruction as they were recorded, and the whole of it as one picture; nothing if it is in words."""
    found = reader.open_bag(bag)
    images = recorded_prompt(found)
    for number, image in enumerate(images, start=1):
        (out / 'prompt').mkdir(exist_ok=True)
        (out / 'prompt' / f'image_{number}.png').write_bytes(image.png)
    if images:
        _write(out / 'prompt.png', prompt_sheet(found.custom.get('instruction', ''), images))


def _write(path: Path, pixels: Pixels) -> None:
    path.write_bytes(png(pixels))


def _film(drawn: Iterable[Frame], out: Path, angle: Angle) -> int:
    """Write one film that shows all cameras as tiles."""
    try:
        from vlm_bench_tasks.dataset.exports.film import Film
    except ImportError as error:
        raise BagError(
            f"A film needs PyAV, which is not installed ({error}). Install it with pip install 'av>=12.0', or name a folder with --out."
        ) from error
    film = Film(lambda _: out, fps=round(angle.rate), limit_mb=float('inf'))
    count = 0
    for frame in drawn:
        film.add([tiled([picture.color for picture in frame.pictures.values()])])
        count += 1
    film.close()
    return count


def tiled(pictures: list[Pixels]) -> Pixels:
    """Return pictures of equal size as one, in rows from the top left; unused tiles are black."""
    columns = ceil(sqrt(len(pictures)))
    black = np.zeros_like(pictures[0])
    padded = [*pictures, *[black] * (-len(pictures) % columns)]
    return np.vstack([np.hstack(padded[i : i + columns]) for i in range(0, len(padded), columns)])
