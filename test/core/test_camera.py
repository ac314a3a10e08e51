"""A camera projects as a pinhole does."""

from math import atan, pi

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose

CAMERA = Camera('front', Pose(), fov=2 * atan(0.5), width=640, height=480)


def test_the_focal_length_follows_from_the_field_of_view():
    """At one metre the picture is one metre high, so 480 pixels a metre."""
    assert CAMERA.focal == pytest.approx(480.0)
    assert np.allclose(CAMERA.intrinsics, [[480, 0, 319.5], [0, 480, 239.5], [0, 0, 1]])


@pytest.mark.parametrize(
    ('point', 'pixel'),
    [
        ((0, 0, 1), (319.5, 239.5)),
        ((0, 0, 3), (319.5, 239.5)),
        ((0.1, 0, 1), (367.5, 239.5)),
        ((0, 0.2, 2), (319.5, 287.5)),
        ((-0.1, -0.1, 0.5), (223.5, 143.5)),
    ],
)
def test_points_fall_on_the_pixels_worked_out_by_hand(point, pixel):
    """x is to the right, y down, z forward."""
    assert np.allclose(CAMERA.project(np.array([point], dtype=float), Pose()), [pixel])


def test_the_pose_of_the_frame_is_taken_away_first():
    """A camera at x = 1 m that looks along the world's x axis, with z up."""
    pose = Pose.look_at((1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    left_and_up = CAMERA.project(np.array([(2.0, 0.1, 0.1)]), pose)
    assert np.allclose(left_and_up, [(319.5 - 48, 239.5 - 48)])


def test_the_picture_spans_the_field_of_view():
    """The outer edges of the first and last row lie half a pixel beyond their centres."""
    camera = Camera('square', Pose(), fov=pi / 2, width=100, height=100)
    edges = camera.project(np.array([(0.0, -1.0, 1.0), (0.0, 1.0, 1.0)]), Pose())
    assert np.allclose(edges[:, 1], [-0.5, 99.5])


def test_a_camera_stands_in_the_world_or_on_the_link_that_carries_it():
    at, hand = Pose((0.0, 0.0, 1.0)), Pose((3.0, 0.0, 0.0))
    assert Camera('front', at).world_pose({}) == at
    assert Camera('wrist', at, 'hand').world_pose({'hand': hand}).position == (3.0, 0.0, 1.0)


def test_the_frame_is_named_after_the_camera():
    assert CAMERA.frame == 'front_color_optical_frame'


@pytest.mark.parametrize(
    'wrong',
    [
        {'fov': 0.0}, {'fov': pi}, {'fov': float('nan')}, {'width': 0}, {'height': -1}, {'width': 2.5}, {'near': 0.0},
        {'near': 2.0, 'far': 1.0}, {'far': float('inf')},
    ],
)  # fmt: skip
def test_a_camera_that_makes_no_picture_is_refused(wrong):
    with pytest.raises(ConfigError, match="camera 'eye'"):
        Camera('eye', Pose(), **wrong)
