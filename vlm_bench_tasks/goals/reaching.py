"""Whether the robot has a thing, and how far its tool is from it. The dense reward asks; no verdict depends on it."""

from collections.abc import Sequence
from math import sqrt

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import GRAVITY
from vlm_bench_sim.core.snapshot import ROBOT, Body, Snapshot

FALLING = 0.1
"""Speed from which on something that nothing touches counts as let go, thrown or dropped, m/s."""


def gap(point: Sequence[float], pose: Pose, size: Sequence[float]) -> float:
    """Return the distance of a point in the world from a box, m; 0 within it.

    Args:
        point: (3,) m.
        pose: of the box's middle.
        size: of the box, (3,) m.
    """
    x, y, z = pose.inverse().apply([point])[0]
    return norm([max(0.0, abs(at) - length / 2) for at, length in zip((x, y, z), size, strict=True)])


def in_hand(name: str, now: Snapshot) -> bool:
    """Return whether the robot holds a prop, or the prop is on its way through the air."""
    return now.held == name or _flies(name, now)


def at_hand(name: str, now: Snapshot) -> bool:
    """Return whether the robot touches a prop or a link, or holds it."""
    return now.held == name or now.touches(name, ROBOT)


def landing(body: Body, height: float) -> tuple[float, float]:
    """Return where the origin of a body that is let go now comes down to a height, (x, y) m; if it never rises to it, where it turns."""
    (x, y, z), (u, v, w) = body.pose.position, body.linear
    seconds = max(0.0, w + sqrt(max(0.0, w * w + 2 * GRAVITY * (z - height)))) / GRAVITY
    return x + u * seconds, y + v * seconds


def _flies(name: str, now: Snapshot) -> bool:
    body = now.body(name)
    return now.contacts and norm(body.linear) > FALLING and not any(name in pair for pair in now.touching)
