"""Twists and pose targets on every robot: they are followed, within every limit, and end before anything is touched."""

from math import pi

import numpy as np
import pinocchio as pin
import pytest

from vlm_bench_sim.core.geometry import ZERO, Pose
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.servo import HALT, Servo, State, Status, Twist
from vlm_bench_sim.profiles import robot, robots

DOWN = Pose.from_rpy((0.45, 0.0, 0.3), (pi, 0.0, 0.0))
ANY = pytest.mark.parametrize('name', robots())


class Driver:
    """An arm that is where it was sent, one period a message."""

    def __init__(self, name: str, start: Pose | None = None) -> None:
        self.kinematics = Kinematics(robot(name))
        self.collision = CollisionModel(self.kinematics)
        self.servo, self.profile = Servo(self.collision), robot(name)
        arm = np.asarray(self.profile.home)
        if start is not None:
            arm = self.kinematics.inverse(start, arm, np.random.default_rng(0))[0]
        self.opening = self.profile.gripper.max_opening
        self.states = [State(arm, np.zeros(len(arm)))]
        self.statuses: list[Status] = []

    @property
    def arm(self) -> np.ndarray:
        return self.states[-1].positions

    @property
    def tool(self) -> Pose:
        return self.kinematics.tool_pose(self.arm)

    def follow(self, aim: Twist | Pose, periods: int) -> list[Pose]:
        """Send a message for each period and return the tool's poses."""
        poses = [self.tool]
        for _ in range(periods):
            course = self.servo.course(self.states[-1], aim, opening=self.opening)
            self.statuses.append(course.status)
            self.states.append(course.at(PERIOD_NS))
            poses.append(self.tool)
        return poses

    def touched(self) -> set:
        scene = self.collision.scene(opening=self.opening)
        return {pair for state in self.states for pair in scene.contacts(state.positions, 0.0)}

    def condition(self) -> float:
        return float(np.linalg.cond(self.kinematics.tool_motion(self.arm)[1]))


def moved(poses: list[Pose]) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean velocity, m/s, and turning, rad/s, after the arm has got going."""
    first, last = poses[6], poses[-1]
    seconds = PERIOD_S * (len(poses) - 7)
    turn = pin.log3(last.rotation @ first.rotation.T)
    return np.subtract(last.position, first.position) / seconds, turn / seconds


@ANY
@pytest.mark.parametrize('direction', [(-1, 0, 0), (0, 1, 0), (0, 0, -1), (1, -1, 1)])
def test_a_translation_is_followed_within_5_percent_and_does_not_turn(name, direction):
    wanted = 0.06 * np.asarray(direction) / np.linalg.norm(direction)
    velocity, turning = moved(Driver(name).follow(Twist(tuple(wanted), ZERO), 26))
    assert np.linalg.norm(velocity - wanted) < 0.05 * 0.06
    assert np.linalg.norm(turning) < 0.01


@ANY
@pytest.mark.parametrize('axis', [(1, 0, 0), (0, 1, 0), (0, 0, -1)])
def test_a_turn_is_followed_within_5_percent_and_the_tool_stays_where_it_is(name, axis):
    wanted = 0.2 * np.asarray(axis)
    driver = Driver(name)
    poses = driver.follow(Twist(ZERO, tuple(wanted)), 26)
    velocity, turning = moved(poses)
    assert np.linalg.norm(turning - wanted) < 0.05 * 0.2
    assert poses[-1].distance(poses[0]) < 0.002
    assert np.linalg.norm(velocity) < 0.002


@ANY
@pytest.mark.parametrize('size', [1.0, 1e6, 1e300])
def test_whatever_is_asked_for_the_limits_are_kept_and_the_direction_at_first(name, size):
    driver = Driver(name, DOWN)
    poses = driver.follow(Twist((0.0, 0.6 * size, 0.8 * size), ZERO), 40)
    speeds = np.array([state.velocities for state in driver.states])
    assert np.isfinite(speeds).all()
    assert (np.abs(speeds) <= np.asarray(driver.profile.velocity) * 1.0001).all()
    assert (np.abs(np.diff(speeds, axis=0)) <= np.asarray(driver.profile.acceleration) * PERIOD_S * 1.0001).all()
    way = np.subtract(poses[3].position, poses[0].position)
    assert way @ (0.0, 0.6, 0.8) > 0.99 * np.linalg.norm(way) > 1e-3
    assert all(driver.kinematics.limit_margin(state.positions) >= 0 for state in driver.states)


@ANY
def test_it_ends_before_the_table_and_may_leave_again(name):
    driver = Driver(name, DOWN)
    driver.follow(Twist((0.0, 0.0, -0.3), ZERO), 80)
    assert driver.statuses[-1] is Status.HALT_FOR_COLLISION
    assert Status.DECELERATE_FOR_COLLISION in driver.statuses
    assert driver.states[-1].rests
    assert driver.touched() == set()
    assert driver.tool.position[2] < 0.03, 'it comes near'
    low = driver.tool.position[2]
    driver.follow(Twist((0.0, 0.0, 0.1), ZERO), 20)
    assert driver.tool.position[2] > low + 0.05


@ANY
def test_it_ends_before_the_robot_itself(name):
    driver = Driver(name, DOWN)
    driver.follow(Twist((-0.3, 0.0, -0.05), ZERO), 120)
    assert driver.touched() == set()
    assert driver.states[-1].rests or np.abs(driver.states[-1].velocities).max() < 0.05
    assert driver.statuses[-1] is not Status.NO_WARNING


def test_what_touches_already_comes_no_nearer_however_often_it_is_asked():
    driver = Driver('panda', DOWN)
    driver.follow(Pose((0.45, 0.0, 0.012), DOWN.orientation), 80)
    near = driver.kinematics.inverse(driver.tool.shifted((0.0, 0.0, -0.004)), driver.arm, np.random.default_rng(0))[0]
    driver.states = [State(near, np.zeros(7))]
    low = driver.tool.position[2]
    driver.follow(Twist((0.0, 0.0, -0.1), ZERO), 100)
    assert low - 0.0015 < driver.tool.position[2] <= low + 1e-4
    assert driver.touched() == set()


@ANY
def test_a_joint_limit_is_neared_gently_and_never_passed(name):
    driver = Driver(name, DOWN)
    for _ in range(2):
        driver.follow(Twist(ZERO, (0.0, 0.0, 1.5)), 160)
    assert min(driver.kinematics.limit_margin(state.positions) for state in driver.states) >= 0.0
    assert driver.statuses[-1] is Status.JOINT_BOUND
    assert np.abs(driver.states[-1].velocities).max() < 0.02
    there = driver.tool
    driver.follow(Twist(ZERO, (0.0, 0.0, -0.5)), 20)
    assert driver.tool.angle(there) > 0.2, 'the way back is free'


@ANY
def test_it_ends_before_a_singularity_and_may_leave_again(name):
    driver = Driver(name, DOWN.shifted((0.0, 0.0, 0.2)))
    worst = driver.condition()
    for _ in range(120):
        driver.follow(Twist((0.3, 0.0, 0.0), ZERO), 1)
        worst = max(worst, driver.condition())
    assert worst <= HALT * 1.001
    assert {Status.DECELERATE_FOR_APPROACHING_SINGULARITY, Status.JOINT_BOUND} & set(driver.statuses)
    assert np.abs(driver.states[-1].velocities).max() < 0.05
    x = driver.tool.position[0]
    assert x > 0.5
    driver.follow(Twist((-0.1, 0.0, 0.0), ZERO), 20)
    assert driver.tool.position[0] < x - 0.05


@ANY
def test_a_pose_is_come_to_and_kept(name):
    driver = Driver(name, DOWN)
    target = DOWN.shifted((0.05, 0.1, -0.1)) @ Pose.from_rpy(ZERO, (0.0, 0.1, 0.5))
    poses = driver.follow(target, 80)
    assert poses[-1].distance(target) < 2e-4
    assert poses[-1].angle(target) < 5e-4
    assert driver.states[-1].rests or np.abs(driver.states[-1].velocities).max() < 1e-3
    assert max(pose.distance(DOWN) for pose in poses) < DOWN.distance(target) + 0.01, 'it does not swing past'


def test_a_pose_within_a_period_is_there_soon():
    driver = Driver('panda', DOWN)
    poses = driver.follow(DOWN.shifted((0.002, 0.0, 0.0)), 4)
    assert poses[-1].distance(DOWN.shifted((0.002, 0.0, 0.0))) < 2e-4


@ANY
def test_a_halt_brakes_within_the_limits_along_the_way(name):
    driver = Driver(name, DOWN)
    driver.follow(Twist((0.0, 0.3, 0.0), ZERO), 15)
    moving = driver.states[-1]
    course = driver.servo.halt(moving)
    speeds = np.array([moving.velocities, *(state.velocities for state in course.states)])
    assert not moving.rests and course.states[-1].rests
    assert (np.abs(np.diff(speeds, axis=0)) <= np.asarray(driver.profile.acceleration) * PERIOD_S * 1.0001).all()
    end = driver.kinematics.tool_pose(course.states[-1].positions)
    way = np.subtract(end.position, driver.tool.position)
    assert way[1] > 0.9 * np.linalg.norm(way) > 0
    assert driver.servo.halt(course.states[-1]).states == ()


def test_a_course_is_known_at_any_time():
    driver = Driver('ur5e', DOWN)
    course = driver.servo.course(driver.states[0], Twist((0.0, 0.2, 0.0), ZERO), opening=0.0, periods=2)
    for i, state in enumerate(course.states):
        assert np.allclose(course.at((i + 1) * PERIOD_NS).positions, state.positions)
    assert np.allclose(course.at(0).positions, course.start.positions)
    between = course.at(PERIOD_NS + PERIOD_NS // 2).positions
    low, high = np.sort([course.states[0].positions, course.states[1].positions], axis=0)
    assert ((between >= low - 1e-12) & (between <= high + 1e-12)).all()
    after = course.at(100 * PERIOD_NS)
    assert after.rests and np.array_equal(after.positions, course.states[-1].positions)
    assert not course.first().at(PERIOD_NS).rests, 'the first period ends in motion'
    assert course.first().at(PERIOD_NS + 1).rests, 'after it the arm holds'


def test_a_course_is_a_trajectory_that_ends_at_rest():
    driver = Driver('panda', DOWN)
    chunk = driver.servo.course(driver.states[0], Twist((0.0, 0.2, 0.0), ZERO), opening=0.0, periods=2).chunk()
    assert [point.time_ns for point in chunk.points] == [PERIOD_NS * (i + 1) for i in range(len(chunk.points))]
    assert len(chunk.points) > 2
    assert max(map(abs, chunk.points[-1].velocities)) < 1e-9 < max(map(abs, chunk.points[1].velocities))


def test_one_that_ends_in_motion_gives_positions_alone():
    driver = Driver('panda', DOWN)
    course = driver.servo.course(driver.states[0], Twist((0.0, 0.2, 0.0), ZERO), opening=0.0).first()
    assert [(point.time_ns, point.velocities) for point in course.chunk().points] == [(PERIOD_NS, ())]


def test_the_same_message_gives_the_same_course():
    one, two = (Driver('panda', DOWN) for _ in range(2))
    for driver in (one, two):
        driver.follow(Twist((0.05, 0.1, -0.2), (0.1, 0.2, 0.3)), 40)
    assert all(np.array_equal(a.positions, b.positions) for a, b in zip(one.states, two.states, strict=True))


def test_a_table_that_stands_higher_stops_the_tool_as_much_earlier():
    ends = {}
    for floor in (0.0, 0.05):
        driver = Driver('panda', DOWN)
        driver.servo.stand_at(floor)
        ends[floor] = driver.follow(Twist((0.0, 0.0, -0.2), ZERO), 60)[-1].position[2]
    assert ends[0.05] - ends[0.0] == pytest.approx(0.05, abs=0.01)
