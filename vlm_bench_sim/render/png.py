"""Encodes and decodes pictures as png, without loss."""

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.prompts import MOST_SIDE, PromptImage

LARGEST = 4096
"""Greatest width and height of a png file that is decoded, pixels: a small file can claim to be huge."""

_HEAD, _SIDES = b'\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR', slice(16, 24)  # the first bytes of every file; width and height after them


def png(color: npt.NDArray[np.uint8]) -> bytes:
    """Return colors, (height, width, 3) in the order red, green, blue, as a png file."""
    _, data = cv2.imencode('.png', cv2.cvtColor(color, cv2.COLOR_RGB2BGR))
    return bytes(data)


def pixels(data: bytes, *, largest: int = LARGEST) -> npt.NDArray[np.uint8]:
    """Return the colors of a png file, (height, width, 3) in the order red, green, blue; no side may exceed `largest` pixels.

    Raises:
        CommandError: the data is no png file, is damaged, or its picture is too large.
    """
    width, height = np.frombuffer(data[_SIDES], '>u4').tolist() if data.startswith(_HEAD) and len(data) >= _SIDES.stop else (0, 0)
    if max(width, height) > largest:
        raise CommandError(f'A png file of {width} x {height} pixels is too large; sides of {largest} are allowed. Send a smaller one.')
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if width and height else None
    if found is None:
        raise CommandError(f'{len(data)} bytes were given as a png file; they hold no picture. Send the whole file.')
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB))


def received(pictures: Iterable[tuple[str, bytes]]) -> tuple[PromptImage, ...]:
    """Return the pictures of an instruction as a policy receives them, given the role and the png file of each.

    Raises:
        CommandError: a picture is damaged or too large.
    """
    return tuple(PromptImage(role, pixels(data, largest=MOST_SIDE), data) for role, data in pictures)
