"""Words for what has been poured and wiped."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Floats, Vector
from vlm_bench_sim.core.matter import Beads, Dirt, inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf, called

T = TypeVar('T')

HALF = 0.5
"""Share of VLMbench's drops that must arrive, and of its dirt that must go: 10 of 20, 25 of 50."""


@serialisable
@dataclass(frozen=True)
class Poured(Leaf):
    """At least a share of the beads lies in a vessel, counted in its own frame.

    Raises:
        SceneError: the vessel holds nothing, or so many of the beads begin in it.

    Attributes:
        beads: the group as it begins.
        receiver: the vessel.
        share: of the group, 0…1.
    """

    beads: Beads
    receiver: Prop
    share: float = HALF

    def __post_init__(self) -> None:
        begun = int(inside(self.receiver, self.beads.centres).sum())
        if begun >= self.needed:
            raise SceneError(
                f'{begun} of {len(self.beads.centres)} beads of {self.beads.name!r} begin in {self.receiver.name!r}, where {self.needed} '
                'shall be poured. Name another receiver, or ask for more.'
            )

    @property
    def needed(self) -> int:
        """How many beads make the share."""
        return max(1, ceil(self.share * len(self.beads.centres) - 1e-9))

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether enough of them are in it."""
        return bool(self._within(now)[1].sum() >= self.needed)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the beads that are still needed are from the vessel's middle, the nearest ones, as a mean over all needed, m."""
        centres, within = self._within(now)
        middle = now.pose(self.receiver.name).apply([_middle(self.receiver)])
        away = np.where(within, 0.0, np.linalg.norm(centres - middle, axis=1))
        return float(np.sort(away)[: self.needed].mean())

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'at least {self.needed} of {len(self.beads.centres)} beads of {self.beads.color.name} are in {called(self.receiver)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the vessel."""
        return (self.receiver,)

    def matter(self) -> tuple[str, ...]:
        """Return the group of beads."""
        return (self.beads.name,)

    def _within(self, now: Snapshot) -> tuple[Floats, NDArray[np.bool_]]:
        return _found(self.receiver.at(now.pose(self.receiver.name)), seen(now.beads, self.beads.name))


@serialisable
@dataclass(frozen=True)
class Wiped(Leaf):
    """At least a share of the dirt on an area is gone. Distances are the share that is still too much.

    Raises:
        SceneError: the dirt lies elsewhere.

    Attributes:
        dirt: the patch as it begins.
        area: what it is on.
        share: of the patch, 0…1.
    """

    dirt: Dirt
    area: Prop
    share: float = HALF

    def __post_init__(self) -> None:
        spots = np.abs(self.area.pose.inverse().apply(np.reshape(self.dirt.centres, (-1, 3)))[:, :2])
        beside = int((spots > np.asarray(self.area.size[:2]) / 2).any(axis=1).sum())
        if beside:
            raise SceneError(f'{beside} specks of {self.dirt.name!r} lie beside {self.area.name!r}. Name the area that it is on.')

    @property
    def allowed(self) -> int:
        """How many specks may be left."""
        return int((1.0 - self.share) * len(self.dirt.centres) + 1e-9)

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether enough of it is gone."""
        return len(seen(now.dirt, self.dirt.name)) <= self.allowed

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the share of the patch that is left and must go."""
        return max(0, len(seen(now.dirt, self.dirt.name)) - self.allowed) / len(self.dirt.centres)

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
    """Return what a snapshot shows of a group of beads, or of a patch of dirt.

    Raises:
        SceneError: it shows none of that name.
    """
    if name not in matter:
        raise SceneError(f'The snapshot shows no beads or dirt called {name!r}. {near(name, matter)}')
    return matter[name]


@lru_cache(maxsize=8)
def _found(vessel: Prop, beads: tuple[Vector, ...]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the beads' centres, (n, 3) m, and (n,) which lie in the vessel. A judge asks four times about each snapshot."""
    centres = np.array(beads)
    within = inside(vessel, centres)
    for array in (centres, within):
        array.setflags(write=False)
    return centres, within


def _middle(vessel: Prop) -> Floats:
    cavity = vessel.solid.cavity
    return np.zeros(3) if cavity is None else np.asarray(cavity.centre)
