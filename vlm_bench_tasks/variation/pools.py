"""Pools and splits: what an episode may draw from. They are frozen values that are passed in, never a global mode."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from vlm_bench_sim.core.errors import SplitError, TaskError, near, quoted
from vlm_bench_sim.core.looks import Color, Look

POOLED = ('color', 'look', 'shape', 'palette')
"""Axes with a pool."""

AXES = (*POOLED, 'size', 'relative', 'direction', 'level', 'action', 'amount', 'region', 'goal')
"""All axes. Along an axis without a pool, a split supplies all of its pools."""


@dataclass(frozen=True)
class Pools:
    """The values that a draw chooses from.

    Attributes:
        color: colors of props.
        shape: kinds of things by group, for example 'solid' or 'mug'.
        look: colors with patterns, by group of things that wear them.
        goal: numbers that goals ask for by task, for example 'open_drawer': m, degrees, or shares.
        seen: the same of the base split, which a policy learns from.
        room: names of rooms around the table. Empty: nothing is around it.
        palette: names of rooms whose palettes a room may have along the axis 'palette'. Empty: those of `room`.
    """

    color: tuple[Color, ...]
    shape: Mapping[str, tuple[str, ...]]
    goal: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    seen: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    room: tuple[str, ...] = ()
    palette: tuple[str, ...] = ()
    look: Mapping[str, tuple[Look, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'palette', self.palette or self.room)
        for name in ('shape', 'goal', 'seen', 'look'):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def kinds(self, group: str) -> tuple[str, ...]:
        """Return the kinds of a group.

        Raises:
            SplitError: there is no such group.
        """
        if group not in self.shape:
            raise SplitError(f'The split holds no shapes called {quoted(group)}. {near(group, self.shape)}')
        return self.shape[group]

    def looks(self, group: str) -> tuple[Look, ...]:
        """Return the looks of a group.

        Raises:
            SplitError: there is no such group.
        """
        if group not in self.look:
            raise SplitError(f'The split holds no looks called {quoted(group)}. {near(group, self.look)}')
        return self.look[group]

    def goals(self, task: str) -> tuple[float, ...]:
        """Return the numbers that a task's goal may ask for, ascending.

        Raises:
            SplitError: there are none.
        """
        if task not in self.goal:
            raise SplitError(f'The split holds no goals of {quoted(task)}. {near(task, self.goal)}')
        return self.goal[task]


@dataclass(frozen=True)
class Splits:
    """The splits of one family of tasks.

    Attributes:
        base: the split that supplies every axis except the one that varies.
        pools: pools of each split.
        seeds: seeds of each split's published episodes. A split that is not listed may use all seeds.
        factor: the one pool by which a split differs from the base; '' if it differs from it only by its seeds. Empty: a split may differ
            in every pool.
        overlaps: splits whose factor may hold values of the base, too: any goal at all.
    """

    base: str
    pools: Mapping[str, Pools]
    seeds: Mapping[str, range] = field(default_factory=dict)
    factor: Mapping[str, str] = field(default_factory=dict)
    overlaps: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, 'factor', MappingProxyType(dict(self.factor)))
        object.__setattr__(self, 'seeds', MappingProxyType(dict(self.seeds)))
        object.__setattr__(self, 'pools', MappingProxyType(dict(self.pools)))

    def along(self, axis: str, split: str) -> Pools:
        """Return pools with the given axis from the split and all others from the base. For an axis without a pool, use all of the split.

        Raises:
            SplitError: there is no such split.
            TaskError: there is no such axis.
        """
        if split not in self.pools:
            raise SplitError(f'There is no split called {quoted(split)}. {near(split, self.pools)}')
        if axis not in AXES:
            raise TaskError(f'There is no axis called {axis!r}. {near(axis, AXES)}')
        if axis not in POOLED:
            return self.pools[split]
        return replace(self.pools[self.base], **{axis: getattr(self.pools[split], axis)})
