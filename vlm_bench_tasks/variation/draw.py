"""Draw: the only door through which a task file meets chance. What it does stands in `sampler` and in one file for each kind of thing."""

from collections.abc import Callable

import numpy as np

from vlm_bench_sim.core.areas import AREAS, Area
from vlm_bench_sim.core.errors import SceneError, TaskError, near
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_tasks.language.places import ByDirection
from vlm_bench_tasks.language.references import ByColor, ByShape, BySide, BySize, Ref
from vlm_bench_tasks.language.sizes import BySizedColor
from vlm_bench_tasks.variation import furnishing, liquids, objects, ravens
from vlm_bench_tasks.variation.placement import Workspace
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.ravens import Block
from vlm_bench_tasks.variation.scene_sampler import Scale, SceneSampler
from vlm_bench_tasks.variation.streams import Streams

_REFS: dict[str, Callable[[str], Ref]] = {
    'color': ByColor, 'shape': ByShape, 'size': BySize, 'relative': BySide, 'direction': ByDirection,
    'region': ByColor,  # a sentence says the regions themselves
}  # fmt: skip


class Draw:
    """The chance of one episode, together with what may be drawn and where it may stand.

    Props are placed as they are drawn, so draw large ones first. Names and order in the scene are drawn too: they give no hint which
    prop is meant.

    Args:
        streams: of the episode.
        pools: what may be drawn.
        axis: the axis that varies, for example 'color'.
        workspace: where things may stand.
        attempt: how many layouts of the episode had no room before; places and order are drawn anew in each, and nothing else.

    Attributes:
        axis: as given.
    """

    def __init__(self, streams: Streams, pools: Pools, *, axis: str, workspace: Workspace, attempt: int = 0) -> None:
        self.axis = axis
        self._lot = SceneSampler(streams, pools, axis=axis, workspace=workspace, attempt=attempt)

    @property
    def language(self) -> np.random.Generator:
        """Stream of the choice of words."""
        return self._lot.language

    def one_of(self, *options: str) -> str:
        """Return one of the options, each as likely as another, such as a level, an action or an amount."""
        return options[int(self._lot.values.integers(len(options)))]

    def number(self, low: float, high: float) -> float:
        """Return a number between the two, uniform, such as an angle that a goal asks for."""
        return float(self._lot.values.uniform(low, high))

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from one to the other, both included, such as how many blocks there are."""
        return int(self._lot.values.integers(low, high + 1))

    def colors(self, count: int) -> tuple[Color, ...]:
        """Return colors of the split, each another, in an order that tells nothing."""
        return tuple(self._lot.colors(count, ''))

    def areas(self, count: int, *others: Area) -> tuple[Area, ...]:
        """Return so many of LoHoRavens' named areas, none of the others."""
        left = [area for area in AREAS.values() if area not in others]
        return tuple(left[i] for i in self._lot.values.permutation(len(left))[:count])

    def blocks(self, *wanted: Block) -> tuple[Prop, ...]:
        """Return LoHoRavens' blocks in the order in which they are wanted; ask for all of them at once, so that names tell nothing."""
        return ravens.blocks(self._lot, wanted)

    def bowls(self, *fixed: Color, loose: tuple[Color, ...] = (), outside: tuple[Area, ...] = ()) -> tuple[Prop, ...]:
        """Return LoHoRavens' bowls, first those that stand fixed; none touches an area of `outside`."""
        return ravens.bowls(self._lot, fixed, loose, outside)

    def zones(self, *colors: Color, side: float = 0.12, tall: bool = False) -> tuple[Prop, ...]:
        """Return LoHoRavens' zones, `side` m wide; where `tall`, as near as a tower of five in them must be."""
        return ravens.zones(self._lot, colors, side, tall=tall)

    def solids(
        self, count: int, *, scale: Scale = (1.0, 1.0), sizes: tuple[Scale, ...] = ((0.6, 0.9), (1.1, 1.2)), noun: str = 'object'
    ) -> tuple[Prop, ...]:
        """Return solids, each in a color that no other of the noun has; whichever comes first is as good as any.

        They are of one shape, scaled evenly by a factor from `scale`. Along the axis of size each has another of `sizes`; along that of
        shape there are two or more, each of another shape.
        """
        return objects.solids(self._lot, count, scale=scale, sizes=sizes, noun=noun)

    def trays(self, count: int, *, sizes: tuple[Scale, ...] = ((0.8, 0.9), (1.1, 1.25)), noun: str = 'container') -> tuple[Prop, ...]:
        """Return trays, each in a color that no other of the noun has; along the axis of size each has another of `sizes`."""
        return objects.trays(self._lot, count, sizes=sizes, noun=noun)

    def tower(self, *, scale: Scale = (0.8, 1.2)) -> tuple[tuple[Prop, ...], tuple[Prop, ...]]:
        """Return the two or three solids of a tower, the lowest first, and others that do not belong to it; each is called by its shape."""
        return objects.tower(self._lot, scale)

    def baskets(self, count: int, *, sizes: tuple[Scale, ...] = ((0.75, 0.9), (1.0, 1.1))) -> tuple[Prop, ...]:
        """Return baskets, called containers; along the axis of size each has another of `sizes`."""
        return objects.baskets(self._lot, count, sizes=sizes)

    def pencils(self, count: int, *, sizes: tuple[Scale, ...] = ((0.6, 0.9), (1.0, 1.1))) -> tuple[Prop, ...]:
        """Return pencils that lie on the table; along the axis of size each has another of `sizes`."""
        return objects.pencils(self._lot, count, sizes=sizes)

    def sorter(self) -> Prop:
        """Return a shape sorter."""
        return objects.sorter(self._lot)

    def pieces(self) -> tuple[Prop, ...]:
        """Return the block for the sorter that is meant, and one or two others; along the axis of shape each is of another shape."""
        return objects.pieces(self._lot)

    def mugs(self, *, sizes: tuple[Scale, ...] = ((0.75, 0.9), (1.0, 1.1))) -> tuple[Prop, ...]:
        """Return two mugs of one kind, along the axis of color three; along the axis of size each has another of `sizes`."""
        return liquids.mugs(self._lot, sizes)

    def water(self, mug: Prop) -> Beads:
        """Return the beads that fill a mug."""
        return liquids.water(self._lot, mug)

    def wiping(self, *, scale: Scale = (0.9, 1.1), sizes: tuple[Scale, ...] = ((0.75, 0.9), (1.0, 1.2))) -> tuple[Prop, tuple[Prop, ...]]:
        """Return a sponge, and two areas on the table apart from it; along the axis of shape two or three, each of another shape.

        Along the axis of size each has another of `sizes`; along that of direction one lies vertically and one horizontally.
        """
        return liquids.wiping(self._lot, scale, sizes)

    def dirt(self, area: Prop, sponge: Prop) -> Dirt:
        """Return specks on an area, which the sponge removes: along a line where it has a direction, else over a disc."""
        return liquids.dirt(self._lot, area, sponge)

    def chest(self, **opened: float) -> Mechanism:
        """Return a chest of three drawers, `LEVELS`; those that are named start open by a share of their range."""
        return furnishing.chest(self._lot, opened)

    def door(self, **opened: float) -> Mechanism:
        """Return a door in its frame, whose handle unlatches it; `door=0.5` for one that starts half open."""
        return furnishing.door(self._lot, opened)

    def table(
        self, *props: Prop, mechanisms: tuple[Mechanism, ...] = (), beads: tuple[Beads, ...] = (), dirt: tuple[Dirt, ...] = ()
    ) -> Scene:
        """Return the scene with these things on the table.

        Raises:
            SceneError: a prop or mechanism was not drawn here, so nobody knows whether it overlaps another.
        """
        drawn: tuple[Prop | Mechanism, ...] = (*self._lot.placed, *self._lot.mechanisms)
        things: tuple[Prop | Mechanism, ...] = (*props, *mechanisms)
        for thing in things:
            if thing not in drawn:
                raise SceneError(f'{thing.name!r} was not drawn by this Draw, so its place was not checked. Draw it before the table.')
        props = tuple(sorted(props, key=lambda prop: prop.name))
        table, light = (furnishing.TABLE, furnishing.LIGHT) if mechanisms else (Table(), Light())
        return Scene(props, table, light=light, mechanisms=mechanisms, beads=beads, dirt=dirt)

    def ref(self, prop: Prop) -> Ref:
        """Return a reference to the prop along the axis that varies.

        Raises:
            TaskError: there are no words for that axis.
        """
        if self.axis not in _REFS:
            raise TaskError(f'There are no words for the axis {self.axis!r}. {near(self.axis, _REFS)}')
        if prop.noun in ravens.NOUNS.values():
            return BySizedColor(prop.name)
        if self.axis == 'shape' and any(other.kind == prop.kind and other != prop for other in self._lot.placed):
            return ByColor(prop.name)
        return _REFS[self.axis](prop.name)
