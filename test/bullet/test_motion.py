"""The arm follows, judges and stops like a joint trajectory controller, the gripper like a gripper action."""

from dataclasses import replace

import numpy as np
import pytest
from stage import PROFILE, busy, finish, prop, steps

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Chunk, Joints, Point, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import CommandError, SceneError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.core.trajectory import Trajectory, direct

HOME = np.asarray(PROFILE.home)
GOAL = tuple((HOME + 0.3).tolist())
CHUNK = direct(HOME, GOAL, PROFILE.velocity)
NAN = float('nan')


@pytest.fixture
def empty(world):
    world.load(Scene(()))
    return world


def smooth(goal, seconds: float) -> Chunk:
    """Rest to rest in one cubic."""
    return Chunk((Point(round(seconds * 1e9), tuple(map(float, goal)), (0.0,) * 7),))


def arm(snapshot) -> np.ndarray:
    return np.asarray(snapshot.arm(PROFILE.joints))


def test_the_arm_follows_a_chunk_and_ends_within_the_profiles_tolerance(empty):
    chunk = smooth(GOAL, 1.0)
    film = finish(empty, chunk)
    ride = Trajectory((HOME, np.zeros(7)), chunk.points)
    errors = [np.abs(arm(s) - ride.sample((i + 1) * PERIOD_NS)[0]).max() for i, s in enumerate(film)]
    assert empty.arm is MotionState.SUCCEEDED
    assert 20 <= len(film) <= 22
    assert max(errors) < 0.03
    assert np.abs(arm(film[-1]) - GOAL).max() <= PROFILE.goal_tolerance


def test_joints_are_reached_as_fast_as_the_limits_allow(empty):
    """The slowest joint needs 0.3 / 2.175 s, which is three periods."""
    film = finish(empty, Joints(GOAL))
    assert empty.arm is MotionState.SUCCEEDED
    assert 3 <= len(film) <= 6
    assert np.abs(arm(film[-1]) - GOAL).max() <= PROFILE.goal_tolerance
    assert empty.commanded == pytest.approx(GOAL)


def test_leaving_the_path_ends_the_motion_and_the_arm_holds_there(empty):
    film = finish(empty, replace(CHUNK, path_tolerance=(1e-4,) * 7))
    assert empty.arm is MotionState.PATH_TOLERANCE
    assert len(film) < 3
    where = arm(film[-1])
    assert empty.commanded == pytest.approx(tuple(where))
    assert np.abs(arm(steps(empty, 10)[-1]) - where).max() < 0.05


def test_a_wide_path_tolerance_is_kept(empty):
    finish(empty, replace(smooth(GOAL, 1.0), path_tolerance=(0.1,) * 7))
    assert empty.arm is MotionState.SUCCEEDED


def test_an_arm_that_is_blocked_does_not_come_to_its_goal(world):
    """A wall that does not give way stands between the hand and its goal; the controller gives up after the goal time."""
    world.load(Scene((prop('wall', x=0.35, y=0.2, size=(0.3, 0.04, 0.8), fixed=True),)))
    film = finish(world, Joints((0.8, *PROFILE.home[1:])))
    assert world.arm is MotionState.GOAL_TOLERANCE
    assert film[-1].touches('robot', 'wall')
    ends = direct(HOME, (0.8, *PROFILE.home[1:]), PROFILE.velocity).points[-1].time_ns + round(PROFILE.goal_time * 1e9)
    assert len(film) == ends // PERIOD_NS


def test_the_goal_time_of_the_chunk_counts(empty):
    film = finish(empty, replace(CHUNK, goal_tolerance=(1e-9,) * 7, goal_time_ns=2 * PERIOD_NS))
    assert empty.arm is MotionState.GOAL_TOLERANCE
    assert len(film) == CHUNK.points[-1].time_ns // PERIOD_NS + 2


def test_a_stop_holds_the_arm_where_it_is_commanded_to_be(empty):
    empty.apply(Joints((0.6, *PROFILE.home[1:])))
    empty.apply(Grip(0.0))
    steps(empty, 3)
    empty.apply(Stop())
    assert (empty.arm, empty.gripper) == (MotionState.STOPPED, MotionState.STOPPED)
    where, opening = empty.commanded, empty.snapshot.opening
    assert 0.1 < where[0] < 0.5
    later = steps(empty, 20)
    assert empty.commanded == where
    assert all(np.abs(arm(s) - where).max() < 0.005 for s in later[2:])
    assert all(abs(s.opening - opening) < 1e-3 for s in later)


def test_a_second_chunk_replaces_the_first(empty):
    empty.apply(Joints((0.6, *PROFILE.home[1:])))
    steps(empty, 2)
    film = finish(empty, smooth(GOAL, 0.5))
    assert empty.arm is MotionState.SUCCEEDED
    assert np.abs(arm(film[-1]) - GOAL).max() <= PROFILE.goal_tolerance


def test_the_same_motion_does_not_end_before_its_last_point(empty):
    """Arm already there: the chunk still takes its time."""
    assert len(finish(empty, smooth(HOME, 0.4))) == 8


@pytest.mark.parametrize(('opening', 'state'), [(0.0, MotionState.SUCCEEDED), (0.04, MotionState.SUCCEEDED), (0.08, MotionState.SUCCEEDED)])
def test_the_gripper_arrives_where_nothing_is_between(empty, opening, state):
    film = finish(empty, Grip(opening))
    assert empty.gripper is state
    assert film[-1].opening == pytest.approx(opening, abs=1e-3)


def test_the_gripper_moves_at_its_speed(empty):
    """8 cm at 0.1 m/s take 16 periods."""
    assert 16 <= len(finish(empty, Grip(0.0))) <= 19


@pytest.mark.parametrize(
    'grip', [Grip(-0.01), Grip(0.081), Grip(0.04, force=-1.0), Grip(0.04, force=71.0), Grip(NAN), Grip(0.04, force=NAN)]
)
def test_a_grip_out_of_range_is_refused_and_nothing_moves(empty, grip):
    before = empty.state_hash()
    with pytest.raises(CommandError, match='out of range'):
        empty.apply(grip)
    assert empty.gripper is MotionState.IDLE
    assert empty.state_hash() == before


@pytest.mark.parametrize('command', [Chunk((Point(PERIOD_NS, (0.0,) * 6),)), Chunk(()), Joints((NAN,) * 7), Joints((0.0,) * 6)])
def test_a_malformed_motion_is_refused_and_nothing_moves(empty, command):
    with pytest.raises(CommandError):
        empty.apply(command)
    assert empty.arm is MotionState.IDLE
    assert empty.save().log == ()


@pytest.mark.parametrize('tolerance', ['path_tolerance', 'goal_tolerance'])
def test_a_tolerance_of_another_length_is_refused(empty, tolerance):
    with pytest.raises(CommandError, match='7'):
        empty.apply(replace(CHUNK, **{tolerance: (0.1,) * 3}))


@pytest.mark.parametrize('command', [ToolPose(Pose((0.5, 0.0, 0.3))), Wait(1.0)])
def test_what_needs_a_planner_or_a_clock_is_refused(empty, command):
    with pytest.raises(CommandError, match=type(command).__name__):
        empty.apply(command)


def test_a_world_without_a_scene_says_so():
    world = BulletWorld(PROFILE)
    for ask in (world.step, world.state_hash, world.save, lambda: world.snapshot, lambda: world.arm, lambda: world.apply(Stop())):
        with pytest.raises(WorldError, match='load'):
            ask()
    world.close()
    world.close()


def test_the_robot_starts_as_the_scene_says(world):
    first = world.load(Scene((), robot=RobotStart(GOAL, 0.03)))
    assert np.abs(arm(first) - GOAL).max() < 1e-3
    assert first.opening == pytest.approx(0.03, abs=1e-3)
    assert (first.seq, first.step) == (0, 0)
    assert not busy(world)


def test_time_is_counted_in_steps(empty):
    assert [(s.seq, s.step) for s in steps(empty, 3)] == [(1, 12), (2, 24), (3, 36)]


def test_placing_an_unknown_prop_names_near_ones(world):
    world.load(Scene((prop('object_1'),)))
    with pytest.raises(SceneError, match='object_1'):
        world.place('object_2', Pose())
    assert state_hash(world.snapshot) == world.state_hash()
