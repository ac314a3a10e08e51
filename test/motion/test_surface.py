import numpy as np
import pytest

from vlm_bench_sim.core.shapes import kinds, solid
from vlm_bench_sim.motion.surface import Surface


def test_middle_of_a_triangular_prism_lies_a_third_up():
    # Vertices at y = -h/2 (two) and h/2 (one): the centroid is h/6 below the middle of the bounding box.
    assert Surface(solid('triangular_prism').scaled((0.046, 0.040, 0.039))).middle == pytest.approx((0, -0.04 / 6, 0), abs=1e-9)


@pytest.mark.parametrize('kind', kinds())
def test_samples_lie_on_the_surface_and_normals_point_outwards(kind):
    surface = Surface(solid(kind))
    points, normals = surface.sample(50, np.random.default_rng(0))
    for point, normal in zip(points, normals, strict=True):
        crossings = surface.crossings(point[None] + 1e-4 * normal, -normal)[0]
        assert np.nanmin(np.abs(crossings - 1e-4)) < 1e-9
    assert np.abs(points).max() < 0.5 + 1e-9


def test_a_line_through_a_cube_enters_and_leaves():
    surface = Surface(solid('cube').scaled((0.1, 0.2, 0.3)))
    crossings = surface.crossings(np.array([[0.013, 0.0, 0.021], [0.2, 0.0, 0.0]]), np.array([0.0, 1.0, 0.0]))
    assert sorted(crossings[0][~np.isnan(crossings[0])]) == pytest.approx([-0.1, 0.1])
    assert np.isnan(crossings[1]).all()


def test_lines_that_are_kept_cross_what_fresh_ones_do_to_the_bit():
    """Grasp sets are over these bits, and many origins are asked about at once."""
    surface, direction, rng = Surface(solid('moon')), np.array([0.6, 0.0, 0.8]), np.random.default_rng(0)
    origins, lines = rng.uniform(-0.5, 0.5, (40, 3)), surface.lines(direction)
    alone = np.concatenate([surface.crossings(origin[None], direction) for origin in origins])
    assert np.count_nonzero(~np.isnan(alone)) > 10
    np.testing.assert_array_equal(lines.crossings(origins), alone)


def test_flat_sides_of_a_cube():
    assert sorted(map(tuple, np.round(Surface(solid('cube')).directions(), 9) + 0.0)) == sorted(
        tuple(sign * row) for row in np.eye(3) for sign in (-1.0, 1.0) for row in [row + 0.0]
    )
