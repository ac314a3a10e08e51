"""Draw: the only door through which a task file meets chance."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from vlm_bench_sim.core.errors import SceneError, TaskError, near
from vlm_bench_sim.core.looks import Colour
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import ByColour, Ref
from vlm_bench_tasks.variation.models import model
from vlm_bench_tasks.variation.placement import Spacing, Workspace, place
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.streams import Streams

SOLIDS = Spacing(alike=0.10, gap=0.03)  # a gripper's fingers fit between
TRAYS = Spacing(alike=0.25, gap=0.03)
_REFS: dict[str, Callable[[str], Ref]] = {'color': ByColour}


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

    def solids(self, count: int, *, scale: tuple[float, float] = (1.0, 1.0), noun: str = 'object') -> tuple[Prop, ...]:
        """Return solids of one shape, each in a colour that no other of the noun has, scaled evenly by a factor from `scale`."""
        kind = self._pools.shape[int(self.looks.integers(len(self._pools.shape)))]
        return self._props(kind, count, noun=noun, scale=scale, spacing=SOLIDS)

    def trays(self, count: int, *, noun: str = 'container') -> tuple[Prop, ...]:
        """Return trays, each in a colour that no other of the noun has."""
        return self._props('tray', count, noun=noun, scale=(1.0, 1.0), spacing=TRAYS)

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
        return _REFS[self.axis](prop.name)

    def _props(self, kind: str, count: int, *, noun: str, scale: tuple[float, float], spacing: Spacing) -> tuple[Prop, ...]:
        alike = [prop for prop in self._placed if prop.noun == noun]
        colours = self._colours(count, {prop.colour for prop in alike})
        drawn: list[Prop] = []
        for i, colour in enumerate(colours, start=len(alike) + 1):
            factor = float(self.looks.uniform(*scale))
            prop = model(kind).prop(f'{noun}_{i}', noun=noun, colour=colour, scale=factor)
            drawn.append(place(prop, self._placed, spacing=spacing, workspace=self._workspace, chance=self.layout))
            self._placed += (drawn[-1],)
        return tuple(drawn[i] for i in self.layout.permutation(count))

    def _colours(self, count: int, used: set[Colour]) -> list[Colour]:
        pool = [colour for colour in self._pools.color if colour not in used]
        if count > len(pool):
            raise TaskError(f'{count} more colours were asked for; the split holds {len(pool)} unused ones. Draw fewer props.')
        return [pool[i] for i in self.looks.permutation(len(pool))[:count]]
