"""Rest: when a prop counts as lying still."""

from dataclasses import dataclass

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.snapshot import Body


@dataclass(frozen=True)
class Calm:
    """Speeds below which a prop lies still: `linear` m/s, `angular` rad/s."""

    linear: float
    angular: float

    def lies_still(self, now: Body, before: Body | None, seconds: float) -> bool:
        """Tell whether a prop lies still: its velocity is small, or it has moved no more than that velocity would since `before`.

        Two ways to be still, because a solver rocks what is slender by a hair's breadth for ever: it reports 0.13 rad/s of a pencil that
        turns by less than 0.014 rad in a second.

        Args:
            now: of the prop.
            before: of the same prop, some control periods ago; None: only its velocity tells.
            seconds: since then.
        """
        if norm(now.linear) < self.linear and norm(now.angular) < self.angular:
            return True
        if before is None or seconds <= 0.0:
            return False
        moved, turned = before.pose.distance(now.pose) / seconds, before.pose.angle(now.pose) / seconds
        return bool(moved < self.linear and turned < self.angular)


REST = Calm(0.005, 0.05)
"""What a judge takes for rest."""
