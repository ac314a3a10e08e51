"""Stacks in an order (ClevrSkills, SingleStack)."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, permutations

from vlm_bench_tasks.authoring import Goal, On, Prop, all_of

MOST = 24


def piled(things: Sequence[Prop]) -> Goal:
    """Return the goal that each thing rests on the one before it, all at once."""
    return all_of(*(On(above, below) for below, above in pairwise(things)))


def orders(things: Sequence[Prop]) -> Iterator[tuple[Prop, ...]]:
    """Yield the orders of the things, that of theirs first."""
    return islice(permutations(things), MOST)


def other_stacks(things: Sequence[Prop]) -> tuple[Goal, ...]:
    """Return the goals of all orders of the things."""
    return tuple(piled(order) for order in orders(things))
