"""References: a blank of a sentence is filled with a reference, which can speak and can say which props its words fit."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene


class Ref(ABC):
    """A way of pointing at one prop of a scene.

    Attributes:
        prop: name of the prop that is meant.
    """

    prop: str

    @abstractmethod
    def words(self, scene: Scene) -> str:
        """Return the words, for example: the red object."""

    @abstractmethod
    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the props of the scene that the words fit; exactly the one that is meant, or the sentence is ambiguous."""


@serialisable
@dataclass(frozen=True)
class ByColour(Ref):
    """By colour among the props of one noun: the red object."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <colour> <noun>`."""
        meant = scene.prop(self.prop)
        return f'the {meant.colour.name} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the props of that noun and colour."""
        meant = scene.prop(self.prop)
        return tuple(p for p in scene.props if (p.noun, p.colour.name) == (meant.noun, meant.colour.name))
