"""Check and decode the pictures that a bag holds as jpeg files, for all exports."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.render.jpeg import END, pixels, size
from vlm_bench_tasks.dataset.labels import KeyPicture

_DO = 'Leave the bag or the camera out.'


def check_pictures(bag: Path, pictures: Mapping[str, Sequence[bytes]], key_steps: Mapping[int, Iterable[KeyPicture]]) -> None:
    """Check that the pictures of each camera have one size, and that those of its key steps are whole jpeg files of that size.

    Args:
        bag: path of the bag.
        pictures: jpeg files by camera. Only their headers are read; `decoded` decodes them.
        key_steps: the pictures of the key steps by control period.

    Raises:
        BagError: a picture is damaged, or has another size.
    """
    sizes = {camera: _size_of_all(bag, camera, seen) for camera, seen in pictures.items() if seen}
    for seq, of in key_steps.items():
        for one in of:
            expected = sizes.get(one.camera)
            for data in (one.shown, one.hidden):
                try:
                    expected = _checked(data, expected)
                except BagError as error:
                    what = f'a damaged picture of the camera {one.camera!r} for the key step at period {seq}'
                    raise BagError(f'{bag} holds {what}: {error} {_DO}') from error


def decoded(bag: Path, camera: str, jpegs: Sequence[bytes]) -> list[npt.NDArray[np.uint8]]:
    """Return the colors of a camera's pictures; one that is repeated over several frames is decoded once.

    Raises:
        BagError: a picture is damaged.
    """
    try:
        seen = {jpeg: pixels(jpeg) for jpeg in dict.fromkeys(jpegs)}
    except BagError as error:
        raise _damaged(bag, camera, error) from error
    return [seen[jpeg] for jpeg in jpegs]


def _size_of_all(bag: Path, camera: str, jpegs: Iterable[bytes]) -> tuple[int, int]:
    try:
        sizes = sorted({size(jpeg) for jpeg in dict.fromkeys(jpegs)})
    except BagError as error:
        raise _damaged(bag, camera, error) from error
    if len(sizes) > 1:
        found = ' and '.join(f'{width}x{height}' for width, height in sizes[:2])
        raise BagError(f'{bag} holds pictures of the camera {camera!r} in several sizes, such as {found}. {_DO}')
    return sizes[0]


def _checked(data: bytes, expected: tuple[int, int] | None) -> tuple[int, int]:
    """Return the size of a whole jpeg file, which must be the expected one; it is decoded only if it is."""
    found = size(data)
    if expected and found != expected:
        raise BagError(f'It has {found[0]}x{found[1]} pixels; {expected[0]}x{expected[1]} are expected, as in the other pictures.')
    if not data.endswith(END):
        raise BagError(f'It breaks off after {len(data)} bytes.')
    pixels(data)
    return found


def _damaged(bag: Path, camera: str, error: BagError) -> BagError:
    return BagError(f'{bag} holds a damaged picture of the camera {camera!r}: {error} {_DO}')
