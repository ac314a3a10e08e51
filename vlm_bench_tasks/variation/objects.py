"""What is picked and where it goes: solids and trays, towers, pencils and baskets, a shape sorter and its blocks."""

from dataclasses import replace

from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.language.references import shape_noun
from vlm_bench_tasks.variation.placement import Spacing
from vlm_bench_tasks.variation.scene_sampler import Scale, SceneSampler

SOLIDS = Spacing(alike=0.10, gap=0.03)  # a gripper's fingers fit between
TRAYS = Spacing(alike=0.25, gap=0.03)
BASKETS = Spacing(alike=0.10, gap=0.03)
PENCILS = Spacing(alike=0.20, gap=0.05)
SORTER = Spacing(alike=0.30, gap=0.03)
TOWER_SIZES: tuple[Scale, ...] = ((0.7, 0.8), (0.9, 1.0), (1.1, 1.2))
"""Small, medium and large; a cylinder, cube or flower that is larger cannot be gripped."""

ONE: Scale = (1.0, 1.0)


def solids(sampler: SceneSampler, count: int, *, scale: Scale, sizes: tuple[Scale, ...], noun: str) -> tuple[Prop, ...]:
    """Return solids of one shape; along the axis of shape two or more, each of another."""
    kinds = sampler.kinds('solid', count)
    return sampler.props(kinds, noun=noun, scales=sampler.scales(len(kinds), scale, sizes), spacing=SOLIDS)


def trays(sampler: SceneSampler, count: int, *, sizes: tuple[Scale, ...], noun: str) -> tuple[Prop, ...]:
    """Return trays."""
    return sampler.props(['tray'] * count, noun=noun, scales=sampler.scales(count, ONE, sizes), spacing=TRAYS)


def tower(sampler: SceneSampler, scale: Scale) -> tuple[tuple[Prop, ...], tuple[Prop, ...]]:
    """Return the two or three solids of a tower, the lowest first, and others; each is called by its shape.

    They are four of one shape; along the axis of size three, all of them in the tower; along that of shape two to four, each of another;
    along that of relative position two of each of two shapes, one of which is in the tower.
    """
    pool = sampler.pools.kinds('solid')
    if sampler.axis == 'relative':
        pairs = [_called(sampler, [pool[i]] * 2, ONE) for i in sampler.looks.permutation(len(pool))[:2]]
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    if sampler.axis == 'shape':
        drawn = tuple(prop for kind in sampler.kinds('solid', 1)[:4] for prop in _called(sampler, [kind], scale))
    else:
        drawn = _called(sampler, sampler.kinds('solid', 3 if sampler.axis == 'size' else 4), scale)
    height = 3 if sampler.axis == 'size' else int(sampler.values.integers(2, min(3, len(drawn)) + 1))
    return drawn[:height], drawn[height:]


def baskets(sampler: SceneSampler, count: int, *, sizes: tuple[Scale, ...]) -> tuple[Prop, ...]:
    """Return baskets, called containers."""
    return sampler.props(['basket'] * count, noun='container', scales=sampler.scales(count, ONE, sizes), spacing=BASKETS)


def pencils(sampler: SceneSampler, count: int, *, sizes: tuple[Scale, ...]) -> tuple[Prop, ...]:
    """Return pencils."""
    return sampler.props(['pencil'] * count, noun='pencil', scales=sampler.scales(count, ONE, sizes), spacing=PENCILS)


def sorter(sampler: SceneSampler) -> Prop:
    """Return a shape sorter."""
    (drawn,) = sampler.anywhere(sampler.made(['shape_sorter'], noun='shape sorter', scales=[ONE]), SORTER)
    return drawn


def pieces(sampler: SceneSampler) -> tuple[Prop, ...]:
    """Return the block that is meant and others.

    They are three of one shape, along the axis of relative position two, and along that of shape two or three, each of another.
    """
    (kind,) = sampler.kinds('piece', 1)[:1]
    if sampler.axis != 'shape':
        kinds = [kind] * (2 if sampler.axis == 'relative' else 3)
        return sampler.props(kinds, noun='object', scales=[ONE] * len(kinds), spacing=SOLIDS)
    others = [other for other in sampler.pools.kinds('other_piece') if other != kind]
    kinds = [kind, *(others[i] for i in sampler.looks.permutation(len(others))[: int(sampler.looks.integers(1, 3))])]
    made = sampler.made(kinds, noun='object', scales=[ONE] * len(kinds))
    order = sampler.values.permutation(len(made))  # whose name comes first must not tell which is meant
    drawn = sampler.anywhere([replace(prop, name=made[i].name) for prop, i in zip(made, order, strict=True)], SOLIDS)
    return tuple(sorted(drawn, key=lambda prop: prop.kind != kind))


def _called(sampler: SceneSampler, kinds: list[str], scale: Scale) -> tuple[Prop, ...]:
    """Return solids of one kind, called by it."""
    return sampler.props(kinds, noun=shape_noun(kinds[0]), scales=sampler.scales(len(kinds), scale, TOWER_SIZES), spacing=SOLIDS)
