"""Each kind of perturbation that shows is seen on its sheet."""

import numpy as np

from vlm_bench_tasks.pages import perturbation_sheet


def test_every_tile_differs_from_the_unperturbed_one():
    size, count = 64, len(perturbation_sheet.SHOWN)
    picture = perturbation_sheet.perturbations(size=size).astype(int)
    height, width = picture.shape[0] // 2, picture.shape[1] // 4
    tiles = [picture[row * height : row * height + size, column * width : column * width + size] for row in range(2) for column in range(4)]
    assert len(tiles) == count
    assert all((np.abs(tile - tiles[0]).max(axis=2) > 8).mean() > 0.02 for tile in tiles[1:])
