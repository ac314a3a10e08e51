"""All commands that a policy can send to the robot. Both routes (in process, ROS), the recorder and the Gymnasium actions use it.

A command begins at the start of a control period. The policy is asked for the next one when it has ended.
"""

from dataclasses import dataclass
from math import isfinite

from vlm_bench_sim.core.algebra import all_on_grid
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.constraint import MotionConstraint
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip as Grip
from vlm_bench_sim.core.gripper import Seal as Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_NS

LIMIT_SLACK = 1e-3
"""Tolerance of the joint limits, rad: an arm that rests at a limit may measure slightly beyond it."""


@serialisable
@dataclass(frozen=True)
class Point:
    """A trajectory point: time in ns since the start, positions (rad), velocities (rad/s; empty: not given).

    Positions and velocities are rounded to 1e-6 (`algebra.on_grid`).
    """

    time_ns: int
    positions: tuple[float, ...]
    velocities: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, 'positions', all_on_grid(self.positions))
        object.__setattr__(self, 'velocities', all_on_grid(self.velocities))


@serialisable
@dataclass(frozen=True)
class Joints:
    """Hold these arm positions, rad. The arm reaches them within one control period if the limits allow.

    They are rounded to 1e-6 (`algebra.on_grid`).
    """

    positions: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, 'positions', all_on_grid(self.positions))


@serialisable
@dataclass(frozen=True)
class Chunk:
    """Follow an arm trajectory, joints in the profile's order. Ends when its last point has passed and the arm is within tolerance.

    Attributes:
        points: times strictly increasing.
        path_tolerance: greatest deviation on the way, rad, one per joint; empty: not checked.
        goal_tolerance: greatest deviation at the end, rad, one per joint; empty: the profile's.
        goal_time_ns: time that the arm may take to settle after the last point, ns; 0: the profile's.
    """

    points: tuple[Point, ...]
    path_tolerance: tuple[float, ...] = ()
    goal_tolerance: tuple[float, ...] = ()
    goal_time_ns: int = 0


@serialisable
@dataclass(frozen=True)
class ToolPose:
    """Move the tool to a pose on a planned, collision-free path.

    Raises:
        CommandError: the pose is not finite, or its quaternion is zero.

    Attributes:
        pose: goal of the tool centre point in the world.
        straight: whether the tool moves on a straight line and turns evenly (a Cartesian path).
        allowed: props that the gripper may touch on the way, such as the one to grasp.
        speed: share of the robot's velocity and acceleration limits, 0…1.
        constraint: constraint on the tool during the whole motion; None for none.
    """

    pose: Pose
    straight: bool = False
    allowed: tuple[str, ...] = ()
    speed: float = 1.0
    constraint: MotionConstraint | None = None

    def __post_init__(self) -> None:
        # Normalise here and in messages alike, so that both routes plan with the same bits.
        object.__setattr__(self, 'pose', Pose.of(self.pose.position, self.pose.orientation))


@serialisable
@dataclass(frozen=True)
class Both:
    """Command arm and gripper for one control period: the action of a closed-loop policy.

    The policy is asked again after one period, whether or not the motions have ended. The outcome is `done` unless the command is refused.

    Attributes:
        arm: set point of the arm, or a trajectory that it begins; None: the arm continues.
        gripper: command for the gripper; None: the gripper continues.
    """

    arm: Joints | Chunk | None = None
    gripper: Grip | Seal | None = None


@serialisable
@dataclass(frozen=True)
class Wait:
    """Let simulated time pass, s."""

    seconds: float


@serialisable
@dataclass(frozen=True)
class Stop:
    """End the episode: the arm holds still and the bench judges the result."""


Command = Joints | Chunk | ToolPose | Grip | Seal | Both | Wait | Stop


@serialisable
@dataclass(frozen=True)
class Hold:
    """A record that the arm or the gripper was stopped and its command abandoned. Policies cannot send it."""

    part: str


def check_points(points: tuple[Point, ...], joints: int) -> None:
    """Check a trajectory as ros2_controllers' joint_trajectory_controller does, and also refuse NaN.

    Raises:
        CommandError: no points, a wrong count, times that do not increase, nonzero final velocities, or a number that is not finite.
    """
    if not points:
        raise CommandError('The trajectory has no points. Send at least one.')
    last = -1
    for i, point in enumerate(points):
        if len(point.positions) != joints or len(point.velocities) not in (0, joints):
            raise CommandError(
                f'Point {i} holds {len(point.positions)} positions and {len(point.velocities)} velocities; '
                f'the arm has {joints} joints. Send {joints} positions, and {joints} velocities or none.'
            )
        if not all(isfinite(v) for v in (*point.positions, *point.velocities)):
            raise CommandError(f'Point {i} holds a number that is not finite. Check the sender for NaN.')
        if point.time_ns <= last:
            raise CommandError(f'Times must strictly increase from 0; point {i} is at {point.time_ns} ns after {last} ns.')
        last = point.time_ns
    if any(abs(v) > 1e-6 for v in points[-1].velocities):
        raise CommandError(f'The last velocity must be zero; found {points[-1].velocities}. End the trajectory at rest.')


def check_limits(points: tuple[Point, ...], profile: RobotProfile) -> None:
    """Check that a trajectory, joints in the profile's order, stays within the joint limits.

    Raises:
        CommandError: a position exceeds a limit by more than `LIMIT_SLACK`.
    """
    for i, point in enumerate(points):
        for name, position, (low, high) in zip(profile.joints, point.positions, profile.limits, strict=True):
            if not low - LIMIT_SLACK <= position <= high + LIMIT_SLACK:
                raise CommandError(
                    f'Point {i} sends {name} to {position:.6g} rad; its limits are {low:g} and {high:g} rad. Send a position within them.'
                )


def check_chunk(chunk: Chunk, joints: int) -> None:
    """Check a chunk's points and tolerances.

    Raises:
        CommandError: as `check_points`; or the tolerances are neither empty nor one number ≥ 0 per joint.
    """
    check_points(chunk.points, joints)
    for name, given in (('path', chunk.path_tolerance), ('goal', chunk.goal_tolerance)):
        if len(given) not in (0, joints) or not all(v >= 0.0 for v in given):
            raise CommandError(f'The {name} tolerance is {given}. Send one number from 0 (rad) for each of the {joints} joints, or none.')


def end_ns(chunk: Chunk) -> int:
    """Return the time of the last point, rounded up to a control period, ns."""
    return -(-chunk.points[-1].time_ns // PERIOD_NS) * PERIOD_NS
