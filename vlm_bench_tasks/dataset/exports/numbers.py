"""A robot's state as numbers, for data sets and the Gymnasium environment: order, names and units."""

from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.actions.spaces import gripper_name


def gripper_number(profile: RobotProfile, now: Snapshot) -> float:
    """Return the gripper's current value; for suction cups 1 if they hold something, else 0."""
    return float(bool(now.held)) if profile.gripper.suction else now.opening


def state_names(profile: RobotProfile) -> tuple[str, ...]:
    """Return the names of the state's numbers: arm joints and gripper."""
    return (*profile.joints, gripper_name(profile))


def state_numbers(profile: RobotProfile, now: Snapshot) -> tuple[float, ...]:
    """Return the state: positions of the arm joints, rad, and the gripper's value."""
    return (*now.arm(profile.joints), gripper_number(profile, now))
