"""Goal words for water that is poured by the percent."""

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.matter import Beads, fill
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import POINTS, Leaf, Window, called, check_shares, strictly
from vlm_bench_tasks.goals.logic import All, Not, all_of
from vlm_bench_tasks.goals.matter import found, seen
from vlm_bench_tasks.goals.moving import Toppled
from vlm_bench_tasks.goals.placing import cavity_of

UPRIGHT = radians(30.0)
"""Lean below which a cup counts as upright (ARNOLD's checker)."""


@serialisable
@dataclass(frozen=True)
class Filled(Window):
    """A share of the beads lies in a vessel, with an error below `within`, counted in the vessel's frame. The robot may hold the vessel.

    The window is open, as in ARNOLD's checker, which counts in a box that grows as the cup tilts. Errors are shares of the group.

    Raises:
        SceneError: a vessel has no cavity, the share or the tolerance is outside 0…1, or the tolerance is 0.

    Attributes:
        beads: the group of beads as it begins.
        vessel: the vessel.
        share: share of the group, 0…1.
        within: tolerance, as a share of the group.
        but: vessels whose content does not count, also if they stand in this one.
    """

    beads: Beads
    vessel: Prop
    share: float
    within: float = POINTS
    but: tuple[Prop, ...] = ()

    def __post_init__(self) -> None:
        for vessel in (self.vessel, *self.but):
            cavity_of(vessel)
        whole = f'the beads of {self.beads.name!r}'
        check_shares(self.vessel.name, whole, ends=('none of them', 'all of them'), share=self.share, tolerance=self.within)
        if self.within == 0.0:
            raise SceneError(f'{self.vessel.name} was given a tolerance of 0, and an error of that much is too much. Give one above 0.')

    @property
    def number(self) -> float:
        """The share."""
        return self.share

    @property
    def ends(self) -> tuple[float, ...]:
        """None of the beads, and all of them."""
        return (0.0, 1.0)

    def missing(self, now: Snapshot) -> int:
        """Return how many more beads belong in the vessel; below 0: how many fewer."""
        return round(self.share * len(self.beads.centres)) - int(self._within(now).sum())

    def error(self, now: Snapshot, start: Snapshot) -> float:
        """Return the share of the group by which the vessel is too full or too empty."""
        return abs(int(self._within(now).sum()) / len(self.beads.centres) - self.share)

    def way(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance from holding and, while beads are missing, that from the vessel to the one they come from, 1 per m."""
        sources = self.but if self.missing(now) > 0 else ()
        here = now.pose(self.vessel.name)
        return self.distance(now, start) + sum(here.distance(now.pose(vessel.name)) for vessel in sources)

    def handled(self, _now: Snapshot) -> tuple[Prop, ...]:
        """Return the vessels that the beads come from; if none is named, they leave this one."""
        return self.but or (self.vessel,)

    def words(self) -> str:
        """Return the goal as a clause."""
        what = f'{100 * self.share:.0f} % of the {len(self.beads.centres)} beads of {self.beads.color.name}'
        return f'{called(self.vessel)} holds {what}, less than {100 * self.within:.0f} points off'

    def props(self) -> tuple[Prop, ...]:
        """Return the vessel, and those whose content does not count."""
        return (self.vessel, *self.but)

    def matter(self) -> tuple[str, ...]:
        """Return the group of beads."""
        return (self.beads.name,)

    def strayed(self, now: Snapshot, since: Snapshot) -> bool:
        """Return whether the vessel moved, or a bead came into it or left it, since an earlier snapshot."""
        return super().strayed(now, since) or bool((self._within(now) != self._within(since)).any())

    def _within(self, now: Snapshot) -> NDArray[np.bool_]:
        centres = seen(now.beads, self.beads.name)
        counted, *others = (found(vessel.at(now.pose(vessel.name)), centres)[1] for vessel in (self.vessel, *self.but))
        return counted & ~np.logical_or.reduce(others) if others else counted


@serialisable
@dataclass(frozen=True)
class Spilt(Leaf):
    """At least a share of the beads lies outside of all of some vessels.

    Raises:
        SceneError: there is no vessel, one has no cavity or is named twice, or the share is outside 0…1 or 0.

    Attributes:
        beads: the group of beads as it begins.
        vessels: the vessels.
        share: share of the group, 0…1.
    """

    beads: Beads
    vessels: tuple[Prop, ...]
    share: float = POINTS

    def __post_init__(self) -> None:
        if not self.vessels:
            raise SceneError(f'Beads of {self.beads.name!r} that are spilt lie outside of some vessels. Name at least one.')
        for vessel in self.vessels:
            cavity_of(vessel)
        if len({vessel.name for vessel in self.vessels}) < len(self.vessels):
            raise SceneError(f'Spilt was given a vessel twice: {", ".join(vessel.name for vessel in self.vessels)}. Name each once.')
        check_shares('Spilt', f'the beads of {self.beads.name!r}', ends=('none of them', 'all of them'), share=self.share)
        if self.share == 0.0:
            raise SceneError('Spilt was given the share 0, which always lies outside. Give one above 0.')

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether at least that share is spilt."""
        return not strictly(self._spilt(now), self.share)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the share of the group that is missing."""
        return max(0.0, self.share - self._spilt(now))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'at least {100 * self.share:.0f} % of the beads of {self.beads.color.name} are spilt'

    def props(self) -> tuple[Prop, ...]:
        """Return the vessels."""
        return self.vessels

    def matter(self) -> tuple[str, ...]:
        """Return the group of beads."""
        return (self.beads.name,)

    def _spilt(self, now: Snapshot) -> float:
        centres = seen(now.beads, self.beads.name)
        within = [found(vessel.at(now.pose(vessel.name)), centres)[1] for vessel in self.vessels]
        return float((~np.logical_or.reduce(within)).mean())


def poured_out(beads: Beads, cup: Prop, left: float) -> All:
    """Return the goal that a share of the beads is left in a cup, which is upright. Where the others lie does not matter.

    Raises:
        SceneError: the cup holds no more than that at the start, or as described at `Filled`.
    """
    goal = Filled(beads, cup, left)
    _check_pours(goal, fill(cup, beads.centres) - left, cup)
    return all_of(goal, Not(Toppled(cup, UPRIGHT)))


def transferred(beads: Beads, source: Prop, twin: Prop, share: float) -> All:
    """Return the goal that a share of the beads is in the twin, less than a tenth of them is spilt, and both cups are upright.

    Raises:
        SceneError: the source holds too few beads for that, the twin holds that share at the start, or as described at `Filled`.
    """
    goal = Filled(beads, twin, share, but=(source,))
    more = share - fill(twin, beads.centres)
    _check_pours(goal, more, source)
    if fill(source, beads.centres) <= more - goal.within:
        raise SceneError(
            f'{source.name!r} holds {100 * fill(source, beads.centres):.0f} % of the beads of {beads.name!r} at the start, and {more:.0%} '
            f'of them are to go from there to {twin.name!r}. Fill it further, or ask for less.'
        )
    return all_of(goal, Not(Toppled(source, UPRIGHT)), Not(Toppled(twin, UPRIGHT)), Not(Spilt(beads, (source, twin))))


def _check_pours(goal: Filled, flows: float, source: Prop) -> None:
    """Check that a share of the beads has to flow, more than the goal's tolerance, and that there are beads to pour."""
    if not fill(source, goal.beads.centres):
        raise SceneError(f'No beads of {goal.beads.name!r} are in {source.name!r} at the start, so nothing can be poured from it. Fill it.')
    if flows <= goal.within:
        raise SceneError(
            f'{goal.vessel.name!r} holds {100 * fill(goal.vessel, goal.beads.centres):.0f} % of the beads of {goal.beads.name!r} at the '
            f'start, and the goal is {100 * goal.share:.0f} % with a tolerance of {100 * goal.within:.0f} points: nothing would be left '
            'to pour. Choose another start or goal.'
        )
