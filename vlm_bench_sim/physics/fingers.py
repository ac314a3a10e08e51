"""What fingers hold, by the pushes of their contacts."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import hypot

from vlm_bench_sim.core.control import ARRIVED, FingerControl
from vlm_bench_sim.physics.contacts import Pushes

_OPPOSED = -0.5  # cosine between the summed contact normals of the two fingers


class Fingers(FingerControl, ABC):
    """A parallel gripper in an engine: moves at its speed, holds with its force, and distinguishes a stall from an arrival."""

    @abstractmethod
    def drive(self) -> None:
        """Set the finger motors for one physics step."""

    def lose(self, _name: str) -> None:
        """Do nothing when a prop is removed: fingers hold by friction alone."""

    def holds(self, pushes: Pushes, opening: Callable[[], float]) -> str:
        """Return the prop between the fingers, '' for none: both push it from opposite sides, and they are not wide open."""
        if not pushes or opening() > self._profile.max_opening - ARRIVED:
            return ''
        for name in sorted(pushes):
            sides = [push for push in pushes[name].values() if any(push)]
            if len(sides) == 2 and sum(a * b for a, b in zip(*sides, strict=True)) < _OPPOSED * hypot(*sides[0]) * hypot(*sides[1]):
                return name
        return ''
