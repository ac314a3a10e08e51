import numpy as np
import pytest

from vlm_bench_sim.core.command import check_points
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.parametrisation import curve, parametrise, round_corners

VELOCITY, ACCELERATION = np.full(3, 2.0), np.full(3, 4.0)


def cubics(chunk):
    """Velocities of the cubic Hermite pieces between samples, as a joint trajectory controller runs them."""
    q, v = (np.array([getattr(p, name) for p in chunk.points]) for name in ('positions', 'velocities'))
    u = np.linspace(0, 1, 41)[:, None, None]
    return (6 * u * u - 6 * u) * (q[:-1] - q[1:]) / PERIOD_S + (3 * u * u - 4 * u + 1) * v[:-1] + (3 * u * u - 2 * u) * v[1:]


def test_one_joint_takes_the_time_of_a_trapezium():
    # 2 m at 2 m/s and 4 m/s²: 0.5 s up, 0.5 s down, 0.5 s between; 1 % is kept in hand; up to the next 50 ms.
    chunk = parametrise(np.linspace([0, 0, 0], [2, 0, 0], 6), VELOCITY, ACCELERATION)
    assert 1.5 <= chunk.points[-1].time_ns / 1e9 <= 1.55
    assert chunk.points[-1].time_ns % PERIOD_NS == 0


def test_sampled_once_a_period_at_rest_at_both_ends_exactly_there():
    knots = np.array([[0, 0, 0], [0.3, 0.1, 0], [0.5, 0.5, -0.2], [0.7, 0.9, 0.1]])
    chunk = parametrise(knots, VELOCITY, ACCELERATION)
    check_points(chunk.points, 3)
    assert [p.time_ns for p in chunk.points] == [i * PERIOD_NS for i in range(len(chunk.points))]
    assert chunk.points[0].positions == tuple(knots[0]) and chunk.points[-1].positions == tuple(knots[-1])
    assert chunk.points[0].velocities == chunk.points[-1].velocities == (0, 0, 0)


@pytest.mark.parametrize('speed', [1.0, 0.3])
@pytest.mark.parametrize('seed', range(5))
def test_limits_hold_at_samples_and_between(seed, speed):
    knots = np.cumsum(np.random.default_rng(seed).uniform(-0.2, 0.4, (9, 3)), axis=0)
    chunk = parametrise(knots, VELOCITY * speed, ACCELERATION * speed)
    assert (np.abs(cubics(chunk)) <= 1.01 * VELOCITY * speed).all()
    change = np.diff([p.velocities for p in chunk.points], axis=0) / PERIOD_S
    assert (np.abs(change) <= 1.01 * ACCELERATION * speed).all()
    assert (np.abs(change) / (ACCELERATION * speed)).max() > 0.8  # and are used


def test_half_the_speed_takes_longer():
    knots = np.linspace([0, 0, 0], [1, -1, 0.5], 6)
    slow, fast = (parametrise(knots, VELOCITY * s, ACCELERATION * s).points[-1].time_ns for s in (0.5, 1.0))
    assert slow > 1.3 * fast


def test_a_path_of_no_length_rests_one_period():
    chunk = parametrise(np.zeros((5, 3)), VELOCITY, ACCELERATION)
    assert [p.time_ns for p in chunk.points] == [0, PERIOD_NS]


def test_rounding_keeps_ends_and_straights_and_cuts_corners_little():
    corner = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [3, 1, 0], [3, 2, 0], [3, 3, 0]], dtype=float)
    points = curve(round_corners(corner))(np.linspace(0, 6, 601))
    assert points[0] == pytest.approx(corner[0]) and points[-1] == pytest.approx(corner[-1])
    assert np.abs(points[points[:, 0] < 1.9][:, 1]).max() < 1e-9  # straight until one spacing before the corner
    assert 0.05 < np.linalg.norm(points - corner[3], axis=1).min() < 1 / 3
    assert points.max() <= 3 + 1e-9
