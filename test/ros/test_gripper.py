"""Every robot's gripper in its own unit: what a goal asks for, what a result tells, and what is refused."""

from dataclasses import dataclass, field

import pytest

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.profiles import robot, robots
from vlm_bench_sim.ros import gripper

GRIPPERS = {name: robot(name).gripper for name in robots()}
FINGERS = [name for name, found in GRIPPERS.items() if isinstance(found, ParallelProfile)]
CUPS = [name for name in GRIPPERS if name not in FINGERS]
NAN, INF = float('nan'), float('inf')


@dataclass
class Asked:
    """sensor_msgs/JointState as far as it is read."""

    name: list[str] = field(default_factory=list)
    position: list[float] = field(default_factory=list)
    velocity: list[float] = field(default_factory=list)
    effort: list[float] = field(default_factory=list)


def goal(hand, position, effort=0.0):
    return gripper.command(hand, gripper.read(hand, position, effort))


def goal_of_joints(hand, asked):
    return gripper.command(hand, gripper.read_joints(hand, asked))


def test_every_robot_is_of_one_kind_or_the_other():
    assert (set(FINGERS), set(CUPS)) == ({'panda', 'fr3'}, {'panda_vacuum', 'ur5e', 'xarm6'})


@pytest.mark.parametrize(('name', 'asked', 'told'), [('panda', 0.015, 0.015), ('fr3', 0.015, 0.03)])
def test_a_goal_is_the_travel_of_one_finger_and_the_result_is_the_drivers(name, asked, told):
    """A controller of the Panda's finger joint answers as it is asked; franka_ros2 is asked per finger and tells the full width."""
    hand = GRIPPERS[name]
    assert goal(hand, asked) == Grip(0.03)
    assert gripper.position(hand, 0.03, on=False) == pytest.approx(told)


@pytest.mark.parametrize('name', FINGERS)
def test_fingers_open_from_nothing_to_their_width_and_no_further(name):
    hand = GRIPPERS[name]
    widest = hand.max_opening * hand.goal_scale
    assert goal(hand, 0.0) == Grip(0.0)
    assert goal(hand, widest) == Grip(hand.max_opening)
    for beyond in (-1e-4, widest + 1e-4, 1e300, -1e300):
        with pytest.raises(CommandError, match='out of range'):
            goal(hand, beyond)


@pytest.mark.parametrize('name', FINGERS)
def test_an_effort_is_a_greatest_force_and_never_more_than_the_gripper_has(name):
    hand = GRIPPERS[name]
    assert [goal(hand, 0.01, effort).force for effort in (0.0, -1.0, 20.0, hand.max_force, 1e9)] == [
        0,
        0,
        20,
        hand.max_force,
        hand.max_force,
    ]
    one = hand.joints[0]
    assert goal_of_joints(hand, Asked([one], [0.01], effort=[20.0])) == Grip(0.02, 40.0), 'of one finger: together it is twice as much'
    assert goal_of_joints(hand, Asked([one], [0.01], effort=[1e9])).force == hand.max_force


@pytest.mark.parametrize('name', FINGERS)
def test_a_joint_is_sent_in_the_unit_of_the_urdf(name):
    hand = GRIPPERS[name]
    left, right = hand.joints
    for asked in (
        Asked([left], [0.03]),
        Asked([right], [0.03]),
        Asked([], [0.03]),
        Asked([''], [0.03]),
        Asked([right, left], [0.03, 0.03]),
    ):
        assert goal_of_joints(hand, asked) == Grip(0.06)
    assert goal_of_joints(hand, Asked([left], [0.03], velocity=[0.1])) == Grip(0.06), 'a velocity is not used'
    with pytest.raises(CommandError, match='out of range'):
        goal_of_joints(hand, Asked([left], [0.05]))


@pytest.mark.parametrize('name', CUPS)
def test_cups_suck_or_let_go_and_nothing_in_between(name):
    hand = GRIPPERS[name]
    assert (goal(hand, 1.0, 50.0), goal(hand, 0.0)) == (Seal(on=True), Seal(on=False))
    for between in (0.5, 1.01, -1.0, 2.0):
        with pytest.raises(CommandError, match='on or off'):
            goal(hand, between)
    assert [gripper.position(hand, 0.0, on=on) for on in (True, False)] == [1.0, 0.0]
    assert goal_of_joints(hand, Asked([hand.links[-1]], [1.0])) == goal_of_joints(hand, Asked([], [1.0])) == Seal(on=True)
    assert goal_of_joints(hand, Asked(list(hand.links), [0.0] * len(hand.links))) == Seal(on=False)


@pytest.mark.parametrize('name', GRIPPERS)
@pytest.mark.parametrize('wrong', [NAN, INF, -INF])
def test_what_is_no_number_is_refused(name, wrong):
    hand = GRIPPERS[name]
    for given in ((wrong, 0.0), (0.0, wrong)):
        with pytest.raises(CommandError, match='finite'):
            gripper.read(hand, *given)
    for asked in (Asked([], [wrong]), Asked([], [0.0], [wrong]), Asked([], [0.0], [], [wrong])):
        with pytest.raises(CommandError, match='not finite'):
            gripper.read_joints(hand, asked)


@pytest.mark.parametrize('name', GRIPPERS)
def test_joints_that_are_not_the_grippers_and_counts_that_disagree_are_refused(name):
    hand = GRIPPERS[name]
    one = gripper.names(hand)[0]
    wrong = {
        "no joint 'elbow'": Asked(['elbow'], [0.0]),
        'Name each joint once': Asked([one, one], [0.0, 0.0]),
        '2 positions': Asked([one], [0.0, 0.0]),
        '1 positions': Asked(['', ''], [0.0]),
        '0 positions': Asked([one], []),
        '2 velocities': Asked([one], [0.0], [0.0, 0.0]),
        '2 efforts': Asked([one], [0.0], [], [0.0, 0.0]),
    }
    for reason, asked in wrong.items():
        with pytest.raises(CommandError, match=reason):
            gripper.read_joints(hand, asked)
    if len(gripper.names(hand)) > 1:
        with pytest.raises(CommandError, match='move together'):
            gripper.read_joints(hand, Asked(list(gripper.names(hand)[:2]), [0.0, 1.0]))


@pytest.mark.parametrize('name', GRIPPERS)
def test_a_command_that_is_written_reads_as_itself(name):
    hand = GRIPPERS[name]
    commands = [Grip(0.0), Grip(0.031, 12.0), Grip(hand.max_opening)] if name in FINGERS else [Seal(on=True), Seal(on=False)]
    for command in commands:
        assert goal(hand, *gripper.write(hand, command)) == command
    with pytest.raises(CommandError, match='not for this gripper'):
        gripper.write(hand, Seal(on=True) if name in FINGERS else Grip(0.0))


@pytest.mark.parametrize('name', GRIPPERS)
def test_the_state_of_the_joints_is_what_is_measured(name):
    hand = GRIPPERS[name]
    measured = {joint: JointState(0.01, 0.1, 5.0) for joint in hand.joints}
    seen = Snapshot(0, 0, measured, Pose(), 0.02, '', {}, (), (), (), ())
    assert gripper.joints(hand, seen, on=True) == (measured or dict.fromkeys(hand.links, JointState(1.0)))
    assert tuple(gripper.joints(hand, seen, on=False)) == gripper.names(hand)


@pytest.mark.parametrize('name', GRIPPERS)
def test_the_unit_is_said_in_words(name):
    hand = GRIPPERS[name]
    assert '1 to suck' in gripper.unit(hand) or f'0 to {hand.max_opening * hand.goal_scale:g} m' in gripper.unit(hand)
    assert gripper.result_unit(hand)
