import socket
import sys

import numpy as np
import pytest

from vlm_bench_sim.core.algebra import on_grid
from vlm_bench_sim.core.command import check_points
from vlm_bench_sim.core.errors import ConfigError
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


def accelerations(chunk):
    """Accelerations of the same pieces, which change evenly from one end to the other: both ends, and the change per s."""
    q, v = (np.array([getattr(p, name) for p in chunk.points]) for name in ('positions', 'velocities'))
    begin = 6 * np.diff(q, axis=0) / PERIOD_S**2 - (4 * v[:-1] + 2 * v[1:]) / PERIOD_S
    end = -6 * np.diff(q, axis=0) / PERIOD_S**2 + (2 * v[:-1] + 4 * v[1:]) / PERIOD_S
    return np.concatenate([begin, end]), (end - begin) / PERIOD_S


def bends(seed: int) -> np.ndarray:
    return np.cumsum(np.random.default_rng(seed).uniform(-0.2, 0.4, (9, 3)), axis=0)


@pytest.mark.parametrize('speed', [1.0, 0.3])
@pytest.mark.parametrize('seed', range(8))
def test_limits_hold_at_samples_and_between(seed, speed):
    chunk = parametrise(bends(seed), VELOCITY * speed, ACCELERATION * speed)
    assert (np.abs(cubics(chunk)) <= 1.01 * VELOCITY * speed).all()
    used = np.abs(accelerations(chunk)[0]) / (ACCELERATION * speed)
    assert 0.8 < used.max() <= 1.05


def test_the_bends_of_a_path_do_not_make_it_fail():
    rng = np.random.default_rng(0)
    for _ in range(60):
        step = rng.choice([0.01, 0.05, 0.2])
        drift, noise = rng.normal(size=7) * step, rng.normal(size=(rng.integers(5, 40), 7)) * step * rng.choice([0.0, 0.1, 0.5])
        chunk = parametrise(round_corners(np.cumsum(drift + noise, axis=0)), np.full(7, 2.2), np.full(7, 2.0))
        assert np.abs(accelerations(chunk)[0]).max() <= 1.05 * 2.0


@pytest.mark.parametrize('seed', range(4))
def test_jerk_is_kept_where_it_is_limited(seed):
    pytest.importorskip('ruckig')
    jerk = np.full(3, 25.0)
    smooth, quick = parametrise(bends(seed), VELOCITY, ACCELERATION, jerk), parametrise(bends(seed), VELOCITY, ACCELERATION)
    ends, change = accelerations(smooth)
    assert np.abs(change).max() <= 1.05 * 25.0 < np.abs(accelerations(quick)[1]).max()
    assert np.abs(ends).max() <= 1.05 * 4.0 and (np.abs(cubics(smooth)) <= 1.01 * VELOCITY).all()
    jumps = np.abs(np.diff(ends.reshape(2, -1, 3)[0][1:], axis=0) - change[1:-1] * PERIOD_S)
    assert jumps.max() < 0.5 * 4.0  # the acceleration all but goes on from one piece to the next
    check_points(smooth.points, 3)
    assert smooth.points[-1].positions == tuple(map(on_grid, bends(seed)[-1]))
    assert quick.points[-1].time_ns < smooth.points[-1].time_ns < 3 * quick.points[-1].time_ns


def test_jerk_needs_no_network(monkeypatch):
    pytest.importorskip('ruckig')

    def refuse(*_args, **_keywords):
        raise AssertionError('Timing opened a socket.')

    for name in ('socket', 'create_connection', 'getaddrinfo'):
        monkeypatch.setattr(socket, name, refuse)
    parametrise(bends(0), VELOCITY, ACCELERATION, np.full(3, 25.0))


def test_jerk_without_ruckig_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'ruckig', None)
    with pytest.raises(ConfigError, match='pip install ruckig'):
        parametrise(bends(0), VELOCITY, ACCELERATION, np.full(3, 25.0))


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
