"""Pools and splits: what an episode may draw from. They are frozen values that are passed in, never a global mode."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from vlm_bench_sim.core.errors import SplitError, TaskError, near, quoted
from vlm_bench_sim.core.looks import Color

POOLED = ('color', 'shape')
"""Axes with a pool."""

AXES = (*POOLED, 'size', 'relative', 'direction', 'level', 'action', 'amount', 'region')
"""All axes. Along an axis without a pool, a split supplies all of its pools."""


@dataclass(frozen=True)
class Pools:
    """The values that a draw chooses from.

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
            SplitError: there is no such group.
        """
        if group not in self.shape:
            raise SplitError(f'The split holds no shapes called {quoted(group)}. {near(group, self.shape)}')
        return self.shape[group]


@dataclass(frozen=True)
class Splits:
    """The splits of one family of tasks.

    Attributes:
        base: the split that supplies every axis except the one that varies.
        pools: pools of each split.
        seeds: seeds of each split's published episodes. A split that is not listed may use all seeds.
    """

    base: str
    pools: Mapping[str, Pools]
    seeds: Mapping[str, range] = field(default_factory=dict)

    def __post_init__(self) -> None:
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
        of_split = POOLED if axis not in POOLED else (axis,)
        mixed = {name: getattr(self.pools[split if name in of_split else self.base], name) for name in POOLED}
        return Pools(**mixed)
