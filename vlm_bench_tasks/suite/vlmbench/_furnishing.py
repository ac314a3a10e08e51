"""Furniture by chance: which model, in which finish, and where before the robot it stands."""

from math import radians

from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import FINISHES, furniture
from vlm_bench_tasks.variation import furnishing
from vlm_bench_tasks.variation.furnishing import BEARING, started

CHEST_AT, DOOR_AT = (0.76, 0.82), (0.66, 0.72)
"""How far the middle of a front is from the robot's axis, m."""

CHEST_YAW, DOOR_YAW = radians(45.0), radians(22.5)
"""How far a piece may be turned from facing along -x (VLMbench), rad."""


class Furnishing(furnishing.Furnishing):
    """Draws furniture."""

    def chest(self, **opened: float) -> Mechanism:
        """Return a chest of three drawers, `LEVELS`; those that are named start open by a share of their range."""
        return self.faced(self._drawn('chest', opened), CHEST_AT, CHEST_YAW)

    def door(self, **opened: float) -> Mechanism:
        """Return a door in its frame, whose handle unlatches it; `door=0.5` for one that starts half open."""
        piece = self._drawn('door', opened)
        bearing, yaw = (float(self.layout.uniform(-most, most)) for most in (BEARING, DOOR_YAW))
        return self.stood(piece, float(self.layout.uniform(*DOOR_AT)), bearing, yaw)

    def _drawn(self, group: str, opened: dict[str, float]) -> Mechanism:
        pool, finishes = self.pools.kinds(group), tuple(FINISHES)
        model, finish = (names[int(self.looks.integers(len(names)))] for names in (pool, finishes))
        return started(furniture(model, group, finish), **opened)
