"""Robot profiles: all data that describes one robot."""

from dataclasses import dataclass

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import GripperProfile


@dataclass(frozen=True)
class RobotProfile:
    """One robot with its base at the world's origin.

    Attributes:
        name: name of the profile, for example 'panda'.
        urdf: robot description as XML text, with mesh files as absolute `file://` URLs.
        joints: arm joints in controller order.
        home: home position, rad, one per arm joint.
        tool_link: link that carries the tool.
        tool: pose of the tool centre point in `tool_link` (z forward, y along the finger opening).
        controller: name of the trajectory controller.
        gripper: profile of the gripper.
        velocity: limits per arm joint, rad/s.
        acceleration: limits of planned motions per arm joint, rad/s².
        limits: lowest and highest position per arm joint, rad, from the URDF.
        max_acceleration: the maker's limits per arm joint, rad/s², which only throws come near to; empty: the maker gives none.
        jerk: limits per arm joint, rad/s³; empty if the manufacturer gives none.
        goal_tolerance: default deviation at the end of a trajectory, rad.
        goal_time: default settling time after the last point, s.
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
    limits: tuple[tuple[float, float], ...]
    jerk: tuple[float, ...] = ()
    max_acceleration: tuple[float, ...] = ()
    goal_tolerance: float = 0.01
    goal_time: float = 0.5
