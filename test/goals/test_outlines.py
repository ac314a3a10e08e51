"""Outlines seen from above: how far two of them are from each other."""

from math import hypot, pi

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.goals.outlines import gap, rectangle


@pytest.mark.parametrize(
    ('width', 'x', 'y', 'yaw', 'apart'),
    [
        (0.2, 0.0, 0.0, 0.0, 0.0),
        (0.1, 0.0, 0.0, pi / 4, 0.0),  # one lies within the other
        (0.2, 0.29, 0.0, 0.0, 0.0),
        (0.2, 0.30, 0.0, 0.0, 0.0),  # side by side
        (0.2, 0.35, 0.0, 0.0, 0.05),
        (0.2, 0.35, 0.04, pi / 2, 0.10),
        (0.2, 0.34, 0.23, 0.0, hypot(0.04, 0.08)),  # corner to corner
        (0.1, 0.23 + 0.05 * 2**0.5, 0.0, pi / 4, 0.03),  # a corner that points at a side
    ],
)
def test_the_gap_is_the_least_distance_between_two_outlines(width, x, y, yaw, apart):
    large, small = rectangle((0.4, 0.2), Pose()), rectangle((width, 0.1), Pose.from_rpy((x, y, 0.0), (0.0, 0.0, yaw)))
    assert gap(large, small) == pytest.approx(apart, abs=1e-9)
    assert gap(small, large) == pytest.approx(apart, abs=1e-9)
