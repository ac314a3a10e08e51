"""Rest: small velocities, or next to no movement whatever the velocity says."""

from math import radians

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.rest import REST, Calm
from vlm_bench_sim.core.snapshot import Body

HERE = Pose((0.5, 0.1, 0.02))
LEAPING = {'linear': (1.0, 0.0, 0.0), 'angular': (0.0, 0.0, 5.0)}


@pytest.mark.parametrize(
    ('motion', 'still'),
    [
        ({'linear': (0.0, 0.0049, 0.0)}, True),
        ({'linear': (0.0, 0.0051, 0.0)}, False),
        ({'angular': (0.049, 0.0, 0.0)}, True),
        ({'angular': (0.051, 0.0, 0.0)}, False),
    ],
)
def test_a_small_velocity_is_rest_wherever_it_was_before(motion, still):
    assert REST.lies_still(Body(HERE, **motion), None, 0.05) is still
    assert REST.lies_still(Body(HERE, **motion), Body(HERE.shifted((1.0, 0.0, 0.0))), 0.05) is still


@pytest.mark.parametrize(
    ('now', 'still'),
    [
        (HERE, True),
        (HERE.shifted((0.0, 0.00024, 0.0)), True),
        (HERE.shifted((0.0, 0.00026, 0.0)), False),
        (Pose.from_rpy(HERE.position, (0.0, 0.0024, 0.0)), True),
        (Pose.from_rpy(HERE.position, (0.0, 0.0026, 0.0)), False),
    ],
)
def test_what_has_hardly_moved_since_the_period_before_rests_whatever_speed_is_reported(now, still):
    assert REST.lies_still(Body(now, **LEAPING), Body(HERE), 0.05) is still


def test_the_way_counts_by_the_time_it_took():
    moved = Body(HERE.shifted((0.001, 0.0, 0.0)), **LEAPING)
    assert not REST.lies_still(moved, Body(HERE), 0.05)
    assert REST.lies_still(moved, Body(HERE), 0.25)
    assert not REST.lies_still(Body(HERE, **LEAPING), Body(HERE), 0.0)


def test_a_calm_has_limits_of_its_own():
    turning = Body(HERE, angular=(0.0, 0.0, radians(2.0)))
    assert REST.lies_still(turning, None, 0.05)
    assert not Calm(0.005, radians(1.0)).lies_still(turning, None, 0.05)
