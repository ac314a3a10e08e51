"""Maps of made-up views: every pixel and every metre is known."""

from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import CLIPORT_6D, LOHORAVENS, Plot, PosedPicture, points, top_down
from vlm_bench_sim.core.geometry import Pose

PLOT = Plot((0.0, -0.2, 0.0), (0.3, 0.2, 0.5), 0.1)
DOWN = Pose.look_at((0.15, 0.0, 1.0), (0.15, 0.0, 0.0), up=(1.0, 0.0, 0.0))


def view(pixels: dict[tuple[float, float, float], tuple[int, int, int]], pose: Pose = DOWN) -> PosedPicture:
    """A picture in which each of the given world points is one pixel: rounding to pixels moves it by half a millimetre."""
    camera = Camera('eye', pose, fov=pi / 4, width=1601, height=1601)
    color = np.zeros((1601, 1601, 3), np.uint8)
    depth = np.zeros((1601, 1601), np.float32)
    for point, rgb in pixels.items():
        u, v = np.rint(camera.project(np.array([point]), pose)[0]).astype(int)
        color[v, u], depth[v, u] = rgb, pose.inverse().apply([point])[0, 2]
    return PosedPicture(Picture(color, depth, (depth > 0).astype(np.uint16)), camera, pose)


def test_a_point_falls_into_the_pixel_below_it():
    found = top_down([view({(0.05, -0.15, 0.25): (10, 20, 30), (0.25, 0.05, 0.1): (200, 0, 0)})], PLOT)
    assert found.color.shape == (4, 3, 3)
    assert found.color[0, 0].tolist() == [10, 20, 30] and found.color[2, 2].tolist() == [200, 0, 0]
    assert found.height[0, 0] == pytest.approx(0.25, abs=1e-3) and found.height[2, 2] == pytest.approx(0.1, abs=1e-3)
    assert PLOT.cell((0.05, -0.15, 0.25)) == (0, 0) and PLOT.cell((0.25, 0.05, 0.1)) == (2, 2)
    assert found.views.sum() == 2 and np.count_nonzero(found.height) == 2


def test_in_one_view_the_highest_point_of_a_pixel_counts():
    heap = {(0.04, 0.05, 0.1): (1, 1, 1), (0.05, 0.05, 0.3): (9, 9, 9), (0.06, 0.05, 0.2): (5, 5, 5)}
    found = top_down([view(heap)], PLOT)
    assert found.color[2, 0].tolist() == [9, 9, 9]
    assert found.height[2, 0] == pytest.approx(0.3, abs=1e-3)


def test_colors_are_the_mean_of_the_views_that_saw_something_and_heights_the_greatest():
    low, high = view({(0.05, 0.05, 0.1): (100, 0, 50)}), view({(0.05, 0.05, 0.2): (200, 100, 0), (0.15, 0.05, 0.2): (8, 8, 8)})
    found = top_down([low, high], PLOT)
    assert found.color[2, 0].tolist() == [150, 50, 25] and found.color[2, 1].tolist() == [8, 8, 8]
    assert found.height[2, 0] == pytest.approx(0.2, abs=1e-3)
    assert found.views[2].tolist() == [2, 1, 0]


def test_the_topmost_color_is_that_of_the_highest_point_whichever_view_comes_first():
    low, high = view({(0.05, 0.05, 0.1): (100, 0, 50)}), view({(0.05, 0.05, 0.2): (200, 100, 0)})
    for views in ([low, high], [high, low]):
        assert top_down(views, PLOT, topmost=True).color[2, 0].tolist() == [200, 100, 0]


def test_what_lies_outside_the_plot_is_left_out():
    beyond = {(0.35, 0.0, 0.1): (1, 1, 1), (0.1, -0.25, 0.1): (1, 1, 1), (0.1, 0.1, 0.6): (1, 1, 1), (0.1, 0.1, -0.1): (1, 1, 1)}
    found = top_down([view(beyond)], PLOT)
    assert not found.views.any() and not found.height.any() and not found.color.any()


def test_without_views_the_map_is_empty():
    found = top_down([], PLOT)
    assert found.color.shape == (4, 3, 3) and not found.views.any()


def test_views_from_elsewhere_fall_into_the_same_pixels():
    spots = {(0.05, -0.15, 0.25): (10, 20, 30), (0.25, 0.05, 0.1): (200, 0, 0)}
    side = view(spots, Pose.look_at((1.1, 0.6, 0.9), (0.1, 0.0, 0.1)))
    one, both = top_down([view(spots)], PLOT), top_down([view(spots), side], PLOT)
    assert (one.color == both.color).all()
    assert np.allclose(one.height, both.height, atol=2e-3)
    assert both.views.max() == 2


def test_points_carry_the_colors_of_their_pixels():
    at, colors = points(view({(0.05, -0.15, 0.25): (10, 20, 30)}))
    assert np.allclose(at, [(0.05, -0.15, 0.25)], atol=1e-3) and colors.tolist() == [[10, 20, 30]]


def test_the_networks_take_six_channels():
    channels = top_down([view({(0.05, 0.05, 0.1): (100, 0, 50)})], PLOT).channels
    assert channels.shape == (4, 3, 6)
    assert channels[2, 0].tolist() == pytest.approx([100, 0, 50, 0.1, 0.1, 0.1], abs=1e-3)


def test_the_papers_maps_have_their_sizes():
    assert CLIPORT_6D.shape == (160, 128)
    assert LOHORAVENS.shape == (320, 160)


@pytest.mark.parametrize(
    ('high', 'pixel'), [((0.3, 0.2, 0.5), 0.0), ((0.3, -0.2, 0.5), 0.1), ((0.3, 0.2, 0.0), 0.1), ((0.3, 0.2, 0.5), 1.0)]
)
def test_a_plot_without_a_pixel_is_refused(high, pixel):
    with pytest.raises(ConfigError, match='low < high'):
        Plot((0.0, -0.2, 0.0), high, pixel)
