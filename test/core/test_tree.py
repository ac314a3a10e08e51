"""Trees of frozen dataclasses: what is collected from them and substituted in them, and what is left as it was."""

from dataclasses import dataclass, replace
from typing import Any

from vlm_bench_sim.core.tree import collected, substituted


@dataclass(frozen=True)
class Leaf:
    number: int
    word: str = 'a'


@dataclass(frozen=True)
class Box:
    inside: Any


@dataclass(frozen=True)
class Node:
    parts: tuple[Any, ...]
    own: Leaf


TREE = Node((Leaf(1), Box(Leaf(2)), 'a', (Leaf(3), None)), Leaf(4))


def doubled(part: Any) -> Any:
    return replace(part, number=2 * part.number) if isinstance(part, Leaf) else part


def test_what_is_of_a_kind_is_collected_from_left_to_right():
    assert [leaf.number for leaf in collected(TREE, Leaf)] == [1, 2, 3, 4]
    assert [type(part).__name__ for part in collected(TREE, Leaf, Box)] == ['Leaf', 'Box', 'Leaf', 'Leaf']


def test_what_is_closed_is_not_looked_into():
    assert [leaf.number for leaf in collected(TREE, Leaf, closed=(Box,))] == [1, 3, 4]
    assert substituted(TREE, doubled, closed=(Box,)).parts[1] is TREE.parts[1]


def test_what_changes_is_substituted_wherever_it_stands():
    assert substituted(TREE, doubled) == Node((Leaf(2), Box(Leaf(4)), 'a', (Leaf(6), None)), Leaf(8))


def test_what_stands_there_instead_is_not_looked_into():
    boxed = substituted(TREE, lambda part: Box(part) if isinstance(part, Leaf) else part)
    assert boxed.own == Box(Leaf(4)) and boxed.parts[1] == Box(Box(Leaf(2)))


def test_words_are_left_alone_whatever_they_say():
    assert substituted(TREE, lambda part: Leaf(9, 'b') if part == 'a' else part) is TREE


def test_what_stays_as_it_was_is_the_same_object():
    assert substituted(TREE, lambda part: part) is TREE
    changed = substituted(TREE, lambda part: Leaf(7) if part == Leaf(4) else part)
    assert changed.own == Leaf(7) and changed.parts is TREE.parts
