"""Pictures as jpeg."""

import cv2

from vlm_bench_sim.core.camera import Picture

QUALITY = 92


def jpeg(picture: Picture) -> bytes:
    """Return the colours as a jpeg file."""
    _, data = cv2.imencode('.jpg', cv2.cvtColor(picture.colour, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(data)
