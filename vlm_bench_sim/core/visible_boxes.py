"""What a picture shows of each thing: where, how much, and what share of it nothing hides. Pure: from instance ids and counts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class VisibleBox:
    """One thing in one picture.

    Attributes:
        instance: id in the picture.
        x, y: left and upper edge of its box, pixels.
        width, height: of the box, pixels.
        pixels: that show it.
        visibility: share of its pixels that nothing hides, 0 to 1; None where nobody counted how many it would fill.
    """

    instance: int
    x: int
    y: int
    width: int
    height: int
    pixels: int
    visibility: float | None = None


def visible_boxes(ids: NDArray[np.uint16], alone: Mapping[int, int] | None = None) -> tuple[VisibleBox, ...]:
    """Return what a picture shows, in the order of the ids; 0, the background, is nothing.

    Args:
        ids: (height, width) instance ids.
        alone: how many pixels each thing would fill if it stood alone in the picture, by id.
    """
    flat = ids.reshape(-1)
    where = np.flatnonzero(flat)
    if not len(where):
        return ()
    order = where[np.argsort(flat[where], kind='stable')]  # of 16 bits: sorted by radix, in time with the pixels
    starts = np.flatnonzero(np.diff(flat[order], prepend=0))
    rows, columns = np.divmod(order, ids.shape[1])
    left, right = (f.reduceat(columns, starts) for f in (np.minimum, np.maximum))
    upper, lower = (f.reduceat(rows, starts) for f in (np.minimum, np.maximum))
    counts = np.diff(starts, append=len(order))
    table = np.column_stack([flat[order[starts]], left, upper, right - left + 1, lower - upper + 1, counts])
    return tuple(VisibleBox(i, x, y, w, h, n, _share(i, n, alone)) for i, x, y, w, h, n in table.astype(int).tolist())


def _share(instance: int, pixels: int, alone: Mapping[int, int] | None) -> float | None:
    # The two counts come from two passes, which may differ by a pixel on an edge.
    return None if alone is None else min(1.0, pixels / max(alone.get(instance, pixels), 1))
