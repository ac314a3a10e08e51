"""Asks a running driver everything that the bench relies on."""

from collections.abc import Iterator

from vlm_bench_sim.core import driver_contract as contract
from vlm_bench_sim.core.driver_contract import Finding
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.driving.arm_check import arm
from vlm_bench_sim.nodes.driving.driver_probe import TOPICS, DriverProbe
from vlm_bench_sim.nodes.driving.gripper_check import gripper
from vlm_bench_sim.ros import names


def check_driver(probe: DriverProbe, *, seconds: float, moves: bool) -> Iterator[Finding]:
    """Yield what is found, question by question.

    Args:
        probe: the conversation with the driver.
        seconds: for which the driver is listened to.
        moves: whether the robot may be moved: a wrist joint by 0.1 rad and back, and the gripper.
    """
    profile, kinematics = probe.profile, Kinematics(probe.profile)
    heard = probe.listen(seconds)
    for row in TOPICS:
        only = contract.TOOL_USER if row is names.TCP_POSE else ''
        yield contract.publishes(row.name, heard.topics[row.name], type_=row.type, latched=row.latched, only=only)
    yield from contract.joint_states(heard, profile)
    yield contract.description(heard, profile)
    at = dict(probe.at)
    knows = all(name in at for name in profile.joints)
    if knows:
        yield contract.frames(heard, profile, kinematics.link_poses(at)[profile.tool_link])
        yield contract.tool(heard, kinematics.tool_pose([at[name] for name in profile.joints]))
    else:
        asked = 'where the arm is agrees with /tf and /arm/tcp_pose, and its controller rejects, holds and answers'
        yield Finding(asked, 'it was not asked, for joints of the arm are missing', 'Publish them, and ask again.')
    yield from arm(probe, knows=knows, moves=moves)
    yield from gripper(probe, moves=moves)
