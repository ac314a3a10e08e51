"""Lines, numbers and places drawn over a picture of the table, for a person who lays it."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene

STEP_CM = 10
"""Between two lines."""

_FARTHEST_CM = 100
_ALONG = np.linspace(-_FARTHEST_CM, _FARTHEST_CM, 401) / 100  # points of a line, m
_LINE, _INK, _GROUND = (70, 70, 70), (20, 20, 20), (255, 255, 255)
_ROOM, _SMALL = 40, 22  # pixels: that a label needs, and below which a number would hide a prop
_FONT, _SCALE, _SHARE = cv2.FONT_HERSHEY_SIMPLEX, 0.42, 0.35  # the last: of a line in the pixels that it covers

Pixels = NDArray[np.uint8]


def marked(color: Pixels, camera: Camera, scene: Scene) -> Pixels:
    """Return a picture of the table with a line every 10 cm, the number of each prop in the scene from 1, and the axes in words.

    Args:
        color: (h, w, 3) pixels of the camera.
        camera: it stands still, and looks down.
        scene: its props are numbered.
    """
    lined, labels = color.copy(), []
    for cm in range(-_FARTHEST_CM, _FARTHEST_CM + 1, STEP_CM):
        for axis, name in enumerate('xy'):
            points = np.zeros((len(_ALONG), 3))
            points[:, axis], points[:, 1 - axis] = cm / 100, _ALONG
            seen = _seen(points, camera)
            if len(seen) > 1:
                cv2.polylines(lined, [seen], False, _LINE, 1, cv2.LINE_AA)
                labels.append((f'{name} {cm}', seen[0]))
    mixed: Any = cv2.addWeighted(lined, _SHARE, color, 1 - _SHARE, 0)
    taken: list[NDArray[np.int32]] = []
    for text, at in labels:
        if all(np.abs(at - other).max() > _ROOM for other in taken):
            taken.append(at)
            _write(mixed, text, at)
    for number, prop in enumerate(scene.props, 1):
        for at in _seen(np.array([prop.pose.position]), camera):
            _write(mixed, str(number), at - (_beside(prop, camera), 0), larger=1.3)
    return np.asarray(mixed, np.uint8)


def _beside(prop: Prop, camera: Camera) -> int:
    """Return how far left of the middle of a prop its number stands, pixels: a number on a small one would hide it."""
    scale = camera.focal / camera.pose.inverse().apply([prop.pose.position])[0][2]  # pixels for each metre
    wide = scale * float(np.hypot(*prop.size[:2])) / 2
    return 0 if scale * min(prop.size[:2]) / 2 > _SMALL else round(wide + _SMALL / 2)


def _seen(points: Floats, camera: Camera) -> NDArray[np.int32]:
    """Return the pixels of those points in the world that are in the picture."""
    ahead = points[camera.pose.inverse().apply(points)[:, 2] > camera.near]
    pixels = camera.project(ahead, camera.pose)
    inside = ((pixels >= 0) & (pixels < (camera.width, camera.height))).all(axis=1)
    return np.rint(pixels[inside]).astype(np.int32)


def _write(picture: Any, text: str, at: 'NDArray[np.int32]', *, larger: float = 1.0) -> None:
    """Write on a light ground, about a place but wholly in the picture."""
    scale = larger * _SCALE
    (wide, high), below = cv2.getTextSize(text, _FONT, scale, 1)
    height, width = picture.shape[:2]
    left = int(np.clip(at[0] - wide // 2, 3, max(3, width - wide - 3)))
    foot = int(np.clip(at[1] + high // 2, high + 3, max(high + 3, height - below)))
    cv2.rectangle(picture, (left - 3, foot - high - 3), (left + wide + 2, foot + 3), _GROUND, cv2.FILLED)
    cv2.putText(picture, text, (left, foot), _FONT, scale, _INK, 1, cv2.LINE_AA)
