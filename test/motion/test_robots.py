"""Every robot's kinematics against what its maker publishes; what one robot reaches and another does not."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot, robots

# Rows (a, alpha, d, offset) of the makers' tables, m and rad.
FRANKA = (
    (0, 0, 0.333, 0), (0, -pi / 2, 0, 0), (0, pi / 2, 0.316, 0), (0.0825, pi / 2, 0, 0),
    (-0.0825, -pi / 2, 0.384, 0), (0, pi / 2, 0, 0), (0.088, pi / 2, 0, 0), (0, 0, 0.107, 0),
)  # fmt: skip
XARM6 = (
    (0, 0, 0.267, 0), (0, -pi / 2, 0, -1.3849179), (0.28948866, 0, 0, 1.3849179),
    (0.0775, -pi / 2, 0.3425, 0), (0, pi / 2, 0, 0), (0.076, -pi / 2, 0.097, 0),
)  # fmt: skip
UR5E = (
    (0, pi / 2, 0.1625, 0), (-0.425, 0, 0, 0), (-0.3922, 0, 0, 0),
    (0, pi / 2, 0.1333, 0), (0, -pi / 2, 0.0997, 0), (0, 0, 0.0996, 0),
)  # fmt: skip
HAND = Pose.from_rpy((0.0, 0.0, 0.1034), (0.0, 0.0, -pi / 4))
TILTED_BACK = Pose.from_rpy((0.4, 0.0, 0.7), (0.0, pi + 0.4, 0.0))
"""A tool pose for which the Panda's joint 6 stands below 0.5445 rad."""


def screw(angle: float, along: float, axis: int) -> np.ndarray:
    matrix, (i, j) = np.eye(4), [k for k in range(3) if k != axis]
    sine = np.sin(angle) if axis != 1 else -np.sin(angle)
    matrix[i, i] = matrix[j, j] = np.cos(angle)
    matrix[i, j], matrix[j, i], matrix[axis, 3] = -sine, sine, along
    return matrix


def flange(name: str, joints) -> np.ndarray:
    """Return the flange by the maker's table; Franka's and xArm's are Craig's, Universal Robots' is Denavit and Hartenberg's own."""
    at = np.eye(4)
    if name == 'ur5e':
        at = screw(pi, 0.0, 2)  # their base frame looks backwards
        for (a, alpha, d, _), q in zip(UR5E, joints, strict=True):
            at = at @ screw(q, d, 2) @ screw(alpha, a, 0)
        return at
    for (a, alpha, d, offset), q in zip(XARM6 if name == 'xarm6' else FRANKA, (*joints, 0.0), strict=False):
        at = at @ screw(alpha, a, 0) @ screw(q + offset, d, 2)
    return at


TOOLS = {
    'panda': HAND,
    'fr3': HAND,
    'panda_vacuum': Pose.from_rpy((0.0, 0.0, 0.126), (0.0, 0.0, -pi / 4)),
    'xarm6': Pose((0.0, 0.0, 0.1254)),
    'ur5e': Pose((0.0, 0.0, 0.1)),
}


@pytest.mark.parametrize('name', robots())
def test_the_tool_stands_where_the_makers_table_puts_it(name):
    profile = robot(name)
    kinematics, rng = Kinematics(profile), np.random.default_rng(0)
    for joints in (profile.home, *rng.uniform(kinematics.low, kinematics.high, (20, len(profile.home)))):
        expected = Pose.from_matrix(flange(name, joints)) @ TOOLS[name]
        assert kinematics.tool_pose(joints).distance(expected) < 2e-5
        assert kinematics.tool_pose(joints).angle(expected) < 1e-4


@pytest.mark.parametrize(
    ('name', 'joints', 'position'),
    [
        ('panda', (0, -pi / 4, 0, -3 * pi / 4, 0, pi / 2, pi / 4), (0.3069, 0.0, 0.4869)),  # the pose "ready" with the hand
        ('fr3', (0, -pi / 4, 0, -3 * pi / 4, 0, pi / 2, pi / 4), (0.3069, 0.0, 0.4869)),
        ('xarm6', (0,) * 6, (0.207, 0.0, 0.112 - 0.1254)),  # the controller shows 207, 0, 112 mm at its zero position, without tool
        ('ur5e', (0,) * 6, (0.8172, 0.2329 + 0.1, 0.0628)),  # stretched out; 817.2, 232.9, 62.8 mm without tool
    ],
)
def test_the_tool_stands_where_the_maker_says_it_does(name, joints, position):
    assert Kinematics(robot(name)).tool_pose(joints).position == pytest.approx(position, abs=1e-4)


@pytest.mark.parametrize('name', robots())
def test_downward_poses_within_reach_are_solved(name):
    kinematics, rng, solved = Kinematics(robot(name)), np.random.default_rng(3), 0
    home = np.asarray(robot(name).home)
    for _ in range(200):
        radius, angle = rng.uniform(0.30, 0.60), rng.uniform(-1.2, 1.2)
        pose = Pose.from_rpy((radius * np.cos(angle), radius * np.sin(angle), rng.uniform(0.02, 0.35)), (pi, 0.0, rng.uniform(-pi, pi)))
        found = kinematics.inverse(pose, home, rng, count=1)
        solved += bool(found)
        assert all(kinematics.tool_pose(q).distance(pose) < 1e-4 and kinematics.limit_margin(q) >= 0 for q in found)
    assert solved >= 196


@pytest.mark.parametrize('name', robots())
def test_home_is_free_and_far_from_the_limits(name):
    planner = MotionPlanner(robot(name))
    home = robot(name).home
    assert planner.kinematics.limit_margin(np.asarray(home)) > 0.3
    here = planner.kinematics.tool_pose(home)
    planner.plan(PlanRequest(home, ToolPose(here.shifted((0.0, 0.0, -0.1)), straight=True)))


def test_a_pose_that_panda_takes_and_fr3_refuses():
    panda, fr3 = (MotionPlanner(robot(name)) for name in ('panda', 'fr3'))
    chunk = panda.plan(PlanRequest(robot('panda').home, ToolPose(TILTED_BACK)))
    assert chunk.points[-1].positions[5] < 0.5445
    with pytest.raises(PlanError, match='cannot reach') as caught:
        fr3.plan(PlanRequest(robot('fr3').home, ToolPose(TILTED_BACK)))
    assert caught.value.code == PlanCode.UNREACHABLE


def test_fr3_keeps_its_own_limits_of_joints_4_and_6():
    fr3 = Kinematics(robot('fr3'))
    assert (fr3.low[3], fr3.high[3]) == (-3.0421, -0.1518)
    assert (fr3.low[5], fr3.high[5]) == (0.5445, 4.5169)


def test_a_robot_with_a_jerk_limit_moves_more_gently():
    pytest.importorskip('ruckig')
    profile, target = robot('xarm6'), ToolPose(Pose.from_rpy((0.4, 0.2, 0.2), (pi, 0.0, 0.0)))
    gentle = replace(profile, jerk=(30.0,) * 6)
    chunks = [MotionPlanner(each).plan(PlanRequest(profile.home, target)) for each in (profile, gentle)]
    third = [np.abs(np.diff([p.positions for p in chunk.points], n=3, axis=0)).max() / PERIOD_S**3 for chunk in chunks]
    assert third[1] < 1.05 * 30.0 < third[0]
    assert chunks[0].points[-1].positions == chunks[1].points[-1].positions
