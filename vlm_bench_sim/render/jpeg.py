"""Encodes and decodes pictures as jpeg."""

import cv2
import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.camera import Picture

QUALITY = 92


def jpeg(picture: Picture) -> bytes:
    """Return the colors as a jpeg file."""
    _, data = cv2.imencode('.jpg', cv2.cvtColor(picture.color, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(data)


def pixels(data: bytes) -> npt.NDArray[np.uint8]:
    """Return the colors of a jpeg file, (height, width, 3) in the order red, green, blue."""
    return np.asarray(cv2.cvtColor(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB))
