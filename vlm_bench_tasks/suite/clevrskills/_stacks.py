"""Stacks in an order (ClevrSkills, SingleStack)."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, permutations
from typing import NamedTuple

from vlm_bench_tasks.authoring import Goal, On, Prop, all_of
from vlm_bench_tasks.language.references import Ref
from vlm_bench_tasks.suite.clevrskills._props import Draw, listed

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


class Told(NamedTuple):
    """A stack in words, with blanks for its things: all of them, the foot, what is above it, and each thing on the one below."""

    refs: dict[str, Ref]
    names: str
    foot: str
    rest: list[str]
    pairs: list[str]


def told(draw: Draw, things: Sequence[Prop]) -> Told:
    """Return the words for a stack of the things, the first one at its foot."""
    names, refs = listed(draw, things)
    foot, *rest = (f'{{{blank}}}' for blank in refs)
    return Told(refs, names, foot, rest, [f'{above} on {below}' for below, above in pairwise((foot, *rest))])
