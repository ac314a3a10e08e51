"""Encodes and decodes pictures as jpeg."""

import cv2
import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import BagError

QUALITY = 92

LARGEST = 8192
"""Greatest width and height of a jpeg file that is decoded, pixels: a small file can claim to be huge."""

BEGIN, END = b'\xff\xd8', b'\xff\xd9'
"""The first and the last bytes of a jpeg file."""

_SIZED = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # the markers of frames, which hold the size
_BARE = frozenset((0x01, *range(0xD0, 0xD8)))  # markers without content
_LAST = frozenset((0xD8, 0xD9, 0xDA))  # no frame follows them


def jpeg(picture: Picture) -> bytes:
    """Return the colors as a jpeg file."""
    _, data = cv2.imencode('.jpg', cv2.cvtColor(picture.color, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(data)


def size(data: bytes) -> tuple[int, int]:
    """Return width and height of a jpeg file from its header, pixels, without decoding it.

    Raises:
        BagError: the data is no jpeg file, or a side is 0 or longer than `LARGEST`.
    """
    at = 2 if data.startswith(BEGIN) else len(data)
    while at + 9 <= len(data) and data[at] == 0xFF and (marker := data[at + 1]) not in _LAST:
        if marker in _SIZED:
            height, width = (int.from_bytes(data[begin : begin + 2], 'big') for begin in (at + 5, at + 7))
            if not 0 < min(width, height) <= max(width, height) <= LARGEST:
                raise BagError(f'A jpeg file has {width} x {height} pixels; sides of 1 to {LARGEST} are allowed.')
            return width, height
        length = int.from_bytes(data[at + 2 : at + 4], 'big')
        at += 1 if marker == 0xFF else 2 if marker in _BARE else 2 + max(length, 2)
    raise BagError(f'{len(data)} bytes were found in place of a jpeg file; they hold no picture.')


def pixels(data: bytes) -> npt.NDArray[np.uint8]:
    """Return the colors of a jpeg file, (height, width, 3) in the order red, green, blue.

    Raises:
        BagError: the data is no jpeg file, is damaged, or its picture is too large.
    """
    width, height = size(data)
    try:
        found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        found = None
    if found is None or found.shape != (height, width, 3):
        raise BagError(f'A jpeg file of {width} x {height} pixels and {len(data)} bytes is damaged; it cannot be decoded.')
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB))
