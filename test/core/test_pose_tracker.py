"""What a tracker has seen, and how fast it moves."""

from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.pose_tracker import Accuracy, PoseTracker

MS = 1_000_000


def test_a_prop_that_moves_and_turns_has_its_velocities():
    seen = PoseTracker(patience_ns=1000 * MS)
    for i in range(40):
        t = i * 0.05
        seen.see('star', Pose.from_rpy((0.1 * t, -0.2 * t, 0.3), (0.0, 0.0, 1.5 * t)), round(t * 1e9))
    body = seen.bodies(1950 * MS)['star']
    assert body.pose.position == pytest.approx((0.195, -0.39, 0.3))
    assert body.linear == pytest.approx((0.1, -0.2, 0.0))
    assert body.angular == pytest.approx((0.0, 0.0, 1.5))


def test_the_turn_is_taken_the_short_way_whatever_the_quaternions_sign():
    seen = PoseTracker(patience_ns=1000 * MS)
    pose = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, pi - 0.01))
    seen.see('star', pose, 0)
    seen.see('star', Pose(pose.position, tuple(-v for v in Pose.from_rpy((0, 0, 0), (0, 0, pi + 0.01)).orientation)), 100 * MS)
    assert seen.bodies(100 * MS)['star'].angular == pytest.approx((0.0, 0.0, 0.2), abs=1e-6)


def test_jitter_of_a_tracker_does_not_pass_for_motion():
    """0.2 mm at 30 Hz is 6 mm/s from one pose to the next, and must be far below 5 mm/s here."""
    chance, seen = np.random.default_rng(0), PoseTracker(1000 * MS, Accuracy(2e-4))
    for i in range(90):
        seen.see('star', Pose(tuple(chance.normal(0.0, 2e-4, 3))), i * 33 * MS)
    assert np.linalg.norm(seen.bodies(89 * 33 * MS)['star'].linear) < 2.5e-3


def test_what_has_not_been_seen_for_long_is_not_seen_and_old_news_is_none():
    seen = PoseTracker(patience_ns=500 * MS)
    seen.see('star', Pose((1.0, 0.0, 0.0)), 1000 * MS)
    seen.see('star', Pose((2.0, 0.0, 0.0)), 900 * MS)
    assert seen.bodies(1400 * MS)['star'].pose.position == (1.0, 0.0, 0.0)
    assert seen.bodies(1400 * MS)['star'].linear == (0.0, 0.0, 0.0)
    assert seen.bodies(1501 * MS) == {}


def test_the_newest_pose_says_of_which_moment_a_tracker_tells():
    seen = PoseTracker(patience_ns=500 * MS)
    assert seen.newest(1000 * MS) == 1000 * MS, 'nothing is in sight'
    seen.see('star', Pose(), 800 * MS)
    seen.see('moon', Pose(), 700 * MS)
    assert seen.newest(1000 * MS) == 800 * MS
    seen.see('star', Pose(), 1100 * MS)
    assert seen.newest(1000 * MS) == 1000 * MS, 'no moment of the future, whatever the clock of the tracker says'


@pytest.mark.parametrize('size', [-0.001, float('nan'), float('inf')])
def test_an_accuracy_is_a_length_and_an_angle(size):
    with pytest.raises(ConfigError, match='from 0; found'):
        Accuracy(size)
    with pytest.raises(ConfigError, match='from 0; found'):
        Accuracy(angle=size)
