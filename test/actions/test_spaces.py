"""Action spaces: what each number asks for, its limits, and that poses and rows come back from one another."""

from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.errors import CommandError, ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.actions import SPACES, action_space
from vlm_bench_tasks.actions.rotations import rotation_vector, steady_vector, turned

PANDA, UR5E = robot('panda'), robot('ur5e')
HERE = Pose((0.4, 0.1, 0.3), (1.0, 0.0, 0.0, 0.0))
POSES = [name for name, space in SPACES.items() if space.tool]


@pytest.mark.parametrize('by', [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, -pi / 2, 0.0), (1.0, 1.0, 1.0), (0.0, 0.0, 1e-9)])
def test_rotation_vectors_come_back(by):
    assert rotation_vector(Pose((0.0, 0.0, 0.0), turned(np.array(by)))) == pytest.approx(by)


def test_around_a_tool_that_points_down_nothing_jumps():
    vectors = [steady_vector(Pose.from_rpy((0.0, 0.0, 0.0), (pi + tilt, 0.02, 0.4))) for tilt in (-0.02, -0.001, 0.001, 0.02)]
    assert np.abs(np.diff(vectors, axis=0)).max() < 0.1
    for found in vectors:
        assert Pose(orientation=turned(np.array(found))).angle(Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.02, 0.4))) < 0.03


def test_each_number_has_a_name_and_limits():
    widths = {name: len(space.names(PANDA)) for name, space in SPACES.items()}
    deltas = dict.fromkeys(('delta_pose', 'delta_pose_metric', 'delta_pose_tenths'), 7)
    assert widths == deltas | {'pose': 8, 'pose_rotation_vector': 7, 'joints': 8, 'delta_joints': 8}
    for profile in (PANDA, UR5E):
        for space in SPACES.values():
            low, high = space.limits(profile)
            assert low.shape == high.shape == (len(space.names(profile)),)
            assert (low < high).all()
            assert space.meaning


def test_a_space_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match=r'no action space called .delta_poze.. Did you mean delta_pose'):
        action_space('delta_poze')


def test_changes_are_along_the_axes_of_the_world():
    moved = SPACES['delta_pose'].target(np.array([0.2, 0.0, -1.0, 0.0, 0.0, 0.2, 0.0]), HERE)
    assert moved.position == pytest.approx((0.41, 0.1, 0.25))
    turn = Pose(orientation=moved.orientation) @ Pose(orientation=HERE.orientation).inverse()
    assert rotation_vector(turn) == pytest.approx((0.0, 0.0, 0.1))
    metric = SPACES['delta_pose_metric'].target(np.array([0.01, 0.0, -0.05, 0.0, 0.0, 0.1, 0.0]), HERE)
    assert (metric.distance(moved), metric.angle(moved)) == pytest.approx((0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize('name', POSES)
@pytest.mark.parametrize('rpy', [(pi, 0.0, 0.0), (pi, 0.1, -2.0), (2.0, 0.3, 0.4), (0.0, 0.0, pi)])
def test_a_pose_comes_back_from_the_numbers_that_ask_for_it(name, rpy):
    tool = SPACES[name].tool
    now = Pose.from_rpy((0.39, 0.12, 0.31), (rpy[0] - 0.1, rpy[1] + 0.05, rpy[2] + 0.2))
    there = Pose.from_rpy(HERE.position, rpy)
    numbers = tool.encode(there, now)
    assert len(numbers) == len(tool.names)
    back = tool.decode(numbers, now)
    assert (back.distance(there), back.angle(there)) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_what_lies_beyond_a_limit_is_cut_off():
    assert SPACES['delta_pose'].checked([9.0, -9.0, 0.0, 0.0, 0.0, 0.0, 3.0], PANDA).tolist() == [1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert SPACES['joints'].checked([9.0] * 8, PANDA).tolist() == [*(high for _, high in PANDA.limits), 0.08]
    assert SPACES['delta_joints'].checked([9.0] * 8, PANDA)[:-1] == pytest.approx(0.999 * 0.05 * np.asarray(PANDA.velocity))


@pytest.mark.parametrize(
    ('row', 'words'),
    [
        ([0.0] * 6, r'has the shape \(7,\) for panda; found \(6,\)'),
        ([[0.0] * 7], r'found \(1, 7\)'),
        ([np.nan] * 7, 'finite numbers; found .*Check the policy'),
        (['up'] * 7, 'holds 7 numbers; found'),
        (['0.1'] * 7, 'holds 7 numbers; found'),
        ([True] * 7, 'holds 7 numbers; found'),
        ([1j] * 7, 'holds 7 numbers; found'),
        ([[0.0], [0.0, 1.0]], 'holds 7 numbers; found'),
        (None, 'delta_pose'),
    ],
)
def test_what_is_no_row_is_refused(row, words):
    with pytest.raises(CommandError, match=words):
        SPACES['delta_pose'].checked(row, PANDA)


def test_a_quaternion_of_any_length_is_a_turn_and_one_of_none_is_refused():
    row = np.array([0.4, 0.1, 0.3, 2.0, 1.0, 0.0, 0.0, 0.08])
    turn = SPACES['pose'].target(SPACES['pose'].checked(row, PANDA), HERE)
    assert turn.orientation == pytest.approx((0.8944272, 0.4472136, 0.0, 0.0))
    row[4] = 0.0
    row[3] = 0.0
    with pytest.raises(CommandError, match='quaternion other than zero'):
        SPACES['pose'].target(row, HERE)


@pytest.mark.parametrize(
    ('space', 'profile', 'asked'),
    [
        ('delta_pose', PANDA, {-1.0: Grip(0.08), -0.1: Grip(0.08), 0.0: None, 0.1: Grip(0.0), 1.0: Grip(0.0)}),
        ('delta_pose', UR5E, {-1.0: Seal(on=False), 0.0: None, 1.0: Seal(on=True)}),
        ('joints', PANDA, {0.0: Grip(0.0), 0.03: Grip(0.03)}),
        ('pose', UR5E, {0.0: Seal(on=False), 0.4: Seal(on=False), 1.0: Seal(on=True)}),
    ],
)
def test_the_gripper_is_asked_in_the_unit_of_the_space(space, profile, asked):
    assert {number: SPACES[space].gripper(number, profile) for number in asked} == asked
