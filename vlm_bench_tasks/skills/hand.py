"""Opening and closing whatever hand the robot has."""

from vlm_bench_sim.core.command import Grip, Seal
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.robot import RobotProfile, SuctionProfile
from vlm_bench_sim.core.snapshot import Snapshot

_ROOM = 0.02  # m by which the fingers open beyond what they held
_OPEN = 0.9  # share of the greatest opening
_PRESS = 0.001  # m by which suction cups press on what they shall seal


def open_hand(profile: RobotProfile) -> Grip | Seal:
    """Open as far as it goes, or let the cups go."""
    return Seal(on=False) if isinstance(profile.gripper, SuctionProfile) else Grip(profile.gripper.max_opening)


def ready_hand(profile: RobotProfile, grasp: Grasp) -> Grip | Seal:
    """Make ready for a grasp: the fingers as wide as it needs, the cups without suction."""
    return Seal(on=False) if isinstance(profile.gripper, SuctionProfile) else Grip(grasp.opening)


def close_hand(profile: RobotProfile) -> Grip | Seal:
    """Take hold."""
    return Seal(on=True) if isinstance(profile.gripper, SuctionProfile) else Grip(0.0)


def release(profile: RobotProfile, now: Snapshot) -> Grip | Seal:
    """Let go of what is held, perturbing its surroundings as little as can be."""
    return Seal(on=False) if isinstance(profile.gripper, SuctionProfile) else Grip(min(profile.gripper.max_opening, now.opening + _ROOM))


def press(profile: RobotProfile) -> float:
    """Return how far beyond the grasp the tool goes along its approach, m."""
    return _PRESS if isinstance(profile.gripper, SuctionProfile) else 0.0


def swings(profile: RobotProfile) -> bool:
    """Tell whether what is held hangs on a cup, from which a way overhead flings it."""
    return isinstance(profile.gripper, SuctionProfile)


def opened(profile: RobotProfile, now: Snapshot) -> bool:
    """Tell whether a hand that was closed on something has let go by itself: fingers stand open, cups hold nothing."""
    gripper = profile.gripper
    return not now.held and (isinstance(gripper, SuctionProfile) or now.opening > _OPEN * gripper.max_opening)
