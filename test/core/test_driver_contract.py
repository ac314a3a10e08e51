"""What the bench asks of a driver, answered from what was heard."""

from dataclasses import replace
from math import nan

import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core import driver_contract as contract
from vlm_bench_sim.core.driver_contract import Heard, Joints, Topic
from vlm_bench_sim.core.geometry import Pose

PANDA = profiles.robot('panda')
NAMES = (*PANDA.joints, *PANDA.gripper.joints)
HOME = dict(zip(PANDA.joints, PANDA.home, strict=True)) | dict.fromkeys(PANDA.gripper.joints, 0.02)
S = 10**9


def joints(ns=0, *, late=0, turn=0.0, speed=0.0, positions=None):
    at = dict(positions or HOME)
    at[PANDA.joints[-1]] = at.get(PANDA.joints[-1], 0.0) + turn
    return Joints(ns + late, ns, positions=at, velocities={name: speed if name == PANDA.joints[-1] else 0.0 for name in at})


def heard(*told, seconds=1.0):
    return Heard(seconds, joints=list(told) or [joints(i * S // 20) for i in range(20)])


def differing(findings):
    return [finding for finding in findings if finding.differs]


def test_a_right_driver_differs_in_nothing():
    assert not differing(contract.joint_states(heard(), PANDA))
    assert not contract.description(Heard(1.0, description=PANDA.urdf), PANDA).differs


@pytest.mark.parametrize(
    ('topic', 'words'),
    [
        (Topic(), 'nobody publishes it'),
        (Topic(('a/msg/B',)), 'its type is a/msg/B'),
        (Topic(('std_msgs/msg/String', 'a/msg/B')), 'its type is'),
        (Topic(('std_msgs/msg/String',), reliable=False, latched=True), 'best effort'),
        (Topic(('std_msgs/msg/String',)), 'volatile'),
    ],
)
def test_a_topic_has_its_type_and_qos(topic, words):
    finding = contract.publishes('/robot_description', topic, type_='std_msgs/msg/String', latched=True)
    assert words in finding.found and finding.remedy
    assert not contract.publishes('/x', Topic(('std_msgs/msg/String',), latched=True), type_='std_msgs/msg/String', latched=True).differs


def test_joints_are_named_often_in_rad_and_in_time():
    few = {name: value for name, value in HOME.items() if name != PANDA.joints[2]}
    (named,) = differing(contract.joint_states(heard(*(joints(i * S // 20, positions=few) for i in range(20))), PANDA))
    assert named.found.startswith(f'{PANDA.joints[2]} is missing')
    (rate,) = differing(contract.joint_states(heard(*(joints(i * S // 10) for i in range(10))), PANDA))
    assert 'it comes 10.0 times a second' in rate.found
    turned = {name: 57.3 * value for name, value in HOME.items()}
    (unit,) = differing(contract.joint_states(heard(*(joints(i * S // 20, positions=turned) for i in range(20))), PANDA))
    assert 'degrees' in unit.remedy
    (old,) = differing(contract.joint_states(heard(*(joints(S + i * S // 20, late=3 * S) for i in range(20))), PANDA))
    assert old.found == 'they are 3.0 s old'
    assert {finding.asked.split()[0] for finding in differing(contract.joint_states(Heard(1.0), PANDA))} == {
        '/joint_states',
        'positions',
        'stamps',
    }


def test_frames_and_tool_are_where_the_joints_say():
    there = Pose((0.3, 0.0, 0.5))
    found = Heard(1.0, transforms={PANDA.tool_link: ('world', there)}, tool=('world', there))
    assert not contract.frames(found, PANDA, there).differs and not contract.tool(found, there).differs
    off = there.shifted((0.0, 0.003, 0.0))
    assert '3.0 mm off' in contract.frames(found, PANDA, off).found and '3.0 mm off' in contract.tool(found, off).found
    assert contract.frames(Heard(1.0), PANDA, there).differs and contract.tool(Heard(1.0), there).found == 'nothing came'
    assert not contract.tool(Heard(1.0), there).differs, 'not every policy needs it'
    assert "'base'" in contract.tool(Heard(1.0, tool=('base', there)), there).found


def test_velocities_are_the_changes_of_positions():
    swing = [joints(i * S // 20, turn=0.005 * i, speed=0.1) for i in range(10)]
    assert not contract.velocities(swing, PANDA).differs
    fast = [replace(one, velocities={name: 57.3 * v for name, v in one.velocities.items()}) for one in swing]
    assert 'they say 5.730' in contract.velocities(fast, PANDA).found
    none = [replace(one, velocities=dict.fromkeys(NAMES, nan)) for one in swing]
    assert contract.velocities(none, PANDA).found == 'panda_joint1 has none'
    assert contract.velocities([joints(0), joints(S)], PANDA).found == 'the arm has not moved'
    slow = [replace(one, velocities={name: v / 57.3 for name, v in one.velocities.items()}) for one in swing]
    assert contract.velocities(slow, PANDA).differs
    still = [replace(one, velocities=dict.fromkeys(one.velocities, 0.0)) for one in swing]
    assert contract.velocities(still, PANDA).differs


def test_a_busy_driver_may_publish_some_states_late():
    """It stood still for a moment, and what it owed then came within a few milliseconds."""
    stamps = [0, 50, 100, 150, 200, 350, 353, 356, 359, 400, 450, 500, 550, 600, 650, 700, 750, 800, 850, 900]
    swing = [joints(stamp * S // 1000, turn=0.005 * i, speed=0.1) for i, stamp in enumerate(stamps)]
    assert not contract.velocities(swing, PANDA).differs
    fast = [replace(one, velocities={name: 57.3 * v for name, v in one.velocities.items()}) for one in swing]
    assert contract.velocities(fast, PANDA).differs


def test_a_gripper_may_tell_its_joints_by_itself():
    fingers = [Joints(i * S // 20, i * S // 20, positions=dict.fromkeys(PANDA.gripper.joints, 0.02), velocities={}) for i in range(20)]
    arm = [replace(one, positions={name: one.positions[name] for name in PANDA.joints}) for one in heard().joints]
    both = [one for two in zip(arm, fingers, strict=True) for one in two]
    assert not differing(contract.joint_states(heard(*both), PANDA))
    assert differing(contract.joint_states(heard(*arm[::4], *fingers), PANDA)), 'messages of the fingers are none of the arm'
    swing = [joints(i * S // 20, turn=0.005 * i, speed=0.1) for i in range(10)]
    assert not contract.velocities([one for two in zip(swing, fingers, strict=False) for one in two], PANDA).differs
