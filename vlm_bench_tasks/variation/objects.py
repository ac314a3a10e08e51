"""What is picked and where it goes: solids, trays."""

from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.variation.lot import Lot, Scale
from vlm_bench_tasks.variation.placement import Spacing

SOLIDS = Spacing(alike=0.10, gap=0.03)  # a gripper's fingers fit between
TRAYS = Spacing(alike=0.25, gap=0.03)


def solids(lot: Lot, count: int, *, scale: Scale, sizes: tuple[Scale, ...], noun: str) -> tuple[Prop, ...]:
    """Return solids of one shape; along the axis of shape two or more, each of another."""
    kinds = lot.kinds('solid', count)
    return lot.props(kinds, noun=noun, scales=lot.scales(len(kinds), scale, sizes), spacing=SOLIDS)


def trays(lot: Lot, count: int, *, sizes: tuple[Scale, ...], noun: str) -> tuple[Prop, ...]:
    """Return trays."""
    return lot.props(['tray'] * count, noun=noun, scales=lot.scales(count, (1.0, 1.0), sizes), spacing=TRAYS)
