"""Draw: the only door through which a task file meets chance."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from vlm_bench_sim.core.errors import SceneError, TaskError, near
from vlm_bench_sim.core.looks import Colour
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import SIDES, ByColour, ByShape, BySide, BySize, Ref
from vlm_bench_tasks.variation.models import model
from vlm_bench_tasks.variation.placement import Spacing, Workspace, place
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.streams import Streams

SOLIDS = Spacing(alike=0.10, gap=0.03)  # a gripper's fingers fit between
TRAYS = Spacing(alike=0.25, gap=0.03)
_REFS: dict[str, Callable[[str], Ref]] = {'color': ByColour, 'shape': ByShape, 'size': BySize, 'relative': BySide}
_ATTEMPTS = 30

Scale = tuple[float, float]
"""Least and greatest factor."""


class Draw:
    """The chance of one episode, together with what may be drawn and where it may stand.

    Props are placed as they are drawn, so draw large ones first. Names and order in the scene are drawn too: they give no hint which
    prop is meant.

    Attributes:
        axis: the axis that varies, for example 'color'.
    """

    def __init__(self, streams: Streams, pools: Pools, *, axis: str, workspace: Workspace) -> None:
        self.axis = axis
        self._streams = streams
        self._pools = pools
        self._workspace = workspace
        self._placed: tuple[Prop, ...] = ()

    @cached_property
    def layout(self) -> np.random.Generator:
        """Stream of places and of the order of props."""
        return self._streams.generator('layout')

    @cached_property
    def looks(self) -> np.random.Generator:
        """Stream of shapes, sizes and colours."""
        return self._streams.generator('looks')

    @cached_property
    def language(self) -> np.random.Generator:
        """Stream of the choice of words."""
        return self._streams.generator('language')

    def solids(
        self, count: int, *, scale: Scale = (1.0, 1.0), sizes: tuple[Scale, ...] = ((0.6, 0.9), (1.1, 1.2)), noun: str = 'object'
    ) -> tuple[Prop, ...]:
        """Return solids, each in a colour that no other of the noun has; whichever comes first is as good as any.

        They are of one shape, scaled evenly by a factor from `scale`. Along the axis of size each has another of `sizes`; along that of
        shape there are two or more, each of another shape.
        """
        pool = self._pools.shape
        if self.axis == 'shape':
            kinds = [pool[i] for i in self.looks.permutation(len(pool))[: int(self.looks.integers(2, len(pool) + 1))]]
        else:
            kinds = [pool[int(self.looks.integers(len(pool)))]] * count
        return self._props(kinds, noun=noun, scales=self._scales(len(kinds), scale, sizes), spacing=SOLIDS)

    def trays(self, count: int, *, sizes: tuple[Scale, ...] = ((0.8, 0.9), (1.1, 1.25)), noun: str = 'container') -> tuple[Prop, ...]:
        """Return trays, each in a colour that no other of the noun has; along the axis of size each has another of `sizes`."""
        return self._props(['tray'] * count, noun=noun, scales=self._scales(count, (1.0, 1.0), sizes), spacing=TRAYS)

    def table(self, *props: Prop) -> Scene:
        """Return the scene with these props on the table.

        Raises:
            SceneError: a prop was not drawn here, so nobody knows whether it overlaps another.
        """
        for prop in props:
            if prop not in self._placed:
                raise SceneError(f'{prop.name!r} was not drawn by this Draw, so its place was not checked. Draw it before the table.')
        return Scene(tuple(sorted(props, key=lambda prop: prop.name)))

    def ref(self, prop: Prop) -> Ref:
        """Return a reference to the prop along the axis that varies.

        Raises:
            TaskError: there are no words for that axis.
        """
        if self.axis not in _REFS:
            raise TaskError(f'There are no words for the axis {self.axis!r}. {near(self.axis, _REFS)}')
        if self.axis == 'shape' and any(other.kind == prop.kind and other != prop for other in self._placed):
            return ByColour(prop.name)
        return _REFS[self.axis](prop.name)

    def _scales(self, count: int, scale: Scale, sizes: tuple[Scale, ...]) -> list[Scale]:
        if self.axis != 'size':
            return [scale] * count
        if count != len(sizes):
            raise TaskError(f'{count} props of different sizes were asked for, with {len(sizes)} ranges of sizes. Give one range for each.')
        return list(sizes)

    def _props(self, kinds: list[str], *, noun: str, scales: list[Scale], spacing: Spacing) -> tuple[Prop, ...]:
        alike = [prop for prop in self._placed if prop.noun == noun]
        colours = self._colours(len(kinds), {prop.colour for prop in alike})
        made: list[Prop] = []
        for i, (kind, colour, scale) in enumerate(zip(kinds, colours, scales, strict=True), start=len(alike) + 1):
            factor = float(self.looks.uniform(*scale))
            made.append(model(kind).prop(f'{noun}_{i}', noun=noun, colour=colour, scale=factor))
        drawn = self._beside(made, spacing) if self.axis == 'relative' else self._anywhere(made, spacing)
        self._placed += drawn
        return tuple(drawn[i] for i in self.layout.permutation(len(drawn)))

    def _anywhere(self, props: list[Prop], spacing: Spacing) -> tuple[Prop, ...]:
        placed: tuple[Prop, ...] = ()
        for prop in props:
            others = (*self._placed, *placed)
            placed += (place(prop, others, spacing=spacing, workspace=self._workspace, chance=self.layout),)
        return placed

    def _beside(self, props: list[Prop], spacing: Spacing) -> tuple[Prop, ...]:
        """Place two props so that a side tells them apart; every side is as likely as another."""
        if len(props) != 2:
            raise TaskError(f'A side tells two props apart; {len(props)} were asked for. Draw two.')
        first, second = props
        where = SIDES[int(self.layout.integers(len(SIDES)))]
        for attempt in range(_ATTEMPTS):
            try:
                at = place(first, self._placed, spacing=spacing, workspace=self._workspace, chance=self.layout)
                others, beside = (*self._placed, at), (at, where)
                return at, place(second, others, spacing=spacing, workspace=self._workspace, chance=self.layout, beside=beside)
            except SceneError:
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError('unreachable')

    def _colours(self, count: int, used: set[Colour]) -> list[Colour]:
        pool = [colour for colour in self._pools.color if colour not in used]
        if count > len(pool):
            raise TaskError(f'{count} more colours were asked for; the split holds {len(pool)} unused ones. Draw fewer props.')
        return [pool[i] for i in self.looks.permutation(len(pool))[:count]]
