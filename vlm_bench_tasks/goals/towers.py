"""Goal words for towers whose levels accept any of several props."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, sin

import numpy as np

from vlm_bench_sim.core.areas import Area
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.logic import All
from vlm_bench_tasks.goals.placing import SETTLED, On, Within, place_called

LEVEL = 0.1  # m added to the distance for each missing level after the next


@serialisable
@dataclass(frozen=True)
class Tower(Leaf):
    """A tower stands: each level holds one of its allowed props, on top of the level below, and all are released.

    Each prop must be on the one below as `On` requires. With a `place`, the lowest prop lies there on the ground as `Within` requires.

    Attributes:
        levels: the allowed props of each level, from the lowest.
        place: where it stands; None: anywhere.

    Raises:
        TaskError: a level has no prop, or there are too few levels.
    """

    NEEDS_CONTACTS = True

    levels: tuple[tuple[Prop, ...], ...]
    place: Prop | Area | None = None

    def __post_init__(self) -> None:
        if len(self.levels) < (1 if self.place else 2) or not all(self.levels):
            found = [len(level) for level in self.levels]
            raise TaskError(
                f'A tower needs two or more levels (one if it has a place), and a prop for each; found {found} props. Add some.'
            )

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether all levels stand."""
        return len(self.standing(now)) == len(self.levels)

    def standing(self, now: Snapshot) -> tuple[Prop, ...]:
        """Return the props of the highest partial tower, from the lowest."""
        # Cached: a judge asks four times per snapshot, for `holds` and `distance`, for the verdict and for the report.
        kept = self.__dict__.get('_kept')
        if kept is None or kept[0] is not now:
            kept = self.__dict__['_kept'] = (now, self._highest(now))
        stands: tuple[Prop, ...] = kept[1]
        return stands

    def _highest(self, now: Snapshot) -> tuple[Prop, ...]:
        best: tuple[Prop, ...] = ()
        for chain in self._chains((), now):
            best = chain if len(chain) > len(best) else best
            if len(best) == len(self.levels):
                break
        return best

    def _chains(self, below: tuple[Prop, ...], now: Snapshot) -> Iterator[tuple[Prop, ...]]:
        yield below
        for prop in self.levels[len(below)] if len(below) < len(self.levels) else ():
            if prop not in below and self._lies(prop, below, now):
                yield from self._chains((*below, prop), now)

    def _lies(self, prop: Prop, below: tuple[Prop, ...], now: Snapshot) -> bool:
        if below:
            return now.touches(prop.name, below[-1].name) and On(prop, below[-1]).holds(now, now)
        if self.place is None:
            return now.held != prop.name and not now.touches(prop.name, ROBOT)
        return _apart(prop, self.place, now) == 0.0 and self.first(prop, self.place).holds(now, now)

    @staticmethod
    def first(prop: Prop, place: Prop | Area) -> Within:
        """Return the goal that a prop is the lowest of a tower."""
        return Within(prop, place, height=2 * SETTLED)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance of the nearest prop from the next level, plus 0.1 m for each level after it, m."""
        stands = self.standing(now)
        if len(stands) == len(self.levels):
            return 0.0
        waiting = [prop for prop in self.levels[len(stands)] if prop not in stands]
        after = LEVEL * (len(self.levels) - len(stands) - 1)
        target = stands[-1] if stands else self.place
        if not waiting or target is None:
            return LEVEL + after
        near = min(waiting, key=lambda prop: _apart(prop, target, now))
        next_one = On(near, stands[-1]) if stands else self.first(near, target)
        return next_one.distance(now, start) + after

    def handled(self, now: Snapshot) -> tuple[Prop, ...]:
        """Return the props that may become the next level."""
        stands = self.standing(now)
        return tuple(prop for prop in self.levels[len(stands)] if prop not in stands) if len(stands) < len(self.levels) else ()

    def words(self) -> str:
        """Return the goal as a clause."""
        where = f' in {place_called(self.place)}' if self.place else ''
        return f'a tower stands{where}: {", on it ".join(_any_of(level) for level in self.levels)}'

    def props(self) -> tuple[Prop, ...]:
        """Return all allowed props, and the zone it stands in if that is a prop."""
        named = [prop for level in self.levels for prop in level] + ([self.place] if isinstance(self.place, Prop) else [])
        return tuple({prop.name: prop for prop in named}.values())


def tower(*levels: tuple[Prop, ...], place: Prop | Area | None = None) -> All:
    """Return the goal that a tower stands, with one part per level: each placed prop counts, until it falls."""
    lowest = 1 if place else 2
    return All(tuple(Tower(levels[:height], place) for height in range(lowest, len(levels) + 1)))


def _apart(prop: Prop, place: Prop | Area, now: Snapshot) -> float:
    """Return the horizontal distance of a prop's middle from a place, m. It is 0 if at least half of the outline lies there."""
    at = now.pose(place.name) if isinstance(place, Prop) else place.pose
    (x, y, _), yaw = np.subtract(now.pose(prop.name).position, at.position), at.yaw
    ahead, aside = abs(x * cos(yaw) + y * sin(yaw)), abs(y * cos(yaw) - x * sin(yaw))
    return hypot(max(0.0, ahead - place.size[0] / 2), max(0.0, aside - place.size[1] / 2))


def _any_of(level: tuple[Prop, ...]) -> str:
    names = list(dict.fromkeys(called(prop) for prop in level))
    if len(level) == 1:
        return names[0]
    return f'any {names[0].removeprefix("the ")}' if len(names) == 1 else f'one of {", ".join(names)}'
