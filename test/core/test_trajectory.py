"""Trajectories pass through their points, smoothly where velocities are given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.core.algebra import all_on_grid
from vlm_bench_sim.core.command import Point, check_points
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.core.trajectory import Trajectory, begun, direct

MS = 1_000_000
REST = (np.zeros(2), np.zeros(2))
values = st.tuples(*[st.floats(-2.0, 2.0)] * 2)


@st.composite
def rides(draw):
    """Points with velocities, the last at rest."""
    times = sorted(draw(st.sets(st.integers(1, 20), min_size=2, max_size=5)))
    points = [Point(100 * t * MS, draw(values), draw(values)) for t in times[:-1]]
    return (*points, Point(100 * times[-1] * MS, draw(values), (0.0, 0.0)))


@given(rides())
def test_it_passes_through_every_point_with_its_velocity(points):
    ride = Trajectory(REST, points)
    for point in points:
        position, velocity = ride.sample(point.time_ns)
        assert np.allclose(position, point.positions, atol=1e-9)
        assert np.allclose(velocity, point.velocities, atol=1e-6)
    assert ride.end_ns == points[-1].time_ns
    assert np.allclose(ride.goal, points[-1].positions)


@given(rides())
def test_velocity_has_no_jump_at_the_points(points):
    ride = Trajectory(REST, points)
    for point in points[:-1]:
        before, after = (ride.sample(point.time_ns + d)[1] for d in (-10, 10))
        assert np.allclose(before, after, atol=1e-3)


@given(rides(), st.floats(0.05, 0.95))
def test_the_velocity_is_the_slope_of_the_position(points, share):
    ride = Trajectory(REST, points)
    time = int(points[0].time_ns + share * (points[1].time_ns - points[0].time_ns))
    h = 10_000
    slope = (ride.sample(time + h)[0] - ride.sample(time - h)[0]) / (2 * h * 1e-9)
    assert np.allclose(ride.sample(time)[1], slope, atol=1e-2)


def test_it_begins_where_the_arm_is_commanded_to_be():
    ride = Trajectory((np.array([0.5, 0.6]), np.array([0.1, 0.0])), (Point(100 * MS, (1.0, 1.0), (0.0, 0.0)),))
    position, velocity = ride.sample(0)
    assert np.allclose(position, (0.5, 0.6))
    assert np.allclose(velocity, (0.1, 0.0))


def test_without_velocities_it_is_a_straight_line():
    ride = Trajectory((np.array([0.0, 1.0]), np.zeros(2)), (Point(100 * MS, (1.0, 1.0)), Point(300 * MS, (1.0, 2.0))))
    assert np.allclose(ride.sample(25 * MS)[0], (0.25, 1.0))
    assert np.allclose(ride.sample(25 * MS)[1], (10.0, 0.0))
    assert np.allclose(ride.sample(200 * MS)[0], (1.0, 1.5))


def test_a_first_point_at_zero_replaces_the_start():
    ride = Trajectory((np.array([5.0, 5.0]), np.zeros(2)), (Point(0, (0.0, 0.0)), Point(100 * MS, (1.0, 1.0))))
    assert np.allclose(ride.sample(50 * MS)[0], (0.5, 0.5))


def test_after_the_end_it_stands_still():
    ride = Trajectory(REST, (Point(100 * MS, (1.0, 1.0)),))
    for time in (101 * MS, 5_000 * MS):
        position, velocity = ride.sample(time)
        assert np.allclose(position, 1.0)
        assert not velocity.any()


def test_at_its_end_it_has_the_velocity_with_which_it_comes():
    straight = Trajectory(REST, (Point(100 * MS, (1.0, -1.0)),))
    assert straight.sample(100 * MS)[0].tolist() == [1.0, -1.0]
    assert np.allclose(straight.sample(100 * MS)[1], (10.0, -10.0)), 'so that another may join on in motion'
    braked = Trajectory(REST, (Point(100 * MS, (1.0, -1.0), (0.0, 0.0)),))
    assert braked.sample(100 * MS)[0].tolist() == [1.0, -1.0]
    assert not braked.sample(100 * MS)[1].any()


@given(values, values)
def test_the_direct_chunk_keeps_the_limits_and_is_the_shortest_that_does(start, goal):
    limits = (1.0, 2.0)
    (point,) = direct(np.array(start), goal, limits).points
    check_points((point,), 2)
    seconds = point.time_ns * 1e-9
    assert point.positions == all_on_grid(goal)
    assert point.time_ns % PERIOD_NS == 0
    need = max(abs(g - s) / v for g, s, v in zip(goal, start, limits, strict=True))
    assert need - 1e-9 <= seconds <= max(0.05, need + 0.05)


def test_where_the_arm_is_already_takes_one_period():
    assert direct(np.zeros(2), (0.0, 0.0), (1.0, 1.0)).points == (Point(PERIOD_NS, (0.0, 0.0)),)


def test_sampling_between_points_needs_no_velocity_at_one_end():
    """A point without velocities makes both segments beside it straight."""
    ride = Trajectory(REST, (Point(100 * MS, (1.0, 0.0)), Point(200 * MS, (1.0, 1.0), (0.0, 0.0))))
    assert np.allclose(ride.sample(150 * MS)[0], (1.0, 0.5))
    assert ride.sample(50 * MS)[0] == pytest.approx([0.5, 0.0])


@given(rides(), st.integers(0, 1000))
def test_one_that_begins_later_reaches_its_points_later(points, wait):
    later = begun(points, wait * MS)
    assert [p.time_ns - q.time_ns for p, q in zip(later, points, strict=True)] == [wait * MS] * len(points)
    assert [(p.positions, p.velocities) for p in later] == [(q.positions, q.velocities) for q in points]


@given(rides(), st.booleans(), st.floats(0.0, 1.0))
def test_one_that_has_begun_goes_on_where_it_is_by_now(points, smooth, share):
    points = points if smooth else tuple(Point(p.time_ns, p.positions) for p in points)
    passed = int(share * points[-1].time_ns)
    whole, rest = Trajectory(REST, points), Trajectory(REST, begun(points, -passed))
    assert rest.end_ns == whole.end_ns - passed
    for time in range(max(passed, points[0].time_ns), whole.end_ns, 37 * MS):
        assert np.allclose(rest.sample(time - passed)[0], whole.sample(time)[0], atol=2e-6)  # points are rounded
