"""What VLMbench lays on its table besides solids and trays: towers, pencils and baskets, a shape sorter and its blocks."""

from dataclasses import replace

from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.language.references import shape_noun
from vlm_bench_tasks.suite.vlmbench._furnishing import Furnishing
from vlm_bench_tasks.suite.vlmbench._liquids import Liquids
from vlm_bench_tasks.variation.draw import ONE, SOLIDS, Scale
from vlm_bench_tasks.variation.placement import Spacing

BASKETS = Spacing(alike=0.10, gap=0.03)
PENCILS = Spacing(alike=0.20, gap=0.05)
SORTER = Spacing(alike=0.30, gap=0.03)
TOWER_SIZES: tuple[Scale, ...] = ((0.7, 0.8), (0.9, 1.0), (1.1, 1.2))
"""Small, medium and large; a cylinder, cube or flower that is larger cannot be gripped."""


class Draw(Liquids, Furnishing):
    """The chance of an episode of VLMbench."""

    def tower(self, *, scale: Scale = (0.8, 1.2)) -> tuple[tuple[Prop, ...], tuple[Prop, ...]]:
        """Return the two or three solids of a tower, the lowest first, and others; each is called by its shape.

        They are four of one shape; along the axis of size three, all of them in the tower; along that of shape two to four, each of
        another; along that of relative position two of each of two shapes, one of which is in the tower.
        """
        pool = self.pools.kinds('solid')
        if self.axis == 'relative':
            pairs = [self._called([pool[i]] * 2, ONE) for i in self.looks.permutation(len(pool))[:2]]
            return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
        if self.axis == 'shape':
            drawn = tuple(prop for kind in self.kinds('solid', 1)[:4] for prop in self._called([kind], scale))
        else:
            drawn = self._called(self.kinds('solid', 3 if self.axis == 'size' else 4), scale)
        height = 3 if self.axis == 'size' else int(self.values.integers(2, min(3, len(drawn)) + 1))
        return drawn[:height], drawn[height:]

    def baskets(self, count: int, *, sizes: tuple[Scale, ...] = ((0.75, 0.9), (1.0, 1.1))) -> tuple[Prop, ...]:
        """Return baskets, called containers; along the axis of size each has another of `sizes`."""
        return self.props(['basket'] * count, noun='container', scales=self.scales(count, ONE, sizes), spacing=BASKETS)

    def pencils(self, count: int, *, sizes: tuple[Scale, ...] = ((0.6, 0.9), (1.0, 1.1))) -> tuple[Prop, ...]:
        """Return pencils that lie on the table; along the axis of size each has another of `sizes`."""
        return self.props(['pencil'] * count, noun='pencil', scales=self.scales(count, ONE, sizes), spacing=PENCILS)

    def sorter(self) -> Prop:
        """Return a shape sorter."""
        (drawn,) = self.anywhere(self.made(['shape_sorter'], noun='shape sorter', scales=[ONE]), SORTER)
        return drawn

    def pieces(self) -> tuple[Prop, ...]:
        """Return the block for the sorter that is meant, and others.

        They are three of one shape, along the axis of relative position two, and along that of shape two or three, each of another.
        """
        (kind,) = self.kinds('piece', 1)[:1]
        if self.axis != 'shape':
            kinds = [kind] * (2 if self.axis == 'relative' else 3)
            return self.props(kinds, noun='object', scales=[ONE] * len(kinds), spacing=SOLIDS)
        others = [other for other in self.pools.kinds('other_piece') if other != kind]
        kinds = [kind, *(others[i] for i in self.looks.permutation(len(others))[: int(self.looks.integers(1, 3))])]
        made = self.made(kinds, noun='object', scales=[ONE] * len(kinds))
        order = self.values.permutation(len(made))  # whose name comes first must not tell which is meant
        drawn = self.anywhere([replace(prop, name=made[i].name) for prop, i in zip(made, order, strict=True)], SOLIDS)
        return tuple(sorted(drawn, key=lambda prop: prop.kind != kind))

    def _called(self, kinds: list[str], scale: Scale) -> tuple[Prop, ...]:
        """Return solids of one kind, called by it."""
        return self.props(kinds, noun=shape_noun(kinds[0]), scales=self.scales(len(kinds), scale, TOWER_SIZES), spacing=SOLIDS)
