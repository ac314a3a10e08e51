import numpy as np
import pytest

from vlm_bench_sim.core.geometry import Pose, interpolated
from vlm_bench_sim.motion import planning
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.planning import Route, straight

DOWN = (np.pi, 0.0, 0.0)


@pytest.fixture(scope='module')
def walled(kinematics, make_prop):
    """A wall between two places of the tool, and arm positions at them."""
    wall = make_prop('wall', 'cube', (0.3, 0.04, 0.3), 0.5, 0.0)
    scene = CollisionModel(kinematics).scene([wall], opening=0.08)
    seed = np.asarray(kinematics.profile.home)
    ends = [kinematics.solve(Pose.from_rpy((0.5, y, 0.1), DOWN), seed) for y in (-0.25, 0.25)]
    return scene.checker(0.005), ends


def test_a_wall_blocks_the_straight_line_in_joint_space(kinematics, walled):
    checker, (start, goal) = walled
    assert checker.free(start) and checker.free(goal)
    assert Route(kinematics, checker).direct(start, goal) is None


def test_a_way_around_the_wall_is_found_and_every_point_of_it_is_free(kinematics, walled):
    checker, (start, goal) = walled
    knots = Route(kinematics, checker).around(start, goal, seed=3, room=1.0)
    assert np.array_equal(knots[0], start) and np.array_equal(knots[-1], goal)
    assert Route(kinematics, checker).clear(knots)
    assert max(kinematics.tool_pose(q).position[2] for q in knots) > 0.25  # over the wall


def test_the_same_seed_finds_the_same_way_and_another_seed_another(kinematics, walled):
    checker, (start, goal) = walled
    route = Route(kinematics, checker)
    first, other, again = (route.around(start, goal, seed, 1.0) for seed in (3, 4, 3))
    assert np.array_equal(first, again)
    assert first.shape != other.shape or not np.allclose(first, other)


def test_the_search_stops_on_a_count_of_checks(kinematics, walled, monkeypatch):
    checker, (start, goal) = walled
    monkeypatch.setattr(planning, '_BUDGET', 60)
    counts = []
    for _ in range(2):
        checker.checks = 0
        assert Route(kinematics, checker).around(start, goal, 3, 1.0) is None
        counts.append(checker.checks)
    assert counts[0] == counts[1] and 60 <= counts[0] < 150


def test_a_blocked_end_has_no_way(kinematics, walled):
    checker, (start, _) = walled
    inside = kinematics.solve(Pose.from_rpy((0.5, 0.0, 0.1), DOWN), start)
    assert Route(kinematics, checker).around(start, inside, 3, 1.0) is None


def test_straight_keeps_to_the_line_and_turns_evenly(kinematics, home):
    start = kinematics.solve(Pose.from_rpy((0.5, -0.1, 0.2), DOWN), home)
    target = Pose.from_rpy((0.55, 0.1, 0.05), (np.pi, 0.1, 0.6))
    knots = straight(kinematics, start, target)
    origin = kinematics.tool_pose(start)
    for i, q in enumerate(knots):
        share = i / (len(knots) - 1)
        pose = kinematics.tool_pose(q)
        line = np.asarray(origin.position) + share * (np.asarray(target.position) - np.asarray(origin.position))
        assert pose.position == pytest.approx(tuple(line), abs=1e-4)
        assert origin.angle(pose) == pytest.approx(share * origin.angle(target), abs=1e-3)


def test_straight_gives_up_where_the_arm_ends(kinematics, home):
    start = kinematics.solve(Pose.from_rpy((0.5, 0.0, 0.2), DOWN), home)
    assert straight(kinematics, start, Pose.from_rpy((1.2, 0.0, 0.2), DOWN)) is None


def test_interpolation_takes_the_short_way_round():
    a = Pose.from_rpy((0, 0, 0), (0, 0, 0.2))
    b = Pose.from_rpy((0, 0, 1), (0, 0, -0.2))
    for other in (b, Pose(b.position, tuple(-v for v in b.orientation))):
        middle = interpolated(a, other, 0.5)
        assert middle.angle(Pose()) < 1e-9 and middle.position == (0.0, 0.0, 0.5)
