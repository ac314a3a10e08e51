"""What is picked and where it goes: solids and trays, towers, pencils and baskets, a shape sorter and its blocks."""

from dataclasses import replace

from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.language.references import shape_noun
from vlm_bench_tasks.variation.lot import Lot, Scale
from vlm_bench_tasks.variation.placement import Spacing

SOLIDS = Spacing(alike=0.10, gap=0.03)  # a gripper's fingers fit between
TRAYS = Spacing(alike=0.25, gap=0.03)
BASKETS = Spacing(alike=0.10, gap=0.03)
PENCILS = Spacing(alike=0.20, gap=0.05)
SORTER = Spacing(alike=0.30, gap=0.03)
TOWER_SIZES: tuple[Scale, ...] = ((0.7, 0.8), (0.9, 1.0), (1.1, 1.2))
"""Small, medium and large; a cylinder, cube or flower that is larger cannot be gripped."""

ONE: Scale = (1.0, 1.0)


def solids(lot: Lot, count: int, *, scale: Scale, sizes: tuple[Scale, ...], noun: str) -> tuple[Prop, ...]:
    """Return solids of one shape; along the axis of shape two or more, each of another."""
    kinds = lot.kinds('solid', count)
    return lot.props(kinds, noun=noun, scales=lot.scales(len(kinds), scale, sizes), spacing=SOLIDS)


def trays(lot: Lot, count: int, *, sizes: tuple[Scale, ...], noun: str) -> tuple[Prop, ...]:
    """Return trays."""
    return lot.props(['tray'] * count, noun=noun, scales=lot.scales(count, ONE, sizes), spacing=TRAYS)


def tower(lot: Lot, scale: Scale) -> tuple[tuple[Prop, ...], tuple[Prop, ...]]:
    """Return the two or three solids of a tower, the lowest first, and others; each is called by its shape.

    They are four of one shape; along the axis of size three, all of them in the tower; along that of shape two to four, each of another;
    along that of relative position two of each of two shapes, one of which is in the tower.
    """
    pool = lot.pools.kinds('solid')
    if lot.axis == 'relative':
        pairs = [_called(lot, [pool[i]] * 2, ONE) for i in lot.looks.permutation(len(pool))[:2]]
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    if lot.axis == 'shape':
        drawn = tuple(prop for kind in lot.kinds('solid', 1)[:4] for prop in _called(lot, [kind], scale))
    else:
        drawn = _called(lot, lot.kinds('solid', 3 if lot.axis == 'size' else 4), scale)
    height = 3 if lot.axis == 'size' else int(lot.values.integers(2, min(3, len(drawn)) + 1))
    return drawn[:height], drawn[height:]


def baskets(lot: Lot, count: int, *, sizes: tuple[Scale, ...]) -> tuple[Prop, ...]:
    """Return baskets, called containers."""
    return lot.props(['basket'] * count, noun='container', scales=lot.scales(count, ONE, sizes), spacing=BASKETS)


def pencils(lot: Lot, count: int, *, sizes: tuple[Scale, ...]) -> tuple[Prop, ...]:
    """Return pencils."""
    return lot.props(['pencil'] * count, noun='pencil', scales=lot.scales(count, ONE, sizes), spacing=PENCILS)


def sorter(lot: Lot) -> Prop:
    """Return a shape sorter."""
    (drawn,) = lot.anywhere(lot.made(['shape_sorter'], noun='shape sorter', scales=[ONE]), SORTER)
    return drawn


def pieces(lot: Lot) -> tuple[Prop, ...]:
    """Return the block that is meant and others.

    They are three of one shape, along the axis of relative position two, and along that of shape two or three, each of another.
    """
    (kind,) = lot.kinds('piece', 1)[:1]
    if lot.axis != 'shape':
        kinds = [kind] * (2 if lot.axis == 'relative' else 3)
        return lot.props(kinds, noun='object', scales=[ONE] * len(kinds), spacing=SOLIDS)
    others = [other for other in lot.pools.kinds('other_piece') if other != kind]
    kinds = [kind, *(others[i] for i in lot.looks.permutation(len(others))[: int(lot.looks.integers(1, 3))])]
    made = lot.made(kinds, noun='object', scales=[ONE] * len(kinds))
    order = lot.values.permutation(len(made))  # whose name comes first must not tell which is meant
    drawn = lot.anywhere([replace(prop, name=made[i].name) for prop, i in zip(made, order, strict=True)], SOLIDS)
    return tuple(sorted(drawn, key=lambda prop: prop.kind != kind))


def _called(lot: Lot, kinds: list[str], scale: Scale) -> tuple[Prop, ...]:
    """Return solids of one kind, called by it."""
    return lot.props(kinds, noun=shape_noun(kinds[0]), scales=lot.scales(len(kinds), scale, TOWER_SIZES), spacing=SOLIDS)
