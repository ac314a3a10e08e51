"""Encodes and decodes pictures as png, without loss."""

import cv2
import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.errors import CommandError


def png(color: npt.NDArray[np.uint8]) -> bytes:
    """Return colors, (height, width, 3) in the order red, green, blue, as a png file."""
    _, data = cv2.imencode('.png', cv2.cvtColor(color, cv2.COLOR_RGB2BGR))
    return bytes(data)


def pixels(data: bytes) -> npt.NDArray[np.uint8]:
    """Return the colors of a png file, (height, width, 3) in the order red, green, blue.

    Raises:
        CommandError: the data is no picture.
    """
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if found is None:
        raise CommandError(f'{len(data)} bytes were given as a png file; they hold no picture. Send the whole file.')
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB))
