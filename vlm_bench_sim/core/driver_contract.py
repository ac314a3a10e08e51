"""What the bench relies on in a robot's driver, as questions with answers. Independent of ROS."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from math import isfinite, nan
from statistics import median

from vlm_bench_sim.core.frames import Transforms, standing
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile

RATE_HZ = 20.0
"""Least rate of joint states: the observer makes twenty states a second of them."""

SKEW_S = 0.5
"""Greatest difference between a stamp and the clock at which its message arrives, s."""

APART_M = 0.002
"""Greatest distance between two ways of saying where the tool is, m."""

SLACK_RAD = 0.05
"""By how far a measured joint may be beyond its limits, rad."""

TOOL_USER = 'a Policy class'
"""Who needs the pose of the tool."""

APART = 0.25
"""Greatest difference between velocities that are added up over a motion and the way, as a share of the longest way of a joint."""


@dataclass(frozen=True)
class Finding:
    """The answer to one question.

    Attributes:
        asked: what the bench relies on.
        found: what there is instead; '' if it is as asked.
        remedy: what to do about it.
        only: who alone needs it; '' if everything does. What only some need is noted, and differs from nothing.
    """

    asked: str
    found: str = ''
    remedy: str = ''
    only: str = ''

    @property
    def differs(self) -> bool:
        """True if the driver is not as asked."""
        return bool(self.found) and not self.only


@dataclass(frozen=True)
class Topic:
    """Who publishes a topic: types, and whether reliable and latched (transient local); empty if nobody does."""

    types: tuple[str, ...] = ()
    reliable: bool = True
    latched: bool = False


@dataclass(frozen=True)
class Joints:
    """One message of joint states: when it arrived and its stamp, ns; positions and velocities by name, nan if there is none."""

    arrived: int
    stamp: int
    _: KW_ONLY
    positions: Mapping[str, float]
    velocities: Mapping[str, float]


@dataclass
class Heard:
    """What a driver has told while it was listened to for some seconds."""

    seconds: float
    _: KW_ONLY
    topics: dict[str, Topic] = field(default_factory=dict)
    joints: list[Joints] = field(default_factory=list)
    description: str = ''
    transforms: Transforms = field(default_factory=dict)
    tool: tuple[str, Pose] | None = None


def publishes(asked: str, topic: Topic, *, type_: str, latched: bool = False, only: str = '') -> Finding:
    """Return whether a topic is published as asked: with its type, reliable, and latched if it must be; `only`: who alone needs it."""
    what = f'{asked}: {type_}, reliable{", transient local" if latched else ""}'
    if not topic.types:
        return Finding(what, 'nobody publishes it', 'Start the node that does, or remap its topic.', only=only)
    if set(topic.types) != {type_}:
        return Finding(what, f'its type is {", ".join(topic.types)}', f'Publish {type_}.')
    if not topic.reliable:
        return Finding(what, 'it is best effort, so the bench hears nothing', 'Publish it reliable.')
    if latched and not topic.latched:
        return Finding(what, 'it is volatile, so who comes late hears nothing', 'Publish it transient local.')
    return Finding(what)


def joint_states(heard: Heard, profile: RobotProfile) -> tuple[Finding, ...]:
    """Return what joint states are like: their names, rate, units and stamps."""
    return _names(heard, profile), _rate(heard, profile), _units(heard, profile), _stamps(heard)


def _names(heard: Heard, profile: RobotProfile) -> Finding:
    needed = (*profile.joints, *profile.gripper.joints)
    asked = f'/joint_states names {", ".join(needed)}, each with a position'
    known = {name for one in heard.joints for name, position in one.positions.items() if isfinite(position)}
    missing = [name for name in needed if name not in known]
    if missing:
        return Finding(asked, f'{", ".join(missing)} {"is" if len(missing) == 1 else "are"} missing', 'Name the joints as in the URDF.')
    return Finding(asked)


def _of_arm(told: Iterable[Joints], profile: RobotProfile) -> list[Joints]:
    """Return the messages that name a joint of the arm; the gripper's may come by themselves."""
    return [one for one in told if any(name in one.positions for name in profile.joints)]


def _rate(heard: Heard, profile: RobotProfile) -> Finding:
    asked = f'/joint_states comes at least {RATE_HZ:g} times a second'
    rate = len(_of_arm(heard.joints, profile)) / heard.seconds if heard.seconds else 0.0
    return Finding(asked) if rate >= 0.9 * RATE_HZ else Finding(asked, f'it comes {rate:.1f} times a second', 'Raise its rate.')


def _units(heard: Heard, profile: RobotProfile) -> Finding:
    asked = 'positions of the arm are in rad, within the limits of the profile'
    if not _of_arm(heard.joints, profile):
        return Finding(asked, 'no joint of the arm came', 'Name the joints as in the URDF.')
    for one in heard.joints:
        for name, (low, high) in zip(profile.joints, profile.limits, strict=True):
            position = one.positions.get(name)
            if position is not None and not low - SLACK_RAD <= position <= high + SLACK_RAD:
                found = f'{name} is at {position:g}, outside {low:g} … {high:g}'
                return Finding(asked, found, 'Publish rad, not degrees, for the joints of this profile.')
    return Finding(asked)


def _stamps(heard: Heard) -> Finding:
    asked = f'stamps are the times of the system clock (or of /clock), within {SKEW_S:g} s'
    if not heard.joints:
        return Finding(asked, 'there is no joint state', 'Start the driver.')
    skew = median((one.arrived - one.stamp) * 1e-9 for one in heard.joints)
    if abs(skew) <= SKEW_S:
        return Finding(asked)
    found = 'they are 0' if not any(one.stamp for one in heard.joints) else f'they are {abs(skew):.1f} s {"old" if skew > 0 else "ahead"}'
    return Finding(asked, found, 'Stamp each message with the time of its measurement, and synchronise the clocks of the machines.')


def description(heard: Heard, profile: RobotProfile) -> Finding:
    """Return whether the robot description has the joints of the profile."""
    asked = 'the URDF in /robot_description has the joints of the profile'
    missing = [name for name in (*profile.joints, *profile.gripper.joints) if f'name="{name}"' not in heard.description]
    if missing:
        return Finding(asked, f'it lacks {", ".join(missing)}', 'Publish the URDF whose joints the driver moves.')
    return Finding(asked)


def frames(heard: Heard, profile: RobotProfile, expected: Pose) -> Finding:
    """Return whether /tf leads from `world` to the link that carries the tool, and places it where the joints say."""
    asked = f'/tf and /tf_static lead from world to {profile.tool_link}, as the joints say within {1000 * APART_M:g} mm'
    pose = standing(heard.transforms, profile.tool_link)
    if pose is None:
        return Finding(asked, 'they do not', 'Run robot_state_publisher, with a fixed frame world at the base.')
    apart = pose.distance(expected)
    if apart > APART_M:
        return Finding(asked, f'they place it {1000 * apart:.1f} mm off', 'Put the base at the origin of world, or give your own profile.')
    return Finding(asked)


def tool(heard: Heard, expected: Pose) -> Finding:
    """Return whether the pose of the tool is in `world`, where the joints say."""
    asked = f'/arm/tcp_pose is in the frame world, as the joints say within {1000 * APART_M:g} mm'
    if heard.tool is None:
        return Finding(asked, 'nothing came', 'Publish the pose of the tool centre point.', only=TOOL_USER)
    frame, pose = heard.tool
    if frame != 'world':
        return Finding(asked, f'its frame is {frame!r}', 'Transform it to world.')
    apart = pose.distance(expected)
    if apart > APART_M:
        return Finding(asked, f'it is {1000 * apart:.1f} mm off', 'Use the tool centre point of the profile.')
    return Finding(asked)


def velocities(moved: Iterable[Joints], profile: RobotProfile) -> Finding:
    """Return whether velocities are the changes of positions, from the joint states of a motion.

    They are added up over the whole motion, each way by itself: on a busy machine single stamps are late.
    """
    asked = 'velocities of the arm are in rad/s: the changes of its positions'
    pairs = [(one, other) for one, other in pairwise(_of_arm(moved, profile)) if other.stamp > one.stamp]
    worst = most = fastest = said = 0.0
    for name in profile.joints:
        went, told = [0.0, 0.0], [0.0, 0.0]  # forth and back, rad
        for one, other in pairs:
            first, last = one.velocities.get(name, nan), other.velocities.get(name, nan)
            if not (isfinite(first) and isfinite(last)):
                return Finding(asked, f'{name} has none', 'Publish velocities.')
            seconds = (other.stamp - one.stamp) * 1e-9
            change = other.positions.get(name, nan) - one.positions.get(name, nan)
            went[change < 0] += abs(change)
            told[first + last < 0] += abs(first + last) / 2 * seconds
            fastest, said = max(fastest, abs(change) / seconds), max(said, abs(first), abs(last))
        worst = max(worst, *(abs(a - b) for a, b in zip(went, told, strict=True)))
        most = max(most, *went)
    if not most:
        return Finding(asked, 'the arm has not moved', 'Let it move with --move.')
    if worst > APART * most:
        return Finding(asked, f'at {fastest:.3f} rad/s they say {said:.3f}', 'Publish rad/s.')
    return Finding(asked)
