"""The sheet of matter shows water in a mug, on its way and spilled, and dirt that becomes less."""

import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_tasks.pages.matter_sheet import TILE, matter


def test_beads_are_seen_in_each_picture_and_dirt_becomes_less():
    picture = matter().astype(int)
    rows = np.split(picture, 2)
    tiles = [tile[:TILE] for row in rows for tile in np.split(row, 3, axis=1)]
    red, green, blue = (np.stack([tile[..., k] for tile in tiles]) for k in range(3))
    wet = ((blue > 90) & (blue > 2 * red)).sum(axis=(1, 2))
    assert (wet[:3] > 200).all() and (wet[3:] < 5).all()
    soiled = ((red > 100) & (red < 190) & (green < 0.62 * red) & (green > 2 * blue)).sum(axis=(1, 2))  # browner than the area in shadow
    assert soiled[3] > soiled[4] > soiled[5] and soiled[3] > 150
