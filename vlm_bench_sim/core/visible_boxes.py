"""Objects in a picture: bounding box, pixel count and visible share of each, computed from instance ids and counts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class VisibleBox:
    """One object in one picture.

    Attributes:
        instance: id in the picture.
        x, y: left and upper edge of its box, pixels.
        width, height: size of the box, pixels.
        pixels: number of pixels that show it.
        visibility: visible share of its pixels, 0 to 1; None if the number of its pixels without occlusion is unknown.
    """

    instance: int
    x: int
    y: int
    width: int
    height: int
    pixels: int
    visibility: float | None = None


def visible_boxes(ids: NDArray[np.uint16], alone: Mapping[int, int] | None = None) -> tuple[VisibleBox, ...]:
    """Return the visible objects in the order of their ids. The background, 0, is left out.

    Args:
        ids: (height, width) instance ids.
        alone: number of pixels that each object would fill without occlusion, by id.
    """
    flat = ids.reshape(-1)
    where = np.flatnonzero(flat)
    if not len(where):
        return ()
    order = where[np.argsort(flat[where], kind='stable')]  # 16-bit ids use radix sort: linear in the number of pixels
    starts = np.flatnonzero(np.diff(flat[order], prepend=0))
    rows, columns = np.divmod(order, ids.shape[1])
    left, right = (f.reduceat(columns, starts) for f in (np.minimum, np.maximum))
    upper, lower = (f.reduceat(rows, starts) for f in (np.minimum, np.maximum))
    counts = np.diff(starts, append=len(order))
    table = np.column_stack([flat[order[starts]], left, upper, right - left + 1, lower - upper + 1, counts])
    return tuple(VisibleBox(i, x, y, w, h, n, _share(i, n, alone)) for i, x, y, w, h, n in table.astype(int).tolist())


def _share(instance: int, pixels: int, alone: Mapping[int, int] | None) -> float | None:
    # The two counts come from two rendering passes, which may differ by a pixel at an edge.
    return None if alone is None else min(1.0, pixels / max(alone.get(instance, pixels), 1))
