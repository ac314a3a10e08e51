"""Dense reward of one leaf: how far a robot has come towards making it true. A pure function of the snapshot and the first one.

While the leaf does not hold, it is, from 0 to 0.9,

    (HAND · h + THING · nearness(way, far / 10) − begun) / (1 − begun)

- `h` is 1 where the robot has what it must take or push (`Leaf.taken`) or no way is left, and else half the nearness(reach, `CLOSE`);
- `way` is what is left to do in the leaf's own unit (`Leaf.way`), and `far` the same where the leaf's turn began, at least `Leaf.SCALE`;
- `begun` is `HAND` where the robot had it when the leaf's turn began, so that this earns nothing, and else 0.

A leaf's turn begins with the episode, or in a later part of `Then` when the part before has passed.

A leaf that holds has 1. It is rounded to `DECIMALS`, so that the tremble of a waiting arm is no progress. There is no exponential:
quotients are the same bits on every processor.
"""

from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf

HAND, THING = 0.35, 0.55
"""Shares of a leaf's reward for having the thing in hand, and for bringing it nearer."""

CLOSE = 0.1
"""Distance of the tool from the thing at which a quarter of `HAND` is reached, m."""

DECIMALS = 4
"""Decimals of the reward: 0.1 mm of a way of 0.1 m is more than one step of the last."""


class Shaping:
    """Dense reward of a leaf while it does not hold.

    Args:
        leaf: the leaf.
        start: the first snapshot.
        begin: the snapshot with which the leaf's turn began.
    """

    def __init__(self, leaf: Leaf, start: Snapshot, *, begin: Snapshot) -> None:
        self._leaf, self._start = leaf, start
        self._half = max(leaf.way(begin, start), leaf.SCALE) / 10
        self._begun = HAND if leaf.taken(begin) else 0.0

    def __call__(self, now: Snapshot) -> float:
        """Return the reward, 0…0.9."""
        way = self._leaf.way(now, self._start)
        hand = 1.0 if way == 0.0 or self._leaf.taken(now) else nearness(self._leaf.reach(now), CLOSE) / 2
        earned = HAND * hand + THING * nearness(way, self._half) - self._begun
        return round(max(0.0, earned) / (1.0 - self._begun), DECIMALS)


def nearness(distance: float, half: float) -> float:
    """Return 1 at no distance, 1/2 at `half`, and less and less beyond, never 0."""
    return half / (half + distance)
