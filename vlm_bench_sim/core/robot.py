"""A robot profile: everything about one robot that is data."""

from dataclasses import dataclass

from vlm_bench_sim.core.geometry import Pose


@dataclass(frozen=True)
class GripperProfile:
    """A parallel gripper.

    Attributes:
        joints: prismatic finger joints; each moves half the opening.
        finger_links: the links whose opposed contacts mean a grasp.
        max_opening: full width, m.
        max_force: N, both fingers together.
        speed: of the opening, m/s.
        action: name of its GripperCommand action, without the leading slash.
        ros_scale: GripperCommand position = opening × ros_scale (0.5: the goal is per finger, 1: the full gap).
    """

    joints: tuple[str, ...]
    finger_links: tuple[str, ...]
    max_opening: float
    max_force: float
    speed: float
    action: str
    ros_scale: float


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
        velocity, acceleration: limits per arm joint, rad/s and rad/s².
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
    gripper: GripperProfile
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]
    goal_tolerance: float = 0.01
    goal_time: float = 0.5
