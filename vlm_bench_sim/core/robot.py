"""A robot profile: everything about one robot that is data."""

from dataclasses import dataclass

from vlm_bench_sim.core.geometry import Pose


@dataclass(frozen=True)
class ParallelProfile:
    """A parallel gripper.

    Attributes:
        joints: prismatic finger joints; each moves half the opening.
        links: the two links whose opposed contacts mean a grasp.
        max_opening: full width, m.
        max_force: N, both fingers together.
        speed: of the opening, m/s.
        action: name of its GripperCommand action, without the leading slash.
        goal_scale: position of a GripperCommand goal = opening × goal_scale (0.5: the travel of one finger, 1: the full width).
        result_scale: position of its feedback and result = opening × result_scale; some drivers answer in another unit than they are asked.
    """

    joints: tuple[str, ...]
    links: tuple[str, ...]
    max_opening: float
    max_force: float
    speed: float
    action: str
    goal_scale: float
    result_scale: float


@dataclass(frozen=True)
class SuctionProfile:
    """A suction gripper: cups that seal on contact.

    Attributes:
        links: the cups, one link each, with the tip of the first at the tool centre point.
        radius: of a cup, m.
        force: that all cups together hold with, N; it is shared out among those in contact, at most `cup_force` each.
        cup_force: that one cup holds with at most, N.
        action: name of its GripperCommand action, without the leading slash; position 1 means suck, 0 let go.
    """

    links: tuple[str, ...]
    radius: float
    force: float
    cup_force: float
    action: str

    joints: tuple[str, ...] = ()
    max_opening: float = 0.0


def travel(gripper: ParallelProfile | SuctionProfile, opening: float) -> float:
    """Return how far each finger is from the middle at an opening, m, or how fast it moves at an opening's speed; 0 without fingers."""
    return opening / len(gripper.joints) if gripper.joints else 0.0


@dataclass(frozen=True)
class RobotProfile:
    """One robot, base at the world's origin.

    Attributes:
        name: of the profile, for example 'panda'.
        urdf: the robot's description, XML text with mesh files as absolute `file://` addresses.
        joints: arm joints in controller order.
        home: rad, one per arm joint.
        tool_link: link that carries the tool.
        tool: pose of the tool centre point in `tool_link` (z forward, y along the finger opening).
        controller: name of the trajectory controller.
        gripper: its gripper.
        velocity: limits per arm joint, rad/s.
        acceleration: limits per arm joint, rad/s².
        limits: lowest and highest position per arm joint, rad, as the URDF gives them.
        jerk: limits per arm joint, rad/s³; empty where the maker gives none.
        goal_tolerance: default deviation at the end of a trajectory, rad.
        goal_time: default time to settle after the last point, s.
    """

    name: str
    urdf: str
    joints: tuple[str, ...]
    home: tuple[float, ...]
    tool_link: str
    tool: Pose
    controller: str
    gripper: ParallelProfile | SuctionProfile
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]
    limits: tuple[tuple[float, float], ...]
    jerk: tuple[float, ...] = ()
    goal_tolerance: float = 0.01
    goal_time: float = 0.5
