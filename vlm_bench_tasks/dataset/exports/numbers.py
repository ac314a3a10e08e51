"""A robot's state as numbers, in data sets and in the Gymnasium environment alike: their order, their names and their units."""

from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.actions.spaces import gripper_name


def gripper_number(profile: RobotProfile, now: Snapshot) -> float:
    """Return the gripper's number as it is; cups suck where they hold something."""
    return float(bool(now.held)) if profile.gripper.suction else now.opening


def state_names(profile: RobotProfile) -> tuple[str, ...]:
    """Return the names of a robot's state: its arm's joints, and the gripper."""
    return (*profile.joints, gripper_name(profile))


def state_numbers(profile: RobotProfile, now: Snapshot) -> tuple[float, ...]:
    """Return a robot's state: positions of the arm, rad, and the gripper's number."""
    return (*now.arm(profile.joints), gripper_number(profile, now))
