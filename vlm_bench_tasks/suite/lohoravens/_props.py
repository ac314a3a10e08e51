"""What LoHoRavens lays on its table: blocks of two sizes, bowls and zones, in colors that a task gives them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.areas import AREAS, Area
from vlm_bench_sim.core.errors import NoRoomError
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.objects.stock import BLOCKS, block, bowl, zone
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.language.sizes import BySizedColor
from vlm_bench_tasks.variation.draw import Draw as BaseDraw
from vlm_bench_tasks.variation.placement import Spacing, Workspace, place

APART = Spacing(alike=0.0, gap=0.015)
"""Between circles around things: 15 mm, or 31 mm between the sides of two small blocks that face each other."""

SPAN = {'x': (0.25, 0.72), 'y': (-0.45, 0.45)}
"""Where things stand, m: LoHoRavens' workspace as far as every robot reaches."""

TALL = 0.58
"""Greatest distance from the base, m, at which every robot sets the fifth block on a tower."""

SIZE_WORDS = {'small': 'smaller', 'big': 'bigger'}
NOUNS = {size: f'{word} block' for size, word in SIZE_WORDS.items()}
"""What blocks are called where there are two sizes."""

_LAYOUTS, _SPOTS = 40, 200  # tries


@dataclass(frozen=True)
class Block:
    """A block that is wanted.

    Attributes:
        color: of it.
        size: 'small' (4 cm) or 'big' (6 cm).
        within: the area where it lies in its whole width; None: anywhere.
        outside: areas of which it touches none.
    """

    color: Color
    size: str = 'small'
    within: Area | None = None
    outside: tuple[Area, ...] = ()


class Draw(BaseDraw):
    """The chance of an episode of LoHoRavens."""

    def areas(self, count: int, *others: Area) -> tuple[Area, ...]:
        """Return so many of the named areas, none of the others."""
        left = [area for area in AREAS.values() if area not in others]
        return tuple(left[i] for i in self.values.permutation(len(left))[:count])

    def blocks(self, *wanted: Block) -> tuple[Prop, ...]:
        """Return blocks in the order in which they are wanted; ask for all of them at once, so that names tell nothing.

        Where there are two sizes, nouns and references say which.
        """
        sized = len({each.size for each in wanted}) > 1
        made = [
            replace(block(name, each.color, side=BLOCKS[each.size]), noun=NOUNS[each.size] if sized else 'block')
            for name, each in zip(self.named('block', len(wanted)), wanted, strict=True)
        ]
        if sized:
            self.spoken |= {prop.name: BySizedColor for prop in made}
        return self._laid(made, [_fits(each.within, each.outside) for each in wanted], within=[each.within for each in wanted])

    def bowls(self, *fixed: Color, loose: tuple[Color, ...] = (), outside: tuple[Area, ...] = ()) -> tuple[Prop, ...]:
        """Return bowls that stand fixed and, after them, others that do not; none touches an area of `outside`."""
        colors = (*fixed, *loose)
        names = self.named('bowl', len(colors))
        made = [bowl(name, color, fixed=i < len(fixed)) for i, (name, color) in enumerate(zip(names, colors, strict=True))]
        return self._laid(made, [_fits(None, outside)] * len(made))

    def zones(self, *colors: Color, side: float = 0.12, tall: bool = False) -> tuple[Prop, ...]:
        """Return zones, `side` m wide; where `tall`, as near as a tower of five in them must be."""
        made = [zone(name, color, side=side) for name, color in zip(self.named('zone', len(colors)), colors, strict=True)]
        return self._laid(made, [_near if tall else _fits(None, ())] * len(made))

    def _laid(
        self, made: Sequence[Prop], fits: Sequence[Callable[[Prop], bool]], *, within: Iterable[Area | None] = ()
    ) -> tuple[Prop, ...]:
        """Put props on the table, clear of all others, each where it fits; a table that is full is laid anew.

        Raises:
            NoRoomError: there is no room.
        """
        rooms = list(within) or [None] * len(made)
        for attempt in range(_LAYOUTS):
            fresh: tuple[Prop, ...] = ()
            try:
                for prop, room, fit in zip(made, rooms, fits, strict=True):
                    fresh += (self._placed(prop, (*self.placed, *fresh), room=room, fits=fit),)
            except NoRoomError:
                if attempt == _LAYOUTS - 1:
                    raise
                continue
            self.placed += fresh
            return fresh
        raise NoRoomError(f'No layout of the table was found in {_LAYOUTS} tries. Request fewer things.')

    def _placed(self, prop: Prop, others: tuple[Prop, ...], *, room: Area | None, fits: Callable[[Prop], bool]) -> Prop:
        workspace = Workspace(_part('x', room, 0), _part('y', room, 1), reach=self.workspace.reach)
        for _ in range(_SPOTS):
            there = place(prop, others, spacing=APART, workspace=workspace, chance=self.layout)
            if fits(there):
                return there
        raise NoRoomError(f'No place was found for {prop.name!r} in {_SPOTS} tries. Request fewer things, or fewer areas that stay free.')


def _part(axis: str, room: Area | None, index: int) -> tuple[float, float]:
    """Return the part of an axis, m, where the workspace and a room are."""
    low, high = SPAN[axis]
    if room is None:
        return low, high
    middle, half = room.pose.position[index], room.size[index] / 2
    return max(low, middle - half), min(high, middle + half)


def _fits(within: Area | None, outside: tuple[Area, ...]) -> Callable[[Prop], bool]:
    """Return whether a prop, with the circle around it, lies in an area and in none of others."""

    def fits(prop: Prop) -> bool:
        radius = float(np.hypot(*prop.size[:2])) / 2
        inside = within is None or _depth(within, prop) >= radius
        return inside and all(_depth(area, prop) <= -radius for area in outside)

    return fits


def _near(prop: Prop) -> bool:
    return float(np.hypot(*prop.pose.position[:2])) <= TALL


def _depth(area: Area, prop: Prop) -> float:
    """Return how far within the edge of an area the middle of a prop is, m; negative: outside."""
    local = area.pose.inverse().apply([prop.pose.position])[0, :2]
    beyond = np.abs(local) - np.asarray(area.size) / 2
    return -float(beyond.max()) if (beyond <= 0).all() else -norm(np.maximum(beyond, 0.0))
