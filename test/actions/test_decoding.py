"""Rows as commands: where changes count from, what cannot be reached, and when the gripper is told."""

import numpy as np
import pytest

from vlm_bench_sim.core.command import Both, Joints
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.actions import SPACES, Decoder
from vlm_bench_tasks.policy import Observation

PANDA, UR5E = robot('panda'), robot('ur5e')
KINEMATICS = {profile.name: Kinematics(profile) for profile in (PANDA, UR5E)}


def seen(profile=PANDA, arm=None, opening=0.08):
    arm = np.asarray(profile.home if arm is None else arm)
    joints = {name: JointState(float(q)) for name, q in zip(profile.joints, arm, strict=True)}
    return Observation(0.0, joints, KINEMATICS[profile.name].tool_pose(arm), opening)


def decoder(space, profile=PANDA):
    return Decoder(SPACES[space], profile, kinematics=KINEMATICS[profile.name])


def reached(command, profile=PANDA) -> Pose:
    return KINEMATICS[profile.name].tool_pose(np.array(command.arm.positions))


def test_changes_count_from_where_the_row_before_has_led():
    playing, row = decoder('delta_pose_metric'), np.array([0.01, 0.0, -0.02, 0.0, 0.0, 0.0, 0.08])
    began = seen().tool.position
    for count in (1, 2, 3):
        there = reached(playing.command(row, seen())).position
        assert there == pytest.approx(np.add(began, count * row[:3]), abs=1e-3)


def test_changes_count_from_where_the_arm_is_that_could_not_follow():
    playing, row = decoder('delta_joints'), np.array([0.1, *[0.0] * 6, 0.08])
    asked = [playing.command(row, seen()).arm.positions[0] for _ in range(4)]
    assert asked == pytest.approx([PANDA.home[0] + k for k in (0.1, 0.2, 0.3, 0.1)], abs=1e-6)


def test_changes_of_joints_end_at_their_limits():
    high = [limit for _, limit in PANDA.limits]
    assert decoder('delta_joints').command([0.1] * 8, seen(arm=high)).arm == Joints(tuple(high))


def test_a_pose_out_of_reach_leaves_the_arm_on_its_way():
    playing = decoder('pose_rotation_vector')
    assert playing.command([1.5, 0.0, 0.3, 3.1, 0.0, 0.0, 0.08], seen()) == Both()
    assert playing.command([1.5, 0.0, 0.3, 3.1, 0.0, 0.0, 0.0], seen()) == Both(gripper=Grip(0.0))


def test_fingers_are_told_where_they_shall_change():
    playing = decoder('joints')
    rows = [np.array([*PANDA.home, opening]) for opening in (0.08, 0.03, 0.0305, -0.01, 0.0, 0.2)]
    told = [playing.command(row, seen()).gripper for row in rows]
    assert told == [None, Grip(0.03), None, Grip(0.0), None, Grip(0.08)]


def test_slow_changes_of_an_opening_add_up():
    playing = decoder('joints')
    told = [playing.command([*PANDA.home, 0.08 - 0.001 * k], seen()).gripper for k in range(6)]
    assert [grip.opening for grip in told if grip] == pytest.approx([0.078, 0.076])


def test_a_normalised_gripper_opens_and_closes_once_and_holds_between():
    playing = decoder('delta_pose')
    told = [playing.command([0.0] * 6 + [number], seen()).gripper for number in (-1.0, 0.0, 0.5, 1.0, 0.0, -1.0, -0.2)]
    assert told == [Grip(0.08), None, Grip(0.0), None, None, Grip(0.08), None]


def test_cups_are_told_to_suck_and_to_let_go():
    playing = decoder('delta_pose', UR5E)
    told = [playing.command([0.0] * 6 + [number], seen(UR5E)).gripper for number in (-1.0, 1.0, 1.0, -1.0)]
    assert told == [Seal(on=False), Seal(on=True), None, Seal(on=False)]


def test_cups_that_suck_already_are_told_to_let_go():
    """A player that is reset in the middle of an episode does not know what was told before."""
    assert decoder('delta_pose', UR5E).command([0.0] * 6 + [-1.0], seen(UR5E)).gripper == Seal(on=False)


def test_fingers_that_have_let_go_by_themselves_close_again_where_that_is_still_asked():
    playing = decoder('delta_pose')
    told = [playing.command([0.0] * 6 + [1.0], seen(opening=0.03)).gripper for _ in range(30)]
    assert [grip for grip in told if grip] == [Grip(0.0)]
    told = [playing.command([0.0] * 6 + [1.0], seen(opening=0.08)).gripper for _ in range(30)]
    assert told[0] == Grip(0.0)
    assert 1 <= len([grip for grip in told if grip]) <= 2
