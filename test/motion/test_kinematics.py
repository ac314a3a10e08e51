import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.motion.kinematics import Kinematics, damped_step


def test_tool_stands_where_the_makers_lengths_put_it(kinematics):
    # All joints at 0: column 0.333 + 0.316 + 0.384, then down by flange 0.107 and tool 0.1034, forward by 0.088.
    tool = kinematics.tool_pose(np.zeros(7))
    assert tool.position == pytest.approx((0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107 - 0.1034), abs=1e-9)
    assert tool.rotation[:, 2] == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)
    assert tool.rotation[:, 1] == pytest.approx((np.sqrt(0.5), -np.sqrt(0.5), 0.0), abs=1e-9)


def test_first_joint_turns_everything_about_the_base(kinematics, home):
    turned = home + np.array([0.5, 0, 0, 0, 0, 0, 0])
    expected = Pose.from_rpy((0, 0, 0), (0, 0, 0.5)) @ kinematics.tool_pose(home)
    assert kinematics.tool_pose(turned).distance(expected) < 1e-9
    assert kinematics.tool_pose(turned).angle(expected) < 1e-7


def test_every_link_has_a_pose_and_fingers_move_apart(kinematics, profile, home):
    joints = dict(zip(profile.joints, home, strict=True)) | dict.fromkeys(profile.gripper.joints, 0.03)
    poses = kinematics.link_poses(joints)
    assert {'panda_link0', 'panda_link7', 'panda_hand', 'panda_leftfinger', 'panda_rightfinger'} <= poses.keys()
    assert len(poses) == profile.urdf.count('<link ')
    assert poses['panda_leftfinger'].distance(poses['panda_rightfinger']) == pytest.approx(0.06, abs=1e-9)
    assert (poses['panda_hand'] @ profile.tool).distance(kinematics.tool_pose(home)) < 1e-9


def test_inverse_meets_the_pose_within_the_limits(kinematics, home):
    rng, solved = np.random.default_rng(4), 0
    for _ in range(50):
        pose = Pose.from_rpy((rng.uniform(0.3, 0.65), rng.uniform(-0.35, 0.35), rng.uniform(0.02, 0.3)), (np.pi, 0, rng.uniform(-3, 3)))
        found = kinematics.inverse(pose, home, rng)
        solved += bool(found)
        for q in found:
            assert kinematics.tool_pose(q).distance(pose) < 1e-4
            assert kinematics.tool_pose(q).angle(pose) < 1e-3
            assert kinematics.limit_margin(q) >= 0
    assert solved == 50


def test_inverse_prefers_the_nearest_of_distinct_solutions(kinematics, home):
    pose = kinematics.tool_pose(home + 0.1)
    found = kinematics.inverse(pose, home + 0.1, np.random.default_rng(0))
    assert len(found) > 1
    assert np.abs(found[0] - home - 0.1).max() < 1e-3
    assert all(np.abs(a - b).max() > 0.1 for i, a in enumerate(found) for b in found[:i])


def test_inverse_is_the_same_for_the_same_seed(kinematics, home):
    pose = Pose.from_rpy((0.5, 0.2, 0.1), (np.pi, 0, 1.0))
    first, second = (kinematics.inverse(pose, home, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_pose_beyond_the_arm_has_no_solution(kinematics, home):
    assert kinematics.inverse(Pose.from_rpy((1.2, 0.0, 0.3), (np.pi, 0, 0)), home, np.random.default_rng(0)) == ()


@pytest.mark.parametrize('name', profiles.robots())
def test_no_pose_of_an_arm_counts_as_beyond_it(name):
    """The outermost ones included: a pose that is too far is refused without a search."""
    kinematics, rng = Kinematics(profiles.robot(name)), np.random.default_rng(1)
    random = rng.uniform(kinematics.low, kinematics.high, (100, len(kinematics.low)))
    for q in (np.clip(np.zeros(len(kinematics.low)), kinematics.low, kinematics.high), *random):
        found = kinematics.inverse(kinematics.tool_pose(q), q, rng, 1, 1)
        assert len(found) == 1 and np.array_equal(found[0], q)


@pytest.mark.parametrize('equations', [0, 1, 2, 6])
def test_a_damped_step_solves_any_number_of_equations(equations):
    rng = np.random.default_rng(equations)
    jacobian, error = rng.normal(size=(equations, 7)), rng.normal(size=equations)
    step = damped_step(jacobian, error, 1e-9)
    assert step.shape == (7,)
    assert jacobian @ step == pytest.approx(error, abs=1e-6)
