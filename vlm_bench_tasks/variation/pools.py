"""Pools and splits: what an episode may draw from. Frozen, made once and passed in; a split is a value, never a mode."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from vlm_bench_sim.core.errors import SplitError, TaskError, near, quoted
from vlm_bench_sim.core.looks import Color

POOLED = ('color', 'shape')
"""Axes that pools exist for."""

AXES = (*POOLED, 'size', 'relative', 'direction', 'level', 'action', 'amount', 'region')
"""All axes. Of those without a pool, a split supplies everything that it holds."""


@dataclass(frozen=True)
class Pools:
    """What the draws come from.

    Attributes:
        color: colors of props.
        shape: kinds of things by group, for example 'solid' or 'mug'.
    """

    color: tuple[Color, ...]
    shape: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, 'shape', MappingProxyType(dict(self.shape)))

    def kinds(self, group: str) -> tuple[str, ...]:
        """Return the kinds of a group.

        Raises:
            SplitError: the pools hold no such group.
        """
        if group not in self.shape:
            raise SplitError(f'The split holds no shapes called {quoted(group)}. {near(group, self.shape)}')
        return self.shape[group]


@dataclass(frozen=True)
class Splits:
    """The splits of one family of tasks.

    Attributes:
        base: the split that supplies every axis but the one that varies.
        pools: by split.
        seeds: by split, those of its published episodes; a split that is not named has them all.
    """

    base: str
    pools: Mapping[str, Pools]
    seeds: Mapping[str, range] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'seeds', MappingProxyType(dict(self.seeds)))
        object.__setattr__(self, 'pools', MappingProxyType(dict(self.pools)))

    def along(self, axis: str, split: str) -> Pools:
        """Return the pools in which the given axis comes from the split and all others from the base; an axis without a pool takes all.

        Raises:
            SplitError: there is no such split.
            TaskError: no pool belongs to that axis.
        """
        if split not in self.pools:
            raise SplitError(f'There is no split called {quoted(split)}. {near(split, self.pools)}')
        if axis not in AXES:
            raise TaskError(f'There is no axis called {axis!r}. {near(axis, AXES)}')
        of_split = POOLED if axis not in POOLED else (axis,)
        mixed = {name: getattr(self.pools[split if name in of_split else self.base], name) for name in POOLED}
        return Pools(**mixed)
