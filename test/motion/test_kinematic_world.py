"""The kinematic world: a World as far as its robot goes."""

import numpy as np
import pytest

from vlm_bench_sim.core.command import Chunk, Joints, Point, Stop, ToolPose
from vlm_bench_sim.core.errors import CommandError, ConfigError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.core.trajectory import Trajectory
from vlm_bench_sim.motion.kinematic_world import KinematicWorld
from vlm_bench_sim.profiles import robot, robots

PANDA = robot('panda')
HOME = np.asarray(PANDA.home)
GOAL = tuple((HOME + 0.3).tolist())
STILL = (0.0,) * 7
MOVE = Chunk((Point(1_000_000_000, GOAL, STILL),))


def loaded(speed: float = 1.0) -> World:
    world = KinematicWorld(PANDA, speed)
    world.load(Scene(()))
    return world


def finish(world: World) -> list:
    film = []
    while MotionState.RUNNING in (world.arm, world.gripper) and len(film) < 400:
        film.append(world.step())
    return film


def test_the_arm_is_where_the_trajectory_says_at_every_period():
    world = loaded()
    world.apply(MOVE)
    film = finish(world)
    ride = Trajectory((HOME, np.zeros(7)), MOVE.points)
    assert world.arm is MotionState.SUCCEEDED
    assert len(film) == 20
    for i, snapshot in enumerate(film):
        assert snapshot.arm(PANDA.joints) == tuple(ride.sample((i + 1) * PERIOD_NS)[0])
    assert film[-1].seq == 20
    assert film[-1].step == 240


def test_an_arm_that_lags_leaves_the_path_and_holds_where_it_is():
    world = loaded(speed=0.05)
    world.apply(Chunk(MOVE.points, path_tolerance=(0.05,) * 7))
    held = finish(world)[-1].arm(PANDA.joints)
    assert world.arm is MotionState.PATH_TOLERANCE
    assert world.commanded == held
    assert world.step().arm(PANDA.joints) == held


def test_a_goal_that_is_not_met_in_time_is_given_up():
    world = loaded(speed=0.05)
    world.apply(MOVE)
    finish(world)
    assert world.arm is MotionState.GOAL_TOLERANCE


def test_no_joint_passes_its_limits():
    world = loaded()
    near, high = (2.8, *GOAL[1:]), PANDA.limits[0][1]  # the cubic below swings out to 3.1 rad
    with pytest.raises(CommandError, match='panda_joint1'):
        world.apply(Chunk((Point(5_000_000_000, (9.0, *GOAL[1:])),)))
    world.apply(Chunk((Point(2_000_000_000, near, (2.0, *STILL[1:])), Point(3_000_000_000, near, STILL))))
    assert max(seen.arm(PANDA.joints)[0] for seen in finish(world)) == pytest.approx(high, abs=1e-9)
    assert world.arm is MotionState.SUCCEEDED


def test_holding_stops_the_arm_at_once_and_leaves_the_fingers():
    world = loaded()
    world.apply(MOVE)
    world.apply(Grip(0.0))
    for _ in range(5):
        now = world.step()
    world.hold_arm()
    after = finish(world)[-1]
    assert (world.arm, world.gripper) == (MotionState.STOPPED, MotionState.SUCCEEDED)
    assert after.arm(PANDA.joints) == now.arm(PANDA.joints)
    assert after.opening == 0.0


def test_the_fingers_move_at_their_speed_and_what_is_out_of_range_is_refused():
    world = loaded()
    world.apply(Grip(0.02))
    film = finish(world)
    assert film[-1].opening == pytest.approx(0.02)
    assert film[0].opening == pytest.approx(PANDA.gripper.max_opening - PANDA.gripper.speed * 0.05)
    for command in (Grip(1.0), Seal(on=True), ToolPose(Pose())):
        with pytest.raises(CommandError):
            world.apply(command)


def test_suction_is_heard_and_finds_nothing():
    world = KinematicWorld(robot('ur5e'))
    world.load(Scene(()))
    world.apply(Seal(on=True))
    finish(world)
    assert world.gripper is MotionState.SUCCEEDED
    with pytest.raises(CommandError, match='Seal'):
        world.apply(Grip(0.0))


@pytest.mark.parametrize('name', robots())
def test_every_robot_starts_where_the_scene_says_and_goes_where_it_is_told(name):
    profile = robot(name)
    world = KinematicWorld(profile)
    start = tuple(q - 0.1 for q in profile.home)
    assert world.load(Scene((), robot=RobotStart(start))).arm(profile.joints) == start
    world.apply(Joints(profile.home))
    assert finish(world)[-1].arm(profile.joints) == pytest.approx(profile.home, abs=1e-12)
    before = world.state_hash()
    world.apply(Stop())
    world.step()
    assert world.state_hash() != before, 'it came to rest'


def test_a_world_without_a_scene_and_an_arm_without_speed_are_refused():
    with pytest.raises(WorldError, match='load'):
        KinematicWorld(PANDA).step()
    with pytest.raises(ConfigError, match='velocity limits above 0'):
        KinematicWorld(PANDA, 0.0)
