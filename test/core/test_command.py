"""A trajectory is checked as ros2_controllers does, and NaN never reaches a motor."""

import pytest

from vlm_bench_sim.core.command import Chunk, Point, ToolPose, check_chunk, check_points, end_ns
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose

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
    with pytest.raises(CommandError, match='direction'):
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
