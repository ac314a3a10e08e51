"""When a prop counts as being at rest, and when as having stood still."""

from dataclasses import dataclass
from math import radians

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body


@dataclass(frozen=True)
class Calm:
    """Speeds below which a prop is at rest: `linear` m/s, `angular` rad/s."""

    linear: float
    angular: float

    def lies_still(self, now: Body, before: Body | None, seconds: float) -> bool:
        """Return whether a prop is at rest: its velocity is small, or it moved no further since `before` than that velocity allows.

        The second test is needed because the solver keeps slender props rocking slightly: it reports 0.13 rad/s for a pencil that turns
        by less than 0.014 rad in a second.

        Args:
            now: the prop.
            before: the same prop some control periods ago; None: only the velocity counts.
            seconds: time since then.
        """
        if norm(now.linear) < self.linear and norm(now.angular) < self.angular:
            return True
        if before is None or seconds <= 0.0:
            return False
        moved, turned = before.pose.distance(now.pose) / seconds, before.pose.angle(now.pose) / seconds
        return bool(moved < self.linear and turned < self.angular)


REST = Calm(0.005, 0.05)
"""Speeds below which judges take a prop to be at rest."""


STRAY = 0.0005, radians(0.25)
"""How far a thing that must stand still during a hold may stray from where the hold began, m and rad.

A thing that creeps just within it through a hold of 2 s moves 15 mm or 7.5° in a minute, too slowly to reach any window of ARNOLD's goals.
"""


def strayed(now: Pose, since: Pose) -> bool:
    """Return whether a thing is farther than `STRAY` from where it was."""
    return since.distance(now) > STRAY[0] or since.angle(now) > STRAY[1]
