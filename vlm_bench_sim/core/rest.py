"""When a prop counts as being at rest."""

from dataclasses import dataclass

from vlm_bench_sim.core.algebra import norm
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
