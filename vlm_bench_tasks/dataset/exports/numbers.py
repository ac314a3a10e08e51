"""A robot as numbers, in data sets and in the Gymnasium environment alike: their order, their names and their units."""

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot

TOOL_NAMES = tuple(f'tool.{part}' for part in ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'))


def gripper_name(profile: RobotProfile) -> str:
    """Return the name of the gripper's number: its opening (full width, m), or whether its cups suck (1) or not (0)."""
    return 'gripper.seal' if isinstance(profile.gripper, SuctionProfile) else 'gripper.opening'


def gripper_number(profile: RobotProfile, now: Snapshot) -> float:
    """Return the gripper's number as it is; cups suck where they hold something."""
    return float(bool(now.held)) if isinstance(profile.gripper, SuctionProfile) else now.opening


def state_names(profile: RobotProfile) -> tuple[str, ...]:
    """Return the names of a robot's state: its arm's joints, and the gripper."""
    return (*profile.joints, gripper_name(profile))


def state_numbers(profile: RobotProfile, now: Snapshot) -> tuple[float, ...]:
    """Return a robot's state: positions of the arm, rad, and the gripper's number."""
    return (*now.arm(profile.joints), gripper_number(profile, now))


def pose_numbers(pose: Pose) -> tuple[float, ...]:
    """Return position (m) and quaternion xyzw, of the two that mean the same rotation the one with x from 0.

    A tool that points straight down has (1, 0, 0, 0): around it nothing jumps, as it would by the sign of w.
    """
    sign = -1.0 if pose.orientation[0] < 0.0 else 1.0
    return (*pose.position, *(sign * v for v in pose.orientation))
