"""Scene sampler: what chance has dealt so far in one episode. A file of kinds (solids, vessels, …) draws through it; `Draw` is its face."""

from functools import cached_property

import numpy as np

from vlm_bench_sim.core.errors import NoRoomError, TaskError
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.models import model
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.language.references import SIDES
from vlm_bench_tasks.variation.placement import TURN, Spacing, Workspace, place
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.streams import Streams

Scale = tuple[float, float]
"""Least and greatest factor."""

_ATTEMPTS = 30


class SceneSampler:
    """The chance of one episode, what may be drawn, where it may stand, and what has been drawn.

    Attributes:
        axis: the axis that varies, for example 'color'.
        pools: what may be drawn.
        workspace: where it may stand.
        attempt: how many layouts of this episode had no room before this one.
        placed: props drawn so far.
        mechanisms: furniture drawn so far.
    """

    def __init__(self, streams: Streams, pools: Pools, *, axis: str, workspace: Workspace, attempt: int = 0) -> None:
        self.axis, self.pools, self.workspace, self.attempt = axis, pools, workspace, attempt
        self.placed: tuple[Prop, ...] = ()
        self.mechanisms: tuple[Mechanism, ...] = ()
        self._streams = streams

    @cached_property
    def layout(self) -> np.random.Generator:
        """Stream of places and of the order of props."""
        return self._streams.generator(f'layout/{self.attempt}' if self.attempt else 'layout')

    @cached_property
    def looks(self) -> np.random.Generator:
        """Stream of shapes, sizes and colors."""
        return self._streams.generator('looks')

    @cached_property
    def language(self) -> np.random.Generator:
        """Stream of the choice of words."""
        return self._streams.generator('language')

    @cached_property
    def values(self) -> np.random.Generator:
        """Stream of what a goal asks for, such as a level, an amount or an angle."""
        return self._streams.generator('values')

    @cached_property
    def matter(self) -> np.random.Generator:
        """Stream of how beads and dirt lie."""
        return self._streams.generator('matter')

    def kinds(self, group: str, count: int) -> list[str]:
        """Return `count` times one kind of a group of the pool; along the axis of shape two or more kinds, each another."""
        pool = self.pools.kinds(group)
        if self.axis != 'shape':
            return [pool[int(self.looks.integers(len(pool)))]] * count
        least = min(2, len(pool))
        return [pool[i] for i in self.looks.permutation(len(pool))[: int(self.looks.integers(least, len(pool) + 1))]]

    def scales(self, count: int, scale: Scale, sizes: tuple[Scale, ...]) -> list[Scale]:
        """Return a range of sizes for each of `count` props: `scale`, or along the axis of size another of `sizes` for each.

        Raises:
            TaskError: there are not as many sizes as props.
        """
        if self.axis != 'size':
            return [scale] * count
        if count != len(sizes):
            raise TaskError(f'{count} props of different sizes were asked for, with {len(sizes)} ranges of sizes. Give one range for each.')
        return list(sizes)

    def colors(self, count: int, noun: str) -> list[Color]:
        """Return colors that no prop of that noun has yet.

        Raises:
            TaskError: the pool holds too few.
        """
        used = {prop.color for prop in self.placed if prop.noun == noun}
        pool = [color for color in self.pools.color if color not in used]
        if count > len(pool):
            raise TaskError(f'{count} more colors were asked for; the split holds {len(pool)} unused ones. Draw fewer props.')
        return [pool[i] for i in self.looks.permutation(len(pool))[:count]]

    def props(
        self, kinds: list[str], *, noun: str, scales: list[Scale], spacing: Spacing, yaw: tuple[float, float] = TURN
    ) -> tuple[Prop, ...]:
        """Return props of these kinds on the table, each in a color that no other of the noun has, in an order that tells nothing.

        Along the axis of relative position they are two, told apart by a side.
        """
        made = self.made(kinds, noun=noun, scales=scales)
        drawn = self._beside(made, spacing, yaw) if self.axis == 'relative' else self.anywhere(made, spacing, yaw)
        return tuple(drawn[i] for i in self.layout.permutation(len(drawn)))

    def made(self, kinds: list[str], *, noun: str, scales: list[Scale]) -> list[Prop]:
        """Return props of these kinds that stand nowhere yet, each in a color that no other of the noun has."""
        colors = self.colors(len(kinds), noun)
        first = 1 + sum(prop.noun == noun for prop in self.placed)
        made: list[Prop] = []
        for i, (kind, color, scale) in enumerate(zip(kinds, colors, scales, strict=True), start=first):
            factor = float(self.looks.uniform(*scale))
            made.append(model(kind).prop(f'{noun}_{i}'.replace(' ', '_').replace('-', '_'), noun=noun, color=color, scale=factor))
        return made

    def anywhere(self, props: list[Prop], spacing: Spacing, yaw: tuple[float, float] = TURN) -> tuple[Prop, ...]:
        """Put props that were made elsewhere on the table, one after the other, clear of all others."""
        fresh: tuple[Prop, ...] = ()
        for prop in props:
            others = (*self.placed, *fresh)
            fresh += (place(prop, others, spacing=spacing, workspace=self.workspace, chance=self.layout, yaw=yaw),)
        self.placed += fresh
        return fresh

    def _beside(self, props: list[Prop], spacing: Spacing, yaw: tuple[float, float]) -> tuple[Prop, ...]:
        """Place two props so that a side tells them apart; every side is as likely as another."""
        if len(props) != 2:
            raise TaskError(f'A side tells two props apart; {len(props)} were asked for. Draw two.')
        first, second = props
        where = SIDES[int(self.layout.integers(len(SIDES)))]
        for attempt in range(_ATTEMPTS):
            try:
                at = place(first, self.placed, spacing=spacing, workspace=self.workspace, chance=self.layout, yaw=yaw)
                others, side = (*self.placed, at), (at, where)
                other = place(second, others, spacing=spacing, workspace=self.workspace, chance=self.layout, yaw=yaw, beside=side)
            except NoRoomError:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            self.placed += (at, other)
            return at, other
        raise AssertionError('unreachable')
