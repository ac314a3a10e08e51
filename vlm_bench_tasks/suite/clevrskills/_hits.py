"""Hits by a throw (ClevrSkills, Throw)."""

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_tasks.authoring import TABLE, Flying, Goal, Never, Once, Prop, Touching, all_of, then

PLATE: Vector = (0.20, 0.20, 0.01)
SHORT: Vector = (0.05, 0.05, 0.15)
TALL: Vector = (0.05, 0.05, 0.25)
"""Extents of what is thrown at, (3,) m: a plate, a post, and a post that must fall over."""


HEAVY = 0.25
"""Least mass of what makes a post fall, kg: a triangle of the same extents weighs 0.2 kg, and glances off."""


def hit(item: Prop, target: Prop, *gates: Goal) -> Goal:
    """Return the goal that the item flies while `gates` hold, then touches the target, and never touched the table before."""
    return all_of(then(all_of(Flying(item, target), *gates), Once(Touching(item, target))), Never(Touching(item, TABLE)))
