"""Voxels of made-up views and points: every voxel is known."""

import numpy as np
import pytest

from test.core.test_fusion import view
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.voxels import GRIDS, PERACT, Grid, voxelized, voxels

GRID = Grid((0.0, -0.2, 0.0), 0.4, 4)


def test_a_point_falls_into_the_voxel_around_it_and_views_are_joined():
    one, other = view({(0.05, -0.15, 0.25): (10, 20, 30)}), view({(0.25, 0.05, 0.12): (200, 0, 0)})
    found = voxels([one, other], GRID)
    assert found.at.tolist() == [[0, 0, 2], [2, 2, 1]]
    assert found.color.tolist() == [[10, 20, 30], [200, 0, 0]]
    assert [GRID.voxel(point) for point in ((0.05, -0.15, 0.25), (0.25, 0.05, 0.12))] == [(0, 0, 2), (2, 2, 1)]


def test_the_color_is_the_mean_of_all_points():
    at, colors = (
        np.array([[0.01, 0.0, 0.0], [0.09, 0.05, 0.05], [0.15, 0.0, 0.0]]),
        np.array([[0, 10, 255], [100, 20, 0], [7, 7, 7]], np.uint8),
    )
    found = voxelized(at, colors, GRID)
    assert found.at.tolist() == [[0, 2, 0], [1, 2, 0]] and found.color.tolist() == [[50, 15, 128], [7, 7, 7]]


def test_what_lies_outside_is_left_out():
    at = np.array([[-0.01, 0.0, 0.0], [0.41, 0.0, 0.0], [0.1, 0.21, 0.0], [0.1, 0.0, -0.01], [0.1, 0.0, 0.41]])
    found = voxelized(at, np.zeros((5, 3), np.uint8), GRID)
    assert found.at.shape == (0, 3) and found.color.shape == (0, 3)
    assert GRID.voxel((-0.01, 0.0, 0.41)) == (-1, 2, 4)


def test_peracts_grid_has_voxels_of_a_centimetre():
    assert Grid.named('peract') == GRIDS['peract'] == PERACT and PERACT.edge == pytest.approx(0.01)


@pytest.mark.parametrize('wrong', [{'side': 0.0}, {'side': float('inf')}, {'cells': 0}, {'cells': 2000}, {'low': (float('nan'), 0.0, 0.0)}])
def test_a_grid_without_a_size_is_refused(wrong):
    with pytest.raises(ConfigError, match='A grid needs'):
        Grid(**{'low': (0.0, 0.0, 0.0), 'side': 1.0, 'cells': 10} | wrong)


def test_an_unknown_grid_is_refused_by_name():
    with pytest.raises(ConfigError, match='peract'):
        Grid.named('perakt')
