"""A trajectory is checked as ros2_controllers does, and NaN never reaches a motor."""

import pytest

from vlm_bench_sim.core.command import LIMIT_SLACK, Chunk, Point, ToolPose, check_chunk, check_limits, check_points, end_ns
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.profiles import robot, robots

Q, MS = (0.1, 0.2), 1_000_000
NAN, INF = float('nan'), float('inf')


def test_a_sound_trajectory_passes():
    check_points((Point(0, Q), Point(50 * MS, Q, (0.3, 0.3)), Point(100 * MS, Q, (0.0, 0.0))), 2)
    check_points((Point(100 * MS, Q, (1e-7, 0.0)),), 2)


@pytest.mark.parametrize(
    ('points', 'words'),
    [
        ((), 'no points'),
        ((Point(MS, (0.1,)),), 'holds 1 positions'),
        ((Point(MS, (0.1, 0.2, 0.3)),), 'holds 3 positions'),
        ((Point(MS, Q, (0.1,)),), '1 velocities'),
        ((Point(MS, Q), Point(2 * MS, (0.1,))), 'Point 1'),
        ((Point(MS, (0.1, NAN)),), 'not finite'),
        ((Point(MS, (INF, 0.1)),), 'not finite'),
        ((Point(MS, Q, (NAN, 0.0)),), 'not finite'),
        ((Point(MS, Q), Point(MS, Q)), 'strictly increase'),
        ((Point(2 * MS, Q), Point(MS, Q)), 'strictly increase'),
        ((Point(-MS, Q),), 'strictly increase'),
        ((Point(MS, Q, (0.0, 0.1)),), 'last velocity must be zero'),
        ((Point(MS, Q, (0.0, 0.0)), Point(2 * MS, Q, (-0.1, 0.0))), 'last velocity must be zero'),
    ],
)
def test_a_malformed_trajectory_is_refused(points, words):
    with pytest.raises(CommandError, match=words):
        check_points(points, 2)


@pytest.mark.parametrize(('time_ns', 'expected'), [(0, 0), (1, 50 * MS), (50 * MS, 50 * MS), (50 * MS + 1, 100 * MS)])
def test_a_chunk_ends_on_a_period(time_ns, expected):
    assert end_ns(Chunk((Point(time_ns, Q),))) == expected


def test_the_pose_of_a_tool_command_is_checked_and_normalised():
    assert ToolPose(Pose((0.5, 0.0, 0.3), (0.0, 0.0, 0.0, 2.0))).pose.orientation == (0.0, 0.0, 0.0, 1.0)
    with pytest.raises(CommandError, match='finite'):
        ToolPose(Pose((NAN, 0.0, 0.3)))
    with pytest.raises(CommandError, match='other than zero'):
        ToolPose(Pose((0.5, 0.0, 0.3), (0.0, 0.0, 0.0, 0.0)))


def test_tolerances_are_one_number_from_zero_per_joint_or_none():
    points = (Point(MS, Q),)
    check_chunk(Chunk(points), 2)
    check_chunk(Chunk(points, (0.1, INF), (0.0, 0.2)), 2)
    for wrong in ((0.1,), (0.1, 0.2, 0.3), (0.1, -0.2), (NAN, 0.1)):
        with pytest.raises(CommandError, match='path tolerance'):
            check_chunk(Chunk(points, path_tolerance=wrong), 2)
        with pytest.raises(CommandError, match='goal tolerance'):
            check_chunk(Chunk(points, goal_tolerance=wrong), 2)
    with pytest.raises(CommandError, match='no points'):
        check_chunk(Chunk(()), 2)


@pytest.mark.parametrize('name', robots())
def test_a_joint_that_is_sent_beyond_its_limits_is_named_with_them(name):
    profile = robot(name)
    check_limits((Point(MS, profile.home),), profile)
    for i, (low, high) in enumerate(profile.limits):
        for limit, beyond in ((low, -2 * LIMIT_SLACK), (high, 2 * LIMIT_SLACK)):
            check_limits((Point(MS, (*profile.home[:i], limit, *profile.home[i + 1 :])),), profile)
            with pytest.raises(CommandError, match=f'Point 1 sends {profile.joints[i]} to .* rad; its limits are {low:g} and {high:g} rad'):
                check_limits((Point(MS, profile.home), Point(2 * MS, (*profile.home[:i], limit + beyond, *profile.home[i + 1 :]))), profile)


def test_a_pose_that_the_panda_takes_and_the_fr3_refuses():
    """The same chain, with the limits of the maker: joint 6 of the FR3 turns from 0.5445 to 4.5169, joint 4 from -3.0421 to -0.1518 rad."""
    panda, fr3 = robot('panda'), robot('fr3')
    home = panda.home
    low_six, high_four = (*home[:5], 0.3, home[6]), (*home[:3], -0.1, *home[4:])
    for pose, words in ((low_six, 'fr3_joint6 to 0.3 rad; its limits are 0.5445 and 4.5169'), (high_four, 'fr3_joint4 to -0.1 rad')):
        check_limits((Point(MS, pose),), panda)
        with pytest.raises(CommandError, match=words):
            check_limits((Point(MS, pose),), fr3)
