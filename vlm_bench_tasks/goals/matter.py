"""Goal words for pouring and wiping."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Floats, Vector
from vlm_bench_sim.core.matter import Beads, Dirt, inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.reaching import gap, in_hand

T = TypeVar('T')

HALF = 0.5
"""Share of drops that must arrive, and of dirt that must be removed, in VLMbench: 10 of 20, 25 of 50."""


@serialisable
@dataclass(frozen=True)
class Poured(Leaf):
    """At least a given share of the beads lies in a vessel, counted in the vessel's frame.

    Raises:
        SceneError: the vessel has no cavity, or that many beads are in it at the start.

    Attributes:
        beads: the group of beads as it begins.
        receiver: the vessel.
        share: share of the group, 0…1.
    """

    beads: Beads
    receiver: Prop
    share: float = HALF

    def __post_init__(self) -> None:
        begun = int(inside(self.receiver, self.beads.centres).sum())
        if begun >= self.needed:
            raise SceneError(
                f'{begun} of {len(self.beads.centres)} beads of {self.beads.name!r} start in {self.receiver.name!r}, and the goal needs '
                f'only {self.needed}. Name another receiver, or require more.'
            )

    @property
    def needed(self) -> int:
        """The number of beads that make the share."""
        return max(1, ceil(self.share * len(self.beads.centres) - 1e-9))

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether enough beads are in the vessel."""
        return bool(self._within(now)[1].sum() >= self.needed)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the sum of distances from the vessel's middle to the nearest beads still missing, divided by the number needed, m."""
        centres, within = self._within(now)
        middle = now.pose(self.receiver.name).apply([_middle(self.receiver)])
        away = np.where(within, 0.0, np.linalg.norm(centres - middle, axis=1))
        return float(np.sort(away)[: self.needed].mean())

    def reach(self, now: Snapshot) -> float:
        """Return how far the tool is from the middle of the beads outside of the vessel, m."""
        return norm(np.subtract(now.tool.position, self._outside(now)))

    def taken(self, now: Snapshot) -> bool:
        """Return whether the robot holds the prop that is nearest to the middle of the beads outside of the vessel."""
        middle = self._outside(now)
        return now.held == min(now.bodies, key=lambda name: norm(np.subtract(now.pose(name).position, middle)))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'at least {self.needed} of {len(self.beads.centres)} beads of {self.beads.color.name} are in {called(self.receiver)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the vessel."""
        return (self.receiver,)

    def matter(self) -> tuple[str, ...]:
        """Return the group of beads."""
        return (self.beads.name,)

    def _outside(self, now: Snapshot) -> Floats:
        """Return the middle of the beads outside of the vessel, (3,) m; of all if none is left."""
        centres, within = self._within(now)
        middle: Floats = (centres if within.all() else centres[~within]).mean(axis=0)
        return middle

    def _within(self, now: Snapshot) -> tuple[Floats, NDArray[np.bool_]]:
        return found(self.receiver.at(now.pose(self.receiver.name)), seen(now.beads, self.beads.name))


@serialisable
@dataclass(frozen=True)
class Wiped(Leaf):
    """At least a given share of the dirt on an area is gone. The distance is the share that must still go.

    Raises:
        SceneError: the dirt is not on the area.

    Attributes:
        dirt: the patch of dirt as it begins.
        area: the prop that it is on.
        share: share of the patch, 0…1.
    """

    dirt: Dirt
    area: Prop
    share: float = HALF

    def __post_init__(self) -> None:
        spots = np.abs(self.area.pose.inverse().apply(np.reshape(self.dirt.centres, (-1, 3)))[:, :2])
        beside = int((spots > np.asarray(self.area.size[:2]) / 2).any(axis=1).sum())
        if beside:
            raise SceneError(f'{beside} specks of {self.dirt.name!r} lie beside {self.area.name!r}. Name the area that the dirt is on.')

    @property
    def allowed(self) -> int:
        """The number of specks that may be left."""
        return int((1.0 - self.share) * len(self.dirt.centres) + 1e-9)

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether enough dirt is gone."""
        return len(seen(now.dirt, self.dirt.name)) <= self.allowed

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the share of the patch that must still be removed."""
        return max(0, len(seen(now.dirt, self.dirt.name)) - self.allowed) / len(self.dirt.centres)

    def way(self, now: Snapshot, start: Snapshot) -> float:
        """Return the share that must still be removed and, 1 per m, the distance of the wiper from the area."""
        if self.dirt.wiper not in now.bodies:
            return self.distance(now, start)
        return self.distance(now, start) + gap(now.pose(self.dirt.wiper).position, now.pose(self.area.name), self.area.size)

    def reach(self, now: Snapshot) -> float:
        """Return how far the tool is from the wiper's middle, m."""
        return now.tool.distance(now.pose(self.dirt.wiper)) if self.dirt.wiper in now.bodies else 0.0

    def taken(self, now: Snapshot) -> bool:
        """Return whether the robot holds the wiper, or nobody sees where that is."""
        return self.dirt.wiper not in now.bodies or in_hand(self.dirt.wiper, now)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'at most {self.allowed} of {len(self.dirt.centres)} specks of dirt are left on {called(self.area)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the area."""
        return (self.area,)

    def matter(self) -> tuple[str, ...]:
        """Return the patch."""
        return (self.dirt.name,)


def seen(matter: Mapping[str, T], name: str) -> T:
    """Return a snapshot's entry for a group of beads or a patch of dirt.

    Raises:
        SceneError: the snapshot has no entry of that name.
    """
    if name not in matter:
        raise SceneError(f'The snapshot shows no beads or dirt called {name!r}. {near(name, matter)}')
    return matter[name]


@lru_cache(maxsize=8)
def found(vessel: Prop, beads: tuple[Vector, ...]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the beads' centres, (n, 3) m, and whether each is in the vessel, (n,). Cached: a judge asks four times per snapshot."""
    centres = np.array(beads)
    within = inside(vessel, centres)
    for array in (centres, within):
        array.setflags(write=False)
    return centres, within


def _middle(vessel: Prop) -> Floats:
    cavity = vessel.solid.cavity
    return np.zeros(3) if cavity is None else np.asarray(cavity.centre)
