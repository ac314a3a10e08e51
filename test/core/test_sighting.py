"""A tracker errs as much as it is told to, and the same way each time."""

from math import radians

import numpy as np
import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.pose_tracker import Accuracy
from vlm_bench_sim.core.sighting import Sight, Sighting, Sightings

MS = 1_000_000
STAR = Pose.from_rpy((0.4, 0.1, 0.3), (0.1, 0.2, 0.3))


def told(sight, looks=400, seed=0):
    tracker = Sightings(sight, seed)
    return [one for i in range(looks) for one in tracker.look({'star': STAR, 'moon': Pose()}, i * 50 * MS)]


def test_an_exact_tracker_tells_at_once_what_is():
    assert told(Sight(), 2) == [Sighting(name, pose, ns) for ns in (0, 50 * MS) for name, pose in (('moon', Pose()), ('star', STAR))]


def test_noise_is_as_great_as_it_is_said_to_be():
    stars = [one.pose for one in told(Sight(Accuracy(0.002, radians(0.5)))) if one.name == 'star']
    shifts = np.array([np.subtract(pose.position, STAR.position) for pose in stars])
    assert shifts.std(axis=0) == pytest.approx([0.002] * 3, rel=0.15)
    angles = np.array([pose.angle(STAR) for pose in stars])
    assert np.sqrt((angles**2).mean()) == pytest.approx(radians(0.5) * np.sqrt(3), rel=0.15)


def test_what_is_missed_is_missed_and_what_is_late_keeps_its_time():
    sight = Sight(delay=0.1, drop_out=0.25)
    seen = told(sight)
    assert len(seen) / 800 == pytest.approx(0.75, abs=0.05)
    tracker = Sightings(Sight(delay=0.1))
    assert [tracker.look({'star': STAR}, i * 50 * MS) for i in range(2)] == [[], []]
    assert tracker.look({'star': STAR}, 100 * MS) == [Sighting('star', STAR, 0)]


def test_the_errors_of_a_thing_depend_on_the_seed_and_on_no_other_thing():
    noisy = Sight(Accuracy(0.002))
    alone = Sightings(noisy).look({'star': STAR}, 0)
    assert alone[0] in Sightings(noisy).look({'star': STAR, 'moon': Pose()}, 0)
    assert told(noisy) == told(noisy) != told(noisy, seed=1)


@pytest.mark.parametrize('wrong', [{'delay': -1.0}, {'delay': float('nan')}, {'drop_out': 1.5}, {'drop_out': float('nan')}])
def test_a_tracker_that_cannot_be_is_refused(wrong):
    with pytest.raises(ConfigError, match='found'):
        Sight(**wrong)
