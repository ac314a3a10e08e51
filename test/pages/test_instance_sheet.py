"""The sheets of bottles and cups show each of them, and the water in each cup."""

import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_tasks.pages.instance_sheet import COLUMNS, TILE, bottles, cups


def tiles(picture: np.ndarray) -> list[np.ndarray]:
    rows = np.split(picture.astype(int), 2)
    return [tile[:TILE, :-4] for row in rows for tile in np.split(row, COLUMNS, axis=1)]


def test_every_bottle_fills_a_good_part_of_its_tile():
    for tile in tiles(bottles()):
        assert (np.abs(tile - tile[-4:, :4].reshape(-1, 3).mean(axis=0)).max(axis=2) > 25).mean() > 0.05


@pytest.mark.long
def test_water_is_seen_in_every_cup_as_it_was_filled():
    wet = [int(((tile[..., 2] > 60) & (tile[..., 2] > 1.6 * tile[..., 0])).sum()) for tile in tiles(cups())]
    assert min(wet) > 500
    assert wet[0] > wet[2] > wet[4] and wet[9] > wet[7] > wet[5]
